# question_driver asks many mutated questions in one process: see tests/fuzz/verbs/driver. Built when asked for.
file(GLOB asking CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/fuzz/verbs/driver/*.cc)
add_executable(question_driver EXCLUDE_FROM_ALL ${asking})
target_link_libraries(question_driver PRIVATE lf_all fmt::fmt nlohmann_json::nlohmann_json)
