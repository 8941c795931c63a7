# SPDX-License-Identifier: Apache-2.0
# cmake -DROOT=source folder -DOUT=header -P model_version.cmake: writes TSUNAGI_MODELS, a hash of the sources that
# decide what a run measures. MODEL_SOURCES are their places below ROOT, for whoever includes this file, too.
set(MODEL_FOLDERS src/units src/config src/flow src/stats src/comm src/topo src/report src/sim src/net src/machine
    src/runner src/cluster models scenarios)
set(MODEL_FILES src/experiment/simulate.cpp)  # builds machines and runs programs on them

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

# hash_of(ROOT out file...): 16 hexadecimal digits for these files below ROOT, their names included.
function(hash_of root out)
  set(all)
  foreach(file ${ARGN})
    file(SHA256 ${root}/${file} hash)
    string(APPEND all "${file} ${hash}\n")
  endforeach()
  string(SHA256 hash "${all}")
  string(SUBSTRING ${hash} 0 16 hash)
  set(${out} ${hash} PARENT_SCOPE)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  model_sources(${ROOT} sources)
  hash_of(${ROOT} hash ${sources})
  file(WRITE ${OUT} "#define TSUNAGI_MODELS \"${hash}\"\n")
endif()
