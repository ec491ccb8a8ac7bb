# Who may use whom, in one place: `lf_uses(a b c)` says that src/a includes b and c and nothing else.
# A row with a slash is a subfolder that stands as a module of its own. tools/check_layers.py reads
# the same rows: it refuses an include that has none and an edge that no include needs.
function(lf_uses name)
  set_property(GLOBAL PROPERTY LF_USES_${name} ${ARGN})
  set_property(GLOBAL APPEND PROPERTY LF_ROWS ${name})
endfunction()
# What the tests of a module need beyond it.
function(lf_tests_use name)
  set_property(GLOBAL PROPERTY LF_TESTS_USE_${name} ${ARGN})
endfunction()

lf_uses(base)
lf_uses(base/text base)
lf_uses(config base)
lf_uses(config/scenario base config)
lf_uses(config/reading base config config/scenario)
lf_uses(catalog/spec)
lf_uses(catalog/load base catalog/spec config)
lf_uses(catalog/index base catalog/load catalog/spec config)
lf_uses(catalog/validators base catalog/index catalog/load catalog/spec config)
lf_uses(catalog base catalog/index catalog/load catalog/spec catalog/validators config)
lf_uses(catalog/import base catalog/index catalog/load catalog/spec config)
lf_uses(catalog/import/prices base catalog catalog/import catalog/index catalog/load catalog/spec
        config)
lf_uses(workload base catalog/spec)
lf_uses(cost base catalog/spec)
lf_uses(collective base catalog/spec)
lf_uses(training/job base catalog/load catalog/spec config)
lf_uses(training/memory base catalog/spec training/job workload)
lf_uses(training/step base catalog/spec collective training/job training/memory workload)
lf_uses(training base catalog/load catalog/spec)
lf_uses(sim base)
lf_uses(demand base config)
lf_uses(demand/read base config demand)
lf_uses(demand/describe base demand demand/read)
lf_uses(serving base catalog catalog/load catalog/spec collective config cost demand sim workload)
lf_uses(serving/simulator base demand serving sim)
lf_uses(facility)
lf_uses(decide)
lf_uses(fleet base decide)
lf_uses(economics base catalog/spec decide)
lf_uses(search/weeks demand sim)
lf_uses(search base catalog/spec config/scenario demand search/weeks serving serving/simulator
        training/job training/memory training/step workload)
lf_uses(calibrate base training/job training/step)
lf_uses(calibrate/kernels base calibrate catalog/spec collective config cost)
lf_uses(calibrate/measurement base config)
lf_uses(calibrate/profile base catalog/load demand/read)
lf_uses(calibrate/site base calibrate calibrate/kernels calibrate/measurement catalog/load
        catalog/spec collective config cost serving training/step)
lf_uses(validation)
lf_uses(validation/training base calibrate catalog catalog/spec config training training/job training/memory
        training/step validation workload)
lf_uses(validation/inference base calibrate catalog catalog/spec config serving serving/simulator sim
        validation validation/training workload)
lf_uses(audit base catalog catalog/load catalog/spec config)
lf_uses(resolve/model base catalog catalog/spec config/scenario)
lf_uses(resolve/demand base catalog config config/scenario demand demand/describe demand/read)
lf_uses(resolve/serve base calibrate/site catalog catalog/import config config/scenario demand
        resolve/demand resolve/model search serving serving/simulator sim workload)
lf_uses(resolve/train base calibrate/site catalog catalog/import catalog/load catalog/spec
        collective config config/scenario facility resolve/model search training/job training/memory
        training/step workload)
lf_uses(resolve/terms base catalog catalog/index catalog/load config/scenario economics resolve/model)
lf_uses(engine base catalog engine/cost resolve/demand resolve/serve)
lf_uses(engine/cost base economics facility resolve/model resolve/terms workload)
lf_uses(engine/train base catalog catalog/load catalog/spec config/scenario economics engine engine/cost
        resolve/model resolve/terms resolve/train search training training/memory training/step
        workload)
lf_uses(engine/fill base demand demand/describe economics engine/cost resolve/demand resolve/serve
        resolve/terms search serving)
lf_uses(engine/serve base catalog engine engine/fill
        resolve/model resolve/serve serving serving/simulator sim workload)
lf_uses(engine/method base catalog collective config/scenario engine engine/serve engine/train resolve/serve
        resolve/train serving serving/simulator sim)
lf_uses(engine/plan base catalog catalog/load config config/scenario economics engine engine/cost
        engine/fill engine/method resolve/model resolve/serve search)
lf_uses(engine/regions catalog engine engine/plan engine/years resolve/serve resolve/terms)
lf_uses(engine/years base catalog economics engine/cost engine/plan resolve/terms)
lf_uses(engine/explain base catalog catalog/load catalog/spec config cost economics engine/cost
        engine/method engine/plan launch/emit resolve/serve resolve/terms resolve/train serving
        training/step workload)
lf_uses(engine/fleet base config/scenario economics engine engine/fill fleet resolve/demand resolve/serve
        resolve/terms)
lf_uses(engine/audit audit config config/scenario engine)
lf_uses(engine/calibrate calibrate/measurement calibrate/profile calibrate/site catalog catalog/spec resolve/serve
        resolve/train training/job training/step workload)
lf_uses(launch/vocabulary catalog/load config)
lf_uses(launch/plan base config config/scenario training/job)
lf_uses(launch/emit base config launch/plan launch/vocabulary)
lf_uses(launch/shell)
lf_uses(launch/findings base config launch/shell launch/vocabulary)
lf_uses(launch/machines base launch/findings launch/shell launch/vocabulary)
lf_uses(launch/read base config launch/findings launch/machines launch/shell launch/vocabulary)
lf_uses(launch/submit base launch/emit launch/vocabulary)
lf_uses(engine/launch base config config/scenario engine engine/plan launch/emit launch/plan launch/read
        launch/vocabulary serving/simulator
        resolve/serve resolve/train)
lf_uses(observe/window)
lf_uses(observe/peers)
lf_uses(observe base launch/vocabulary observe/peers observe/window)
lf_uses(observe/read base calibrate/measurement demand launch/vocabulary observe)
lf_uses(engine/observe base base/text engine engine/fill observe observe/peers observe/read resolve/terms
        training)
lf_uses(report/describe base base/text)
lf_uses(report base base/text catalog catalog/load demand demand/describe report/describe resolve/demand
        workload)
lf_uses(report/audit audit base base/text engine/audit report/describe)
lf_uses(report/explain base base/text catalog/spec engine/explain report/describe report/train)
lf_uses(report/train base base/text report/describe)
lf_uses(report/serve base base/text engine/fill report report/describe resolve/serve)
lf_uses(report/cost base base/text report/describe)
lf_uses(report/launch engine/launch report/describe)
lf_uses(report/observe base base/text engine/observe report report/describe)
lf_uses(report/page base base/text catalog/load catalog/spec report/describe)
lf_uses(report/fleet base base/text catalog/load engine/fleet report/describe report/page)
lf_uses(report/cost/page base report/cost report/page)
lf_uses(report/plan base base/text engine/explain engine/plan report/cost
        report/describe report/page report/serve report/train)
lf_uses(report/plan/page base economics engine/explain engine/plan report/describe
        report/page report/plan report/serve report/train)
lf_uses(report/plan/workbook base engine/plan report/describe report/page report/plan
        report/plan/page)
lf_uses(report/schemas report report/audit report/calibrate report/cost report/describe
        report/explain report/fleet report/launch report/observe report/plan report/serve
        report/train)
lf_uses(report/calibrate base base/text calibrate/profile calibrate/site engine/calibrate
        report/describe serving validation/inference validation/training)
lf_uses(facade base catalog catalog/import catalog/import/prices config config/reading demand engine
        engine/audit engine/explain engine/fill engine/fleet engine/launch engine/method
        engine/observe engine/plan engine/regions engine/train engine/years launch/emit report report/audit
        report/cost
        report/cost/page report/describe report/explain report/fleet report/launch report/observe
        report/page report/plan report/plan/page report/plan/workbook report/serve report/train
        resolve/demand resolve/serve serving validation/training workload)
lf_uses(facade/calibrate base calibrate/kernels calibrate/measurement calibrate/profile
        calibrate/site catalog catalog/load config demand/read engine/calibrate facade
        report/calibrate report/train resolve/serve resolve/train serving validation/inference validation/training)
lf_uses(facade/validate base config facade report/calibrate resolve/train validation/inference
        validation/training)
lf_uses(facade/forms base catalog/import catalog/load config config/reading demand engine/explain engine/launch facade
        report/describe report/observe)
lf_uses(facade/tools audit base calibrate/measurement calibrate/site catalog/load config
        config/reading demand demand/read engine engine/calibrate facade report/calibrate report/schemas
        training/job)
# The planner for other languages.
lf_uses(capi base)
lf_uses(sweep base config config/scenario)
lf_uses(sweep/store base base/text sweep)
lf_uses(sweep/run base base/text config config/scenario facade/forms report/describe report/schemas sweep sweep/store)
lf_uses(sweep/look base base/text config sweep sweep/store)
lf_uses(report/sweep base base/text report/describe report/page sweep/look)
lf_uses(cli/session base config/reading engine)
lf_uses(cli/outside base)
lf_uses(web/wire base facade report/describe)
lf_uses(web/jobs base cli/session facade/forms report/describe web/wire)
lf_uses(web base catalog catalog/load config engine facade facade/forms facade/tools report/describe
        report/schemas web/jobs web/wire)
lf_uses(web/http base web/wire)
lf_uses(cli base catalog/load cli/outside cli/session cli/workbook config facade/forms facade/tools
        launch/submit report/sweep sweep sweep/look sweep/run sweep/store web web/http)
lf_uses(cli/workbook base cli/session)
lf_uses(mpi base)
lf_uses(probe)

lf_tests_use(config config/reading)
lf_tests_use(catalog/load catalog)
lf_tests_use(catalog/validators catalog)
lf_tests_use(catalog/import catalog/import/prices)
lf_tests_use(workload catalog catalog/import catalog/load)
lf_tests_use(training/job training/step)
lf_tests_use(training/memory catalog catalog/load config training/step)
lf_tests_use(training/step catalog catalog/load)
lf_tests_use(training catalog)
lf_tests_use(demand demand/describe demand/read)
lf_tests_use(demand/describe config)
lf_tests_use(serving demand/describe serving/simulator)
lf_tests_use(economics config facility)
lf_tests_use(decide config)
lf_tests_use(fleet config)
lf_tests_use(search/weeks search)
lf_tests_use(search catalog)
lf_tests_use(calibrate/kernels catalog/load)
lf_tests_use(resolve/model catalog catalog/load workload)
lf_tests_use(resolve/demand catalog catalog/load config/reading)
lf_tests_use(resolve/serve catalog catalog/load config/reading)
lf_tests_use(resolve/train catalog catalog/load config/reading)
lf_tests_use(resolve/terms base catalog catalog/load config/reading)
lf_tests_use(engine/explain config/reading engine)
lf_tests_use(engine config config/reading engine/plan)
lf_tests_use(engine/observe config/reading)
lf_tests_use(engine/serve config/reading engine engine/fill)
lf_tests_use(engine/cost catalog config/reading engine)
lf_tests_use(engine/train config/reading engine engine/explain)
lf_tests_use(engine/fill config/reading engine)
lf_tests_use(engine/method config/reading)
lf_tests_use(engine/plan config/reading engine)
lf_tests_use(engine/regions base config/reading engine/fill resolve/demand)
lf_tests_use(engine/years config/reading engine)
lf_tests_use(engine/launch config/reading engine/method)
lf_tests_use(engine/audit base catalog catalog/load config/reading engine)
lf_tests_use(cli calibrate/measurement calibrate/site config/reading engine report/train resolve/train)
lf_tests_use(sweep/run config/reading facade)
lf_tests_use(facade/forms base/text cli)

# lf_module(cost LIBS fmt::fmt): the library loadfactor::cost from src/cost, with its unit tests. A
# module that is a folder inside another's (engine/train) is lf_engine_train, loadfactor::engine_train.
function(lf_module name)
  cmake_parse_arguments(arg "" "" "LIBS;PRIVATE_LIBS" ${ARGN})
  get_property(rows GLOBAL PROPERTY LF_ROWS)
  get_property(uses GLOBAL PROPERTY LF_USES_${name})
  get_property(tests_use GLOBAL PROPERTY LF_TESTS_USE_${name})
  if(NOT name IN_LIST rows)
    message(FATAL_ERROR "module '${name}' has no row in cmake/modules.cmake")
  endif()
  string(REPLACE "/" "_" target ${name})
  list(TRANSFORM uses REPLACE "/" "_")
  list(TRANSFORM uses PREPEND loadfactor::)
  list(TRANSFORM tests_use REPLACE "/" "_")
  list(TRANSFORM tests_use PREPEND loadfactor::)

  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cc)
  foreach(row IN LISTS rows)
    if(row MATCHES "^${name}/")
      list(FILTER sources EXCLUDE REGEX "/src/${row}/")
    endif()
  endforeach()
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_(test|bench|fuzzer)\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")

  if(sources AND target IN_LIST LF_TOGETHER)
    add_library(lf_${target} INTERFACE)
    set(scope INTERFACE)
    set_property(GLOBAL APPEND PROPERTY LF_TOGETHER_SOURCES ${sources})
    set_property(GLOBAL APPEND PROPERTY LF_TOGETHER_LIBS ${uses} ${arg_LIBS} ${arg_PRIVATE_LIBS})
    target_link_libraries(lf_${target} INTERFACE lf_together)
  elseif(sources)
    lf_units(units lf_${target} ${sources})
    add_library(lf_${target} STATIC ${units})
    set(scope PUBLIC)
    target_link_libraries(lf_${target} PRIVATE ${arg_PRIVATE_LIBS})
  else()
    add_library(lf_${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(loadfactor::${target} ALIAS lf_${target})
  target_include_directories(lf_${target} ${scope}
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:include>)
  target_compile_features(lf_${target} ${scope} cxx_std_20)
  target_link_libraries(lf_${target} ${scope} ${uses} ${arg_LIBS})
  set_property(GLOBAL APPEND PROPERTY LF_MODULES lf_${target})

  if(tests AND BUILD_TESTING)
    lf_units(units ${target}_test ${tests})
    add_executable(${target}_test ${units})
    target_compile_options(${target}_test PRIVATE "$<$<CONFIG:Debug>:-Og>")
    target_link_libraries(${target}_test PRIVATE loadfactor::${target} ${tests_use} GTest::gtest_main
      ${arg_PRIVATE_LIBS})
    target_include_directories(${target}_test PRIVATE ${PROJECT_SOURCE_DIR})  # For tests/….
    target_compile_definitions(${target}_test PRIVATE LF_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    lf_read_once(${target}_test)
    add_test(NAME unit/${name} COMMAND ${target}_test --gtest_brief=1)
    set_tests_properties(unit/${name} PROPERTIES LABELS unit)
  endif()
endfunction()
