# Builds src/probe beside the program where a CUDA compiler is; -DLF_PROBE=OFF leaves it out.
find_program(LF_NVCC nvcc HINTS /usr/local/cuda/bin $ENV{CUDA_HOME}/bin)
if(LF_NVCC)
  set(LF_PROBE_DEFAULT ON)
else()
  set(LF_PROBE_DEFAULT OFF)
endif()
option(LF_PROBE "Build the probe (needs nvcc)" ${LF_PROBE_DEFAULT})
add_custom_target(probe_program
  COMMAND ${CMAKE_COMMAND} -S ${PROJECT_SOURCE_DIR}/src/probe -B ${PROJECT_BINARY_DIR}/probe
          -DCMAKE_BUILD_TYPE=Release -DCMAKE_CUDA_COMPILER=${LF_NVCC}
  COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR}/probe
  COMMENT "Building loadfactor-probe"
  USES_TERMINAL)
