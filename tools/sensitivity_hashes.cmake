# SPDX-License-Identifier: Apache-2.0
# cmake -DROOT=source folder -P sensitivity_hashes.cmake: prints "models HASH configs HASH", of what decides the figures'
# values: the sources that model_version.cmake hashes, and the configs that figures are made of: their files, and whatever
# these name, and so on. A part that no figure's run has is none of them. Both by what they say.
cmake_minimum_required(VERSION 3.18)
include(${CMAKE_CURRENT_LIST_DIR}/model_version.cmake)
get_filename_component(ROOT ${ROOT} ABSOLUTE)
model_sources(${ROOT} sources)
hash_of(${ROOT} models ${sources})

# files_named(FILE out): the files below configs/ that strings of this one name, relative to its folder.
function(files_named file out)
  get_filename_component(folder ${ROOT}/${file} DIRECTORY)
  file(READ ${ROOT}/${file} text)
  string(REGEX MATCHALL "\"[A-Za-z0-9_./-]+\"" words "${text}")
  list(REMOVE_DUPLICATES words)
  set(found)
  foreach(word ${words})
    string(REPLACE "\"" "" word ${word})
    get_filename_component(place "${folder}/${word}" ABSOLUTE)
    if(EXISTS ${place} AND NOT IS_DIRECTORY ${place})
      file(RELATIVE_PATH place ${ROOT} ${place})
      list(APPEND found ${place})
    endif()
  endforeach()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

file(GLOB ahead RELATIVE ${ROOT} ${ROOT}/configs/figures/*.json)
list(REMOVE_ITEM ahead configs/figures/missed.json)  # decides what is told of a value, not the value
set(configs)
while(ahead)
  list(POP_FRONT ahead file)
  if(NOT file IN_LIST configs)
    list(APPEND configs ${file})
    files_named(${file} named)
    list(APPEND ahead ${named})
  endif()
endwhile()
list(SORT configs)
hash_of(${ROOT} hash ${configs})
execute_process(COMMAND ${CMAKE_COMMAND} -E echo "models ${models} configs ${hash}")
