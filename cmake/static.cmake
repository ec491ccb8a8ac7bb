# `make static`: the same objects as one binary that needs no shared library, for other distributions.
# Debian has static builds of yaml-cpp, zlib, SQLite, OpenSSL and Brotli; fmt is compiled from its
# headers, cpp-httplib from Debian's source package, and libxlsxwriter is left out.
option(LF_STATIC "Also build loadfactor-static" OFF)
set(LF_HTTPLIB_SOURCE "" CACHE PATH "Debian's source of cpp-httplib (scripts/debian-source)")
if(NOT LF_STATIC)
  return()
endif()
if(NOT EXISTS ${LF_HTTPLIB_SOURCE}/split.py)
  message(FATAL_ERROR "LF_STATIC needs LF_HTTPLIB_SOURCE: scripts/debian-source cpp-httplib FOLDER")
endif()

# Declarations and code of the library, parted as Debian's build does.
set(httplib ${PROJECT_BINARY_DIR}/httplib/httplib.cc)
add_custom_command(OUTPUT ${httplib}
  COMMAND python3 ${LF_HTTPLIB_SOURCE}/split.py -o ${PROJECT_BINARY_DIR}/httplib
  WORKING_DIRECTORY ${LF_HTTPLIB_SOURCE} DEPENDS ${LF_HTTPLIB_SOURCE}/httplib.h VERBATIM)
add_library(lf_static_libraries STATIC EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/cmake/static/fmt.cc ${httplib})
target_compile_definitions(lf_static_libraries PRIVATE CPPHTTPLIB_OPENSSL_SUPPORT CPPHTTPLIB_ZLIB_SUPPORT
  CPPHTTPLIB_BROTLI_SUPPORT)
target_compile_options(lf_static_libraries PRIVATE "$<$<CONFIG:Release>:-O1>")

add_library(lf_plain_workbook STATIC EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/src/cli/workbook/write_workbook.cc)
target_link_libraries(lf_plain_workbook PRIVATE loadfactor::cli_session nlohmann_json::nlohmann_json)

get_property(modules GLOBAL PROPERTY LF_MODULES)
list(REMOVE_ITEM modules lf_cli_workbook lf_probe)
list(APPEND modules lf_plain_workbook lf_static_libraries)
set(archives "")
foreach(module IN LISTS modules)
  get_target_property(type ${module} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    list(APPEND archives $<TARGET_FILE:${module}>)
  endif()
endforeach()

set(LF_STATIC_PROGRAM ${PROJECT_BINARY_DIR}/loadfactor-static)
add_custom_command(OUTPUT ${LF_STATIC_PROGRAM}
  COMMAND ${CMAKE_CXX_COMPILER} -static -o ${LF_STATIC_PROGRAM} $<TARGET_OBJECTS:loadfactor>
          -Wl,--start-group ${archives} -Wl,--end-group
          -lyaml-cpp -lsqlite3 -lz -lssl -lcrypto -lbrotlidec -lbrotlienc -lbrotlicommon
          -Wl,-z,relro,-z,now
  DEPENDS loadfactor ${modules} COMMAND_EXPAND_LISTS VERBATIM
  COMMENT "Linking loadfactor-static")
add_custom_target(lf_static DEPENDS ${LF_STATIC_PROGRAM})
