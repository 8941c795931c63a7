# SPDX-License-Identifier: Apache-2.0
# What man and shells know of the program, which is asked when it is installed, and the Debian package
# (`cpack -G DEB` in the build folder): the program with its configs, without what embeds it.
if(NOT CMAKE_CROSSCOMPILING)
  install(CODE "
    set(tsunagi_asked \"$<TARGET_FILE:tsunagi>\")
    set(tsunagi_made \"${CMAKE_CURRENT_BINARY_DIR}/shell\")
    set(tsunagi_data \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}\")
    set(tsunagi_man \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}\")
    include(\"${PROJECT_SOURCE_DIR}/tools/package/install_shell.cmake\")" COMPONENT program)
endif()

set(copyright ${CMAKE_CURRENT_BINARY_DIR}/copyright)
file(WRITE ${copyright} "tsunagi is Copyright the tsunagi authors and licensed under the Apache License, Version 2.0.\n"
  "On Debian systems its text stands in /usr/share/common-licenses/Apache-2.0.\n")
if(TSUNAGI_PAGES AND TSUNAGI_ESBUILD AND TSUNAGI_D3)
  file(APPEND ${copyright} "\nThe code of its pages contains parts of d3, Copyright 2010-2019 Mike Bostock, under this licence:\n\n")
  file(STRINGS web/main.js d3_licence REGEX "^ \\* ")
  list(JOIN d3_licence "\n" d3_licence)
  file(APPEND ${copyright} "${d3_licence}\n")
endif()
install(FILES ${copyright} DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)

set(CPACK_PACKAGE_CONTACT "the tsunagi authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "discrete-event, cycle-level interconnect simulator")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "PCIe links, network chips, switches and hosts, packet by packet:
machines and runs are JSON files, results latencies and bandwidths,
beside figures that papers have published.")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS gnuplot-nox)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL program)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME tsunagi)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
  WORLD_EXECUTE)
include(CPack)
