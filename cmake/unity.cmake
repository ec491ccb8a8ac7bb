# With LF_UNITY the sources of a module are compiled up to sixteen at a time: from scratch that takes
# less than half the time, after an edit more. `make demo` and `make test` use it.
option(LF_UNITY "Compile the sources of each module together" OFF)

set(LF_GROUPS ${PROJECT_SOURCE_DIR}/tools/unity_groups.py)
set(LF_HEADER_NAMES ${PROJECT_BINARY_DIR}/header_names.txt)
if(LF_UNITY)
  execute_process(COMMAND python3 ${LF_GROUPS} --names ${PROJECT_SOURCE_DIR}
    OUTPUT_FILE ${LF_HEADER_NAMES} COMMAND_ERROR_IS_FATAL ANY)
endif()

function(lf_compile_together target)
  if(NOT LF_UNITY)
    return()
  endif()
  execute_process(
    COMMAND python3 ${LF_GROUPS} ${LF_HEADER_NAMES} 16 ${ARGN}
    OUTPUT_VARIABLE lines OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  string(REPLACE ";" "|" lines "${lines}")
  string(REPLACE "\n" ";" lines "${lines}")
  set(number 0)
  foreach(line IN LISTS lines)
    string(REPLACE "|" ";" files "${line}")
    set_source_files_properties(${files} PROPERTIES UNITY_GROUP "${number}")
    math(EXPR number "${number} + 1")
  endforeach()
endfunction()

# With LF_UNITY the headers that every unit test reads are read once.
function(lf_read_once test)
  if(NOT LF_UNITY)
    return()
  endif()
  if(NOT TARGET lf_test_headers)
    file(WRITE ${PROJECT_BINARY_DIR}/test_headers.cc "// Nothing: the headers are the content.\n")
    add_library(lf_test_headers OBJECT ${PROJECT_BINARY_DIR}/test_headers.cc)
    target_link_libraries(lf_test_headers PRIVATE GTest::gtest_main fmt::fmt)
    target_compile_features(lf_test_headers PRIVATE cxx_std_20)
    target_compile_definitions(lf_test_headers PRIVATE LF_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    target_precompile_headers(lf_test_headers PRIVATE <gtest/gtest.h> <fmt/format.h> <map> <optional>
      <string> <vector>)
  endif()
  target_link_libraries(${test} PRIVATE fmt::fmt)  # Read with the same definitions.
  target_precompile_headers(${test} REUSE_FROM lf_test_headers)
  # GCC 12 forgets that such headers are the system's and warns inside std::string.
  target_compile_options(${test} PRIVATE
    "$<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-restrict>")
endfunction()
