# SPDX-License-Identifier: Apache-2.0
# Run when the program is installed: asks `tsunagi_asked` for its man pages and completions, keeps them in `tsunagi_made`
# and installs them below `tsunagi_man` and `tsunagi_data`. No variable is called as a component is: CMake's own code
# takes the component's name for it.
function(ask file)
  execute_process(COMMAND "${tsunagi_asked}" ${ARGN} OUTPUT_FILE "${tsunagi_made}/${file}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE "${tsunagi_made}")
file(MAKE_DIRECTORY "${tsunagi_made}")
execute_process(COMMAND "${tsunagi_asked}" __complete "" OUTPUT_VARIABLE words COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[a-z]+\t" commands "${words}")
ask(tsunagi.1 help --man)
set(pages "${tsunagi_made}/tsunagi.1")
foreach(word ${commands})
  string(STRIP "${word}" command)
  if(NOT command STREQUAL help)
    ask(tsunagi-${command}.1 help --man ${command})
    list(APPEND pages "${tsunagi_made}/tsunagi-${command}.1")
  endif()
endforeach()
find_program(GZIP_PROGRAM gzip)
if(GZIP_PROGRAM)
  execute_process(COMMAND "${GZIP_PROGRAM}" -9n ${pages} COMMAND_ERROR_IS_FATAL ANY)
  list(TRANSFORM pages APPEND .gz)
endif()
file(INSTALL ${pages} DESTINATION "${tsunagi_man}/man1")

ask(tsunagi completion bash)
ask(_tsunagi completion zsh)
ask(tsunagi.fish completion fish)
file(INSTALL "${tsunagi_made}/tsunagi" DESTINATION "${tsunagi_data}/bash-completion/completions")
file(INSTALL "${tsunagi_made}/tsunagi.fish" DESTINATION "${tsunagi_data}/fish/vendor_completions.d")
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")  # Debian's zsh reads another folder there
  file(INSTALL "${tsunagi_made}/_tsunagi" DESTINATION "${tsunagi_data}/zsh/vendor-completions")
else()
  file(INSTALL "${tsunagi_made}/_tsunagi" DESTINATION "${tsunagi_data}/zsh/site-functions")
endif()
