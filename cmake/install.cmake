# The installed copy: one binary with its data inside, the public headers, the static libraries
# and a CMake package that finds them.
include(CMakePackageConfigHelpers)

get_property(modules GLOBAL PROPERTY LF_MODULES)
list(REMOVE_ITEM modules lf_cli)
add_library(lf_all INTERFACE)
set_target_properties(lf_all PROPERTIES EXPORT_NAME loadfactor)
target_link_libraries(lf_all INTERFACE loadfactor::engine)
install(TARGETS lf_all ${modules} EXPORT loadfactor ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT loadfactor NAMESPACE loadfactor:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/loadfactor
        FILE loadfactorTargets.cmake)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/loadfactorConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/loadfactorConfig.cmake
              ${PROJECT_BINARY_DIR}/loadfactorConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/loadfactor)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/loadfactor ${PROJECT_BINARY_DIR}/include/loadfactor
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(TARGETS loadfactor RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
