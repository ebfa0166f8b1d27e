# The lab (docs/lab.md): its C natively, for the tests, and the target `lab`, which compiles it, the core and the workloads to
# WebAssembly and makes one page of that and of the page's modules: lab/lab.html in the build's folder. RIPSTOP_LAB_PAGE is the
# page, or empty where it cannot be built. Without emcc and node everything else is built as ever.
#
# Nothing but the page needs WebAssembly, so nothing else waits for it: the target is built by name, by the tests that need it,
# and by everything only where RIPSTOP_LAB is ON.
#
# One build has one compiler, so each object is a command of its own here: the clang that emcc would call, with the flags that it
# would give, since starting emcc for each file takes longer than compiling it; emcc links. lab/core.js is the same core by
# itself, as a module for node: the tests compare its numbers with the program's.

file(GLOB RIPSTOP_LAB_SOURCES CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/lab/*.c")
set(no_files "${PROJECT_SOURCE_DIR}/lab/no_files.c") # in place of parts of the core, which are there natively
list(REMOVE_ITEM RIPSTOP_LAB_SOURCES "${no_files}")

# The functions of the page, without the page.
add_library(ripstop_lab STATIC EXCLUDE_FROM_ALL ${RIPSTOP_LAB_SOURCES})
add_library(ripstop_no_files OBJECT EXCLUDE_FROM_ALL "${no_files}")
foreach(target IN ITEMS ripstop_lab ripstop_no_files)
  target_compile_options(${target} PRIVATE "SHELL:-include ${PROJECT_SOURCE_DIR}/src/base/banned.h")
  target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${target} PUBLIC ripstop_inside)
endforeach()
target_compile_options(ripstop_lab PRIVATE ${RIPSTOP_FUZZED})

set(RIPSTOP_LAB AUTO CACHE STRING "Build the lab's page: ON, OFF, or AUTO: by the target lab, where emcc and node are")
find_program(EMCC emcc)
find_program(NODE NAMES node nodejs)
find_program(WASM_CLANG NAMES clang-14 clang)
set(RIPSTOP_LAB_PAGE "")
if(NOT RIPSTOP_LAB)
  return()
elseif(NOT (EMCC AND NODE AND WASM_CLANG))
  if(NOT RIPSTOP_LAB STREQUAL "AUTO")
    message(FATAL_ERROR "The lab's page needs emcc, node and clang (tools/install-deps.sh --lab)")
  endif()
  message(STATUS "There is no lab's page: emcc, node or clang is missing (tools/install-deps.sh --lab)")
  return()
endif()

set(folder "${PROJECT_BINARY_DIR}/lab")
set(RIPSTOP_LAB_PAGE "${folder}/lab.html")
if(NOT RIPSTOP_WASM_FLAGS)
  execute_process(COMMAND "${EMCC}" --cflags OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(RIPSTOP_WASM_FLAGS "${flags}" CACHE STRING "What emcc tells clang")
endif()

# The two libraries that are headers alone; the host's other headers are not for that machine.
file(MAKE_DIRECTORY "${folder}/host")
file(CREATE_LINK "${RANDOM123_INCLUDE}/Random123" "${folder}/host/Random123" SYMBOLIC)
file(CREATE_LINK "${XXHASH_INCLUDE}/xxhash.h" "${folder}/host/xxhash.h" SYMBOLIC)

# The flags of the core (cmake/flags.cmake).
separate_arguments(emcc_flags UNIX_COMMAND "${RIPSTOP_WASM_FLAGS}")
get_target_property(warnings ripstop_flags INTERFACE_COMPILE_OPTIONS)
list(FILTER warnings EXCLUDE REGEX "sanitize|coverage|profile|omit-frame")
list(REMOVE_ITEM warnings ${RIPSTOP_HARDENING})
get_target_property(definitions ripstop_flags INTERFACE_COMPILE_DEFINITIONS)
list(TRANSFORM definitions PREPEND "-D")
set(compile ${CMAKE_C_COMPILER_LAUNCHER} "${WASM_CLANG}" ${emcc_flags} -std=c11 -O3 -DNDEBUG ${warnings} ${definitions}
    -include "${PROJECT_SOURCE_DIR}/src/base/banned.h" "-I${PROJECT_SOURCE_DIR}" "-I${PROJECT_SOURCE_DIR}/include" "-I${PROJECT_SOURCE_DIR}/src"
    "-I${PROJECT_BINARY_DIR}/generated" -isystem "${folder}/host")

ripstop_sources(sources "${RIPSTOP_CORE_ROOMS};workload" "${RIPSTOP_CORE_PLUGINS};workload")
list(APPEND sources "${PROJECT_SOURCE_DIR}/src/draw/layout.c") # the only part of the kit that the lab needs
list(FILTER sources EXCLUDE REGEX "/(fabric/unpack|formats/graph/(graphml|cable_plan)|formats/traces/chakra_(json|trace|wire)|tables/infiniband/lfts_files)\\.c$") # no_files.c
list(FILTER sources EXCLUDE REGEX "/(formats|tables)/ethernet/") # the page has no fabrics of routes
ripstop_hashed("${folder}/sources.c")
set(objects "")
foreach(source IN LISTS sources RIPSTOP_LAB_SOURCES ITEMS "${no_files}" "${folder}/sources.c")
  string(REPLACE "${PROJECT_BINARY_DIR}/" "" name "${source}")
  string(REPLACE "${PROJECT_SOURCE_DIR}/" "" name "${name}")
  set(object "${folder}/objects/${name}.o")
  get_filename_component(place "${object}" DIRECTORY)
  file(MAKE_DIRECTORY "${place}")
  # Random123 refuses machines that it has not been tried on. Of those that it knows, this one has as little of its own.
  set(more "")
  if(source MATCHES "/src/base/random\\.c$")
    set(more -D__riscv)
  endif()
  add_custom_command(OUTPUT "${object}" COMMAND ${compile} ${more} -MD -MF "${object}.d" -c "${source}" -o "${object}"
                     DEPENDS "${source}" DEPFILE "${object}.d" COMMENT "WebAssembly: ${name}" VERBATIM)
  list(APPEND objects "${object}")
endforeach()

set(lab "${PROJECT_SOURCE_DIR}/lab")
file(STRINGS "${lab}/exports.txt" exports REGEX "^[a-z]")
list(TRANSFORM exports PREPEND "_")
list(JOIN exports "," exports)
list(JOIN objects "\n" words)
file(GENERATE OUTPUT "${folder}/objects.txt" CONTENT "${words}\n")
add_custom_command(
  OUTPUT "${folder}/core.js"
  COMMAND "${EMCC}" -O1 -sMODULARIZE -sEXPORT_NAME=ripstop_core -sENVIRONMENT=web,worker,node -sSINGLE_FILE
          -sNODEJS_CATCH_EXIT=0 -sNODEJS_CATCH_REJECTION=0 -sALLOW_MEMORY_GROWTH -sSUPPORT_LONGJMP=emscripten
          -sEXPORTED_RUNTIME_METHODS=UTF8ToString,allocateUTF8 "-sEXPORTED_FUNCTIONS=_free,${exports}"
          "@${folder}/objects.txt" -o "${folder}/core.js"
  DEPENDS ${objects} "${folder}/objects.txt" "${lab}/exports.txt"
  COMMENT "The lab's core"
  VERBATIM)
file(GLOB page CONFIGURE_DEPENDS "${lab}/page/*")
file(GLOB licenses CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/licenses/*.txt")
list(PREPEND licenses "${PROJECT_SOURCE_DIR}/LICENSE")
add_custom_command(
  OUTPUT "${RIPSTOP_LAB_PAGE}"
  COMMAND "${NODE}" "${lab}/bundle.mjs" "${lab}/page" "${folder}/core.js" "${RIPSTOP_LAB_PAGE}" ${licenses}
  DEPENDS "${folder}/core.js" ${page} ${licenses} "${lab}/bundle.mjs"
  COMMENT "The lab's page"
  VERBATIM)
if(RIPSTOP_LAB STREQUAL "AUTO")
  add_custom_target(lab DEPENDS "${RIPSTOP_LAB_PAGE}")
else()
  add_custom_target(lab ALL DEPENDS "${RIPSTOP_LAB_PAGE}")
endif()
install(FILES "${RIPSTOP_LAB_PAGE}" DESTINATION "${CMAKE_INSTALL_DATADIR}/ripstop" COMPONENT program OPTIONAL)
