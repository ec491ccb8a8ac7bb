# The allowed direction of dependencies, in one place. A module may use only what its row names.
# tools/check_layers.py reads the same table and refuses a forbidden #include.
set(LF_MAY_USE_base       "")
set(LF_MAY_USE_config     base)
set(LF_MAY_USE_probe      "")
set(LF_MAY_USE_sim        base)
set(LF_MAY_USE_demand     base config)
set(LF_MAY_USE_catalog    base config)
set(LF_MAY_USE_workload   base catalog)
set(LF_MAY_USE_cost       base catalog workload)
set(LF_MAY_USE_collective base catalog)
set(LF_MAY_USE_training   base config catalog workload cost collective sim)
set(LF_MAY_USE_serving    base config catalog workload cost collective sim demand)
set(LF_MAY_USE_facility   base config catalog)
set(LF_MAY_USE_economics  base config catalog facility)
set(LF_MAY_USE_search     base config catalog workload cost collective training serving demand facility economics)
set(LF_MAY_USE_calibrate  base config catalog workload cost collective training serving)
set(LF_MAY_USE_validation base config catalog workload cost collective training serving calibrate search)
set(LF_MAY_USE_audit      base config catalog workload training serving facility economics)
set(LF_MAY_USE_engine     base config catalog workload cost collective training sim demand serving facility economics search calibrate audit)
set(LF_MAY_USE_report     base config catalog workload training sim demand serving facility economics search calibrate validation audit engine)
set(LF_MAY_USE_cli        base config catalog workload training sim demand serving facility economics search calibrate validation audit engine report)

# lf_module(cost DEPS base catalog LIBS fmt::fmt): the library loadfactor::cost from src/cost,
# with its unit tests. DEPS must be a subset of the module's row above.
function(lf_module name)
  cmake_parse_arguments(arg "" "" "DEPS;LIBS;PRIVATE_LIBS" ${ARGN})
  foreach(dep IN LISTS arg_DEPS)
    if(NOT dep IN_LIST LF_MAY_USE_${name})
      message(FATAL_ERROR "module '${name}' may not use '${dep}' (see cmake/modules.cmake)")
    endif()
  endforeach()

  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cc)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_(test|bench|fuzzer)\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")

  list(TRANSFORM arg_DEPS PREPEND loadfactor:: OUTPUT_VARIABLE links)
  if(sources)
    add_library(lf_${name} STATIC ${sources})
    set(scope PUBLIC)
    target_link_libraries(lf_${name} PRIVATE ${arg_PRIVATE_LIBS})
    lf_compile_together(lf_${name})
  else()
    add_library(lf_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(loadfactor::${name} ALIAS lf_${name})
  target_include_directories(lf_${name} ${scope}
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:include>)
  target_compile_features(lf_${name} ${scope} cxx_std_20)
  target_link_libraries(lf_${name} ${scope} ${links} ${arg_LIBS})
  set_property(GLOBAL APPEND PROPERTY LF_MODULES lf_${name})

  if(tests AND BUILD_TESTING)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE loadfactor::${name} GTest::gtest_main ${arg_PRIVATE_LIBS})
    target_include_directories(${name}_test PRIVATE ${PROJECT_SOURCE_DIR})  # For tests/….
    target_compile_definitions(${name}_test PRIVATE LF_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    lf_read_once(${name}_test)
    add_test(NAME unit/${name} COMMAND ${name}_test --gtest_brief=1)
    set_tests_properties(unit/${name} PROPERTIES LABELS unit)
  endif()
endfunction()
