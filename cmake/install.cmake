# `cmake --install` installs, in addition to libraries and program: headers, pkg-config files, a CMake package. They contain no
# path of the build or of the installation, so the installation can be moved.
include(CMakePackageConfigHelpers)

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/ripstop" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)

file(RELATIVE_PATH RIPSTOP_PREFIX_FROM_PC "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
foreach(name IN ITEMS ripstop ripstop-kit)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in" "${PROJECT_BINARY_DIR}/${name}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${name}.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endforeach()

set(package "${CMAKE_INSTALL_LIBDIR}/cmake/ripstop")
install(EXPORT ripstop NAMESPACE ripstop:: FILE ripstopTargets.cmake DESTINATION ${package} COMPONENT development)
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/ripstopConfig.cmake.in"
                              "${PROJECT_BINARY_DIR}/ripstopConfig.cmake" INSTALL_DESTINATION ${package})
write_basic_package_version_file("${PROJECT_BINARY_DIR}/ripstopConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/ripstopConfig.cmake" "${PROJECT_BINARY_DIR}/ripstopConfigVersion.cmake"
        "${PROJECT_SOURCE_DIR}/cmake/own.cmake" "${PROJECT_SOURCE_DIR}/cmake/sources.cmake" "${PROJECT_SOURCE_DIR}/cmake/registry.cmake"
        DESTINATION ${package} COMPONENT development)

# Manual and completion are generated from the installed program's own help.
set(manual "${PROJECT_BINARY_DIR}/manual")
install(CODE "execute_process(COMMAND \"${PROJECT_SOURCE_DIR}/tools/make-manual.sh\" \"$<TARGET_FILE:ripstop>\" \"${manual}\"
  COMMAND_ERROR_IS_FATAL ANY)" COMPONENT program)
install(DIRECTORY "${manual}/" DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program FILES_MATCHING PATTERN "*.1")
install(FILES "${manual}/ripstop.bash" DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ripstop
        COMPONENT program)
install(FILES "${manual}/_ripstop" DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT program)
