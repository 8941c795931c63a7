# SPDX-License-Identifier: Apache-2.0
# What embeds a cluster in another SystemC model (docs/embedding.md): one archive of the rooms up to src/cluster, their
# headers, a CMake package and a pkg-config file.
include(CMakePackageConfigHelpers)
set(library_rooms units config flow stats fiber comm topo report sim net machine runner cluster wire_rules rules models scenarios)

add_library(tsunagi_library STATIC)
foreach(room ${library_rooms})
  get_target_property(type tsunagi_${room} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    target_sources(tsunagi_library PRIVATE $<TARGET_OBJECTS:tsunagi_${room}>)
  endif()
endforeach()
set_target_properties(tsunagi_library PROPERTIES OUTPUT_NAME tsunagi EXPORT_NAME tsunagi LINKER_LANGUAGE CXX)
target_compile_definitions(tsunagi_library INTERFACE SC_INCLUDE_DYNAMIC_PROCESSES=)
target_compile_features(tsunagi_library INTERFACE cxx_std_17)
target_link_libraries(tsunagi_library INTERFACE SystemC::systemc fmt::fmt PkgConfig::XXHASH)

install(TARGETS tsunagi_library EXPORT tsunagi_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} ${CMAKE_INSTALL_INCLUDEDIR}/tsunagi)
set(headers_to ${CMAKE_INSTALL_INCLUDEDIR}/tsunagi)
foreach(room ${library_rooms})
  if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/src/${room})
    install(DIRECTORY src/${room} DESTINATION ${headers_to} FILES_MATCHING PATTERN "*.hpp")
  endif()
endforeach()
install(DIRECTORY models scenarios DESTINATION ${headers_to} FILES_MATCHING PATTERN "*.hpp")

set(package_to ${CMAKE_INSTALL_LIBDIR}/cmake/tsunagi)
set(TSUNAGI_SYSTEMC_PACKAGE ${SystemCLanguage_FOUND})
install(EXPORT tsunagi_targets NAMESPACE tsunagi:: FILE tsunagi-targets.cmake DESTINATION ${package_to})
set(configs_at ${CMAKE_INSTALL_DATADIR}/tsunagi/configs)
configure_package_config_file(tools/package/tsunagi-config.cmake.in tsunagi-config.cmake
  INSTALL_DESTINATION ${package_to} PATH_VARS configs_at)
write_basic_package_version_file(tsunagi-config-version.cmake COMPATIBILITY SameMinorVersion)
file(RELATIVE_PATH up ${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(tools/package/tsunagi.pc.in tsunagi.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tsunagi-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/tsunagi-config-version.cmake
  DESTINATION ${package_to})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tsunagi.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
