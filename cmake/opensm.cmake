# The plug-in for OpenSM (opensm/): built where OpenSM's headers are found. It belongs to the OpenSM whose
# headers these are, and another one refuses it. It finds the library beside itself.
option(RIPSTOP_OPENSM "Build the plug-in for OpenSM where its headers are found" ON)
find_path(OPENSM_INCLUDE opensm/osm_config.h PATH_SUFFIXES infiniband)
find_path(UMAD_INCLUDE infiniband/umad.h) # which OpenSM's headers include, though their package does not bring it
if(RIPSTOP_OPENSM AND OPENSM_INCLUDE AND NOT UMAD_INCLUDE)
  message(STATUS "Without the plug-in for OpenSM: infiniband/umad.h is missing (Debian: libibumad-dev)")
endif()
if(RIPSTOP_OPENSM AND OPENSM_INCLUDE AND UMAD_INCLUDE)
  add_library(ripstop_opensm MODULE "${PROJECT_SOURCE_DIR}/opensm/plugin.c"
    "${PROJECT_SOURCE_DIR}/opensm/multicast.c" "${PROJECT_SOURCE_DIR}/opensm/qos.c")
  set_target_properties(ripstop_opensm PROPERTIES OUTPUT_NAME ripstop-opensm C_EXTENSIONS ON C_VISIBILITY_PRESET default)
  ripstop_search_path(ripstop_opensm "$ORIGIN")
  target_include_directories(ripstop_opensm SYSTEM PRIVATE ${OPENSM_INCLUDE})
  target_link_libraries(ripstop_opensm PRIVATE ripstop_flags ripstop_core_shared)
  install(TARGETS ripstop_opensm LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT opensm)
endif()
