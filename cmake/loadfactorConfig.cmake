# find_package(loadfactor) gives the target loadfactor::loadfactor.
include(CMakeFindDependencyMacro)
find_dependency(fmt)
find_dependency(yaml-cpp)
find_dependency(nlohmann_json)
find_dependency(ZLIB)
find_dependency(SQLite3)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/loadfactorTargets.cmake)
