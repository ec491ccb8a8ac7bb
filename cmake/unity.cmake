# With LF_UNITY the sources of a module are compiled ten at a time: from scratch that takes less
# than half the time, after an edit more. `make demo` and `make test` use it.
option(LF_UNITY "Compile the sources of each module together" OFF)

# These name something in private as another file of their module does, and are compiled alone.
set(LF_ALONE
  config/number_text.cc config/reading/scenario_train.cc config/source_text.cc
  engine/explain/explain_owner.cc engine/plan/plan.cc engine/plan/plan_limits.cc
  engine/plan/plan_pool.cc engine/plan/plan_traffic.cc engine/train/scale_budget.cc
  engine/train/scale_curve.cc resolve/serve/simulate_setup.cc resolve/train/unkept_keys.cc)

function(lf_compile_together target)
  # Each file of a report or of the façade describes one answer by the same few private names.
  if(NOT LF_UNITY OR target MATCHES "^lf_(report|facade)")
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 10)
  foreach(file IN LISTS LF_ALONE)
    set_source_files_properties(${PROJECT_SOURCE_DIR}/src/${file} PROPERTIES
      SKIP_UNITY_BUILD_INCLUSION ON)
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
