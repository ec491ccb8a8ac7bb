# The Python module, where pybind11 and the headers of Python are; `make python` makes a wheel of it.
# Debian's interpreter comes first: its packages are what scripts/setup installs.
if(NOT LF_PYTHON)
  find_program(LF_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
  find_program(LF_PYTHON NAMES python3)
endif()
set(Python_EXECUTABLE ${LF_PYTHON})
set(Python3_EXECUTABLE ${LF_PYTHON})
set(PYBIND11_FINDPYTHON ON)
find_package(Python COMPONENTS Interpreter Development.Module QUIET)
if(Python_Development.Module_FOUND)
  find_package(pybind11 CONFIG QUIET)
endif()
# The C interface as one file, for languages that load it.
add_library(lf_shared SHARED EXCLUDE_FROM_ALL src/capi/loadfactor.cc)
target_link_libraries(lf_shared PRIVATE loadfactor::capi)
set_target_properties(lf_shared PROPERTIES OUTPUT_NAME loadfactor CXX_VISIBILITY_PRESET hidden)
target_link_options(lf_shared PRIVATE -Wl,--exclude-libs,ALL)
if(pybind11_FOUND)
  # Tests import it; a build without them, or for a sanitizer, makes it on demand.
  if(NOT BUILD_TESTING OR CMAKE_CXX_FLAGS MATCHES "-fsanitize|--coverage")
    set(on_demand EXCLUDE_FROM_ALL)
  endif()
  pybind11_add_module(lf_python MODULE ${on_demand} NO_EXTRAS
    python/src/asking.cc python/src/described.cc python/src/module.cc)
  target_link_libraries(lf_python PRIVATE loadfactor::cli nlohmann_json::nlohmann_json)
  # Beside the sources of the package, so that a test imports them together.
  set_target_properties(lf_python PROPERTIES OUTPUT_NAME _core
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python/loadfactor)
  file(GLOB python_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/loadfactor/*.py
       ${PROJECT_SOURCE_DIR}/python/loadfactor/*.pyi ${PROJECT_SOURCE_DIR}/python/loadfactor/py.typed)
  add_custom_command(TARGET lf_python POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E copy_if_different ${python_files}
            ${PROJECT_BINARY_DIR}/python/loadfactor)
  # They are copied when the module is linked, so that a change in one links it again.
  set_property(TARGET lf_python APPEND PROPERTY LINK_DEPENDS ${python_files})
  target_link_options(lf_python PRIVATE -Wl,--exclude-libs,ALL)
endif()
