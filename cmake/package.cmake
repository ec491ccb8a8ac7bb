# `make package`: a .deb and a tarball of what `make install` puts in place.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/data/schema DESTINATION ${CMAKE_INSTALL_DATADIR}/loadfactor)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/data/scenarios DESTINATION ${CMAKE_INSTALL_DATADIR}/loadfactor)
# The engine of live pages, where `make wasm` has built it.
install(FILES ${PROJECT_SOURCE_DIR}/build/wasm/page-engine.html
        DESTINATION ${CMAKE_INSTALL_DATADIR}/loadfactor OPTIONAL)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE RENAME copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME loadfactor)
set(CPACK_PACKAGE_VENDOR loadfactor)
set(CPACK_PACKAGE_CONTACT "loadfactor maintainers <maintainers@loadfactor.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "plans GPU fleets for language models: how full, how much, what instead")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION_SUMMARY}
 Given a model, traffic or a training run, prices and limits, it says whether to
 rent, own or call an API, how many GPUs, laid out how, and how sure that is.
 Holds the program with its catalogue, the static libraries and their headers.")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)  # The shared libraries of the build, as dpkg knows them.
# What a program that links the static libraries needs to build.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS
    "libfmt-dev, libyaml-cpp-dev, nlohmann-json3-dev, zlib1g-dev, libsqlite3-dev, libcpp-httplib-dev")
set(CPACK_PACKAGE_FILE_NAME loadfactor-${PROJECT_VERSION}-${CMAKE_SYSTEM_PROCESSOR})
include(CPack)
