# The lab's page: the core compiled to WebAssembly by emscripten, in a build of its own below this one (lab/CMakeLists.txt),
# since one build has one compiler. RIPSTOP_LAB_PAGE is the page, or empty where it is not built.
#
# Without emcc and node everything else is built as ever.

set(RIPSTOP_LAB AUTO CACHE STRING "Build the lab's page: ON, OFF, or AUTO, where emcc and node are")
find_program(EMCC emcc)
find_program(NODE NAMES node nodejs)
set(RIPSTOP_LAB_PAGE "")
set(lab "${PROJECT_BINARY_DIR}/lab")
if(RIPSTOP_LAB STREQUAL "AUTO" AND NOT (EMCC AND NODE))
  message(STATUS "The lab's page is not built: emcc or node is missing (tools/install-deps.sh --lab)")
elseif(RIPSTOP_LAB)
  set(RIPSTOP_LAB_PAGE "${lab}/lab.html")
  file(GLOB_RECURSE used CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/*.h" "${PROJECT_SOURCE_DIR}/lab/*")
  foreach(room IN LISTS RIPSTOP_CORE_ROOMS ITEMS workload)
    file(GLOB_RECURSE more CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${room}/*.[ch]")
    list(APPEND used ${more})
  endforeach()
  add_custom_command(
    OUTPUT "${RIPSTOP_LAB_PAGE}"
    COMMAND "${CMAKE_COMMAND}" -S "${PROJECT_SOURCE_DIR}" -B "${lab}" -G "${CMAKE_GENERATOR}" -DCMAKE_BUILD_TYPE=Release
            "-DCMAKE_TOOLCHAIN_FILE=${PROJECT_SOURCE_DIR}/cmake/wasm.cmake"
            "-DCMAKE_C_COMPILER_LAUNCHER=${CMAKE_C_COMPILER_LAUNCHER}" "-DRIPSTOP_WERROR=${RIPSTOP_WERROR}" --log-level=WARNING
    COMMAND "${CMAKE_COMMAND}" --build "${lab}" --parallel 2
    COMMAND "${CMAKE_COMMAND}" -E touch "${RIPSTOP_LAB_PAGE}"
    DEPENDS ${used} "${PROJECT_SOURCE_DIR}/CMakeLists.txt" "${PROJECT_SOURCE_DIR}/cmake/wasm.cmake"
    COMMENT "The lab's page"
    VERBATIM)
  add_custom_target(lab ALL DEPENDS "${RIPSTOP_LAB_PAGE}")
endif()
