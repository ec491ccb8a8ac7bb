# The installed copy: one binary with its data inside, the public headers, the static libraries
# and a CMake package that finds them.
include(CMakePackageConfigHelpers)

get_property(modules GLOBAL PROPERTY LF_MODULES)
list(REMOVE_ITEM modules lf_cli lf_probe)
add_library(lf_all INTERFACE)
set_target_properties(lf_all PROPERTIES EXPORT_NAME loadfactor)
target_link_libraries(lf_all INTERFACE loadfactor::facade_forms loadfactor::capi)
install(TARGETS lf_all ${modules} EXPORT loadfactor ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT loadfactor NAMESPACE loadfactor:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/loadfactor
        FILE loadfactorTargets.cmake)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/loadfactorConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/loadfactorConfig.cmake
              ${PROJECT_BINARY_DIR}/loadfactorConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/loadfactor)
# For builds without CMake: every archive, in one group since they use each other.
set(archives "")
foreach(module IN LISTS modules)
  get_target_property(type ${module} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    string(APPEND archives " -l${module}")
  endif()
endforeach()
configure_file(${PROJECT_SOURCE_DIR}/cmake/loadfactor.pc.in ${PROJECT_BINARY_DIR}/loadfactor.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/loadfactor.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/loadfactor
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(TARGETS loadfactor RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# The manual and the completions are written by the program itself.
install(CODE "
  set(share \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share\")
  function(write_by_program path)
    get_filename_component(folder \"\${share}/\${path}\" DIRECTORY)
    file(MAKE_DIRECTORY \"\${folder}\")
    execute_process(COMMAND ${CMAKE_CROSSCOMPILING_EMULATOR} \"$<TARGET_FILE:loadfactor>\" \${ARGN}
                    OUTPUT_FILE \"\${share}/\${path}\" COMMAND_ERROR_IS_FATAL ANY)
  endfunction()
  write_by_program(man/man1/loadfactor.1 man)
  write_by_program(bash-completion/completions/loadfactor completion bash)
  write_by_program(zsh/site-functions/_loadfactor completion zsh)
  write_by_program(fish/vendor_completions.d/loadfactor.fish completion fish)")
include(${PROJECT_SOURCE_DIR}/cmake/package.cmake)
