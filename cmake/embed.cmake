# lf_embed(target data_dir namespace [files]): compiles every file of a data folder, or those that are
# named, into the target, so that the installed binary needs no files beside it;
# loadfactor::namespace::embedded_files().
function(lf_embed target dir namespace)
  set(files ${ARGN})
  if(NOT files)
    file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${dir} ${dir}/*)
  endif()
  list(SORT files)
  set(inputs ${files})
  list(TRANSFORM inputs PREPEND ${dir}/)
  set(output ${PROJECT_BINARY_DIR}/embedded/${target}_data.cc)
  set(listing ${PROJECT_BINARY_DIR}/embedded/${target}_files.txt)
  string(REPLACE ";" "\n" lines "${files}")
  file(CONFIGURE OUTPUT ${listing} CONTENT "${lines}\n")
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DDIR=${dir} -DLISTING=${listing} -DOUTPUT=${output}
            -DPREFIX=${target} -DNAMESPACE=${namespace}
            -P ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake
    DEPENDS ${inputs} ${listing} ${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake
    COMMENT "Embedding ${dir}")
  target_sources(${target} PRIVATE ${output})
endfunction()
