# SPDX-License-Identifier: Apache-2.0
# cmake -DROOT=source folder -DOUT=header -P model_version.cmake: writes TSUNAGI_MODELS, a hash of the sources that
# decide what a run measures. MODEL_SOURCES are their places below ROOT, for whoever includes this file, too.
set(MODEL_FOLDERS src/units src/config src/flow src/stats src/comm src/topo src/report src/sim src/net src/machine
    src/runner models scenarios)
set(MODEL_FILES src/app/simulate.cpp)  # builds machines and runs ranks

function(model_sources root out)
  set(found)
  foreach(folder ${MODEL_FOLDERS})
    file(GLOB_RECURSE files RELATIVE ${root} ${ARGN} ${root}/${folder}/*.cpp ${root}/${folder}/*.hpp)
    list(APPEND found ${files})
  endforeach()
  foreach(file ${MODEL_FILES})
    if(EXISTS ${root}/${file})
      list(APPEND found ${file})
    endif()
  endforeach()
  list(SORT found)  # by bytes, the same everywhere
  set(${out} ${found} PARENT_SCOPE)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
  model_sources(${ROOT} sources)
  set(all)
  foreach(source ${sources})
    file(SHA256 ${ROOT}/${source} hash)
    string(APPEND all "${source} ${hash}\n")
  endforeach()
  string(SHA256 hash "${all}")
  string(SUBSTRING ${hash} 0 16 hash)
  file(WRITE ${OUT} "#define TSUNAGI_MODELS \"${hash}\"\n")
endif()
