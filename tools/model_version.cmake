# SPDX-License-Identifier: Apache-2.0
# cmake -DROOT=source folder -DOUT=header -P model_version.cmake: writes TSUNAGI_MODELS, a hash of what the sources say that
# decide what a run measures: of their tokens, so that comments and white space do not count.
include(${CMAKE_CURRENT_LIST_DIR}/tokens.cmake)
set(MODEL_FOLDERS src/units src/config src/flow src/stats src/fiber src/comm src/topo src/report src/sim src/net src/machine
    src/runner src/cluster models scenarios)
set(MODEL_FILES src/experiment/simulate.cpp)  # builds machines and runs programs on them
# Writers for people: no source that counts includes them (a test holds that), so they can change no row.
set(MODEL_WRITERS src/report/catalog src/report/whole_file src/report/formats/ceilings src/report/formats/column_text
    src/report/formats/csv src/report/formats/table src/report/formats/window_tables src/runner/title)

# model_sources(ROOT out [FOLLOW...]): their places below ROOT, in an order that is the same everywhere.
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
  foreach(writer ${MODEL_WRITERS})
    list(REMOVE_ITEM found ${writer}.cpp ${writer}.hpp)
  endforeach()
  list(SORT found)  # by bytes
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# hash_of(ROOT out file...): 16 hexadecimal digits for the tokens of these files below ROOT, and for their names. What a
# config tells of its sources, {"class": ..., "source": "a book"}, are words, and so is a figure's "reason".
function(hash_of root out)
  set(all)
  foreach(file ${ARGN})
    file(READ ${root}/${file} text)
    tokens("${text}" text)
    string(REGEX REPLACE "({\n\"class\"\n:\n[^{}]*\n\"source\"\n:\n)${token_string}" "\\1" text "${text}")
    string(REGEX REPLACE "(\n\"reason\"\n:\n)${token_string}" "\\1" text "${text}")
    string(SHA256 hash "${text}")
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
