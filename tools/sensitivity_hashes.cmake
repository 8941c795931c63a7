# SPDX-License-Identifier: Apache-2.0
# cmake -DROOT=source folder -P sensitivity_hashes.cmake: prints "models HASH configs HASH", of what decides the figures'
# values: the sources that model_version.cmake hashes, and the configs that figures are made of. Both by what they say.
include(${CMAKE_CURRENT_LIST_DIR}/model_version.cmake)
get_filename_component(ROOT ${ROOT} ABSOLUTE)
model_sources(${ROOT} sources)
hash_of(${ROOT} models ${sources})
set(configs)
foreach(folder figures machines parts runs)
  file(GLOB files RELATIVE ${ROOT} ${ROOT}/configs/${folder}/*.json)
  list(APPEND configs ${files})
endforeach()
list(REMOVE_ITEM configs configs/figures/missed.json)  # decides what is told of a value, not the value
list(SORT configs)
hash_of(${ROOT} hash ${configs})
execute_process(COMMAND ${CMAKE_COMMAND} -E echo "models ${models} configs ${hash}")
