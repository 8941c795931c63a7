# SPDX-License-Identifier: Apache-2.0
# Makes page_bundle.hpp, the code and the style of pages, of web/.
#
# Included by CMakeLists.txt: looks for esbuild and d3, as Debian packages them or as `npm ci` in web/ brings them, and
# adds what bundles when a file of web/ has changed. Without them the header is empty: the program builds all the same,
# and its pages say what they lack.
# As a script (cmake -DSCRIPT=… -DSTYLE=… -DOUT=… -P tools/web.cmake): writes the header of a bundle.
if(CMAKE_SCRIPT_MODE_FILE)
  set(text "// Made by tools/web.cmake.\n#pragma once\n\nnamespace tsunagi::page::bundled {\n\n")
  foreach(part SCRIPT STYLE)
    string(TOLOWER ${part} name)
    if(${part})
      file(READ "${${part}}" content)
      file(SHA256 "${${part}}" hash)
      if(content MATCHES "</[Ss][CcTt]" OR content MATCHES "\\)tsunagi\"")
        message(FATAL_ERROR "${${part}} would end the element that it stands in")
      endif()
    else()
      set(content "")
      set(hash "")
    endif()
    string(APPEND text "inline constexpr char ${name}[] = R\"tsunagi(${content})tsunagi\";\n"
      "inline constexpr char ${name}_sha256[] = \"${hash}\";\n\n")
  endforeach()
  file(WRITE "${OUT}" "${text}}  // namespace tsunagi::page::bundled\n")
  return()
endif()

set(web ${PROJECT_SOURCE_DIR}/web)
set(bundle ${CMAKE_CURRENT_BINARY_DIR}/generated/page_bundle.hpp)
option(TSUNAGI_PAGES "Build the code of pages into the program, if esbuild and d3 are there" ON)
set(modules ${web}/node_modules /usr/share/nodejs)
unset(TSUNAGI_ESBUILD CACHE)
unset(TSUNAGI_D3 CACHE)
find_program(TSUNAGI_ESBUILD esbuild HINTS ${web}/node_modules/.bin)
find_path(TSUNAGI_D3 d3-scale/package.json PATHS ${modules} NO_DEFAULT_PATH)
foreach(module axis selection shape)
  if(TSUNAGI_D3 AND NOT EXISTS ${TSUNAGI_D3}/d3-${module}/package.json)
    set(TSUNAGI_D3 TSUNAGI_D3-NOTFOUND)
  endif()
endforeach()
set(make_header ${CMAKE_COMMAND} -DOUT=${bundle})
if(TSUNAGI_PAGES AND TSUNAGI_ESBUILD AND TSUNAGI_D3)
  file(GLOB web_sources CONFIGURE_DEPENDS ${web}/*.js ${web}/*.css)
  set(bundled ${CMAKE_CURRENT_BINARY_DIR}/web)
  add_custom_command(OUTPUT ${bundle} DEPENDS ${web_sources} ${PROJECT_SOURCE_DIR}/tools/web.cmake
    COMMAND ${CMAKE_COMMAND} -E env NODE_PATH=${TSUNAGI_D3} ${TSUNAGI_ESBUILD} ${web}/main.js ${web}/style.css --bundle --minify
      --format=iife --target=es2020 --legal-comments=inline --outdir=${bundled} --log-level=warning
    COMMAND ${make_header} -DSCRIPT=${bundled}/main.js -DSTYLE=${bundled}/style.css
      -P ${PROJECT_SOURCE_DIR}/tools/web.cmake
    COMMENT "Bundling the code of pages" VERBATIM)
else()
  message(STATUS "esbuild or d3 is missing, or TSUNAGI_PAGES is off: the program will write no pages")
  add_custom_command(OUTPUT ${bundle} DEPENDS ${PROJECT_SOURCE_DIR}/tools/web.cmake
    COMMAND ${make_header} -P ${PROJECT_SOURCE_DIR}/tools/web.cmake COMMENT "No code of pages" VERBATIM)
endif()
add_custom_target(tsunagi_page_bundle DEPENDS ${bundle})
add_dependencies(tsunagi_page tsunagi_page_bundle)
set_source_files_properties(src/page/bundle.cpp PROPERTIES
  INCLUDE_DIRECTORIES ${CMAKE_CURRENT_BINARY_DIR}/generated SKIP_UNITY_BUILD_INCLUSION ON)
