# With LF_UNITY sources are compiled many at a time: from scratch that takes less than half the time,
# after an edit more. `make demo` and `make test` use it.
option(LF_UNITY "Compile the sources of each module together" OFF)

set(LF_UNIT_FILES 40)
set(LF_GROUPS ${PROJECT_SOURCE_DIR}/tools/unity_groups.py)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${LF_GROUPS})
set(LF_HEADER_WORDS ${PROJECT_BINARY_DIR}/header_words.json)
if(LF_UNITY)
  execute_process(COMMAND python3 ${LF_GROUPS} --headers ${PROJECT_SOURCE_DIR}
    OUTPUT_FILE ${LF_HEADER_WORDS} COMMAND_ERROR_IS_FATAL ANY)
endif()

# Collecting garbage takes a tenth of the time of compiling units of this size.
if(LF_UNITY)
  add_compile_options("$<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-expand=500;--param=ggc-min-heapsize=1000000>")
endif()

# A target whose only content are these headers, read once for all targets with the same options.
function(lf_headers target)
  cmake_parse_arguments(arg "" "" "OPTIONS;LIBS;HEADERS" ${ARGN})
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${target}.cc CONTENT "// Nothing: the headers are the content.\n")
  add_library(${target} OBJECT ${PROJECT_BINARY_DIR}/${target}.cc)
  target_link_libraries(${target} PRIVATE fmt::fmt ${arg_LIBS})
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_compile_options(${target} PRIVATE ${arg_OPTIONS})
  target_precompile_headers(${target} PRIVATE ${arg_HEADERS})
endfunction()

function(lf_reuse_headers target from)
  target_link_libraries(${target} PRIVATE fmt::fmt)  # Read with the same definitions.
  target_precompile_headers(${target} REUSE_FROM ${from})
  # GCC 12 forgets that such headers are the system's and warns inside std::string.
  target_compile_options(${target} PRIVATE
    "$<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-restrict>")
endfunction()

# With LF_UNITY the headers that most modules read are read once for each level of optimisation: that of
# the modules that arrange, of those that are fast in tests, and of the others.
function(lf_read_headers_once arranging fast_in_tests fastest)
  if(NOT LF_UNITY)
    return()
  endif()
  set(headers <fmt/format.h> <algorithm> <array> <charconv> <cmath> <functional> <map> <memory>
    <optional> <set> <span> <sstream> <string> <string_view> <variant> <vector>)
  lf_headers(lf_headers_arranging HEADERS ${headers} OPTIONS "$<$<CONFIG:Release,Debug>:-Og>")
  lf_headers(lf_headers_fast HEADERS ${headers} OPTIONS "$<$<CONFIG:Debug>:-O2>")
  lf_headers(lf_headers_other HEADERS ${headers})
  get_property(modules GLOBAL PROPERTY LF_MODULES)
  foreach(module IN LISTS modules)
    get_target_property(type ${module} TYPE)
    string(REPLACE lf_ "" name ${module})
    if(NOT type STREQUAL "STATIC_LIBRARY" OR name IN_LIST fastest)
      continue()
    elseif(name IN_LIST arranging)
      lf_reuse_headers(${module} lf_headers_arranging)
    elseif(name IN_LIST fast_in_tests)
      lf_reuse_headers(${module} lf_headers_fast)
    else()
      lf_reuse_headers(${module} lf_headers_other)
    endif()
  endforeach()
endfunction()

# What to compile for the sources of a target: with LF_UNITY units of many, and those that stay alone.
function(lf_units out target)
  if(NOT LF_UNITY OR NOT ARGN)
    set(${out} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  execute_process(
    COMMAND python3 ${LF_GROUPS} ${LF_HEADER_WORDS} ${LF_UNIT_FILES} ${PROJECT_BINARY_DIR}/units/${target} ${ARGN}
    OUTPUT_VARIABLE lines OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" lines "${lines}")
  set(${out} ${lines} PARENT_SCOPE)
endfunction()

# The library of the modules whose sources are compiled across modules. It and the others need each other.
function(lf_make_together)
  get_property(sources GLOBAL PROPERTY LF_TOGETHER_SOURCES)
  get_property(libs GLOBAL PROPERTY LF_TOGETHER_LIBS)
  if(NOT sources)
    return()
  endif()
  list(REMOVE_DUPLICATES libs)
  lf_units(units lf_together ${sources})
  add_library(lf_together STATIC ${units})
  target_link_libraries(lf_together PRIVATE ${libs})
  target_compile_features(lf_together PRIVATE cxx_std_20)
  set_property(GLOBAL APPEND PROPERTY LF_MODULES lf_together)
endfunction()

# With LF_UNITY the headers that every unit test reads are read once.
function(lf_read_once test)
  if(NOT LF_UNITY)
    return()
  endif()
  if(NOT TARGET lf_headers_of_tests)
    lf_headers(lf_headers_of_tests LIBS GTest::gtest_main OPTIONS "$<$<CONFIG:Debug>:-Og>"
      HEADERS <gtest/gtest.h> <fmt/format.h> <map> <optional> <string> <vector>)
  endif()
  lf_reuse_headers(${test} lf_headers_of_tests)
endfunction()
