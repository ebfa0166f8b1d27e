# Toolchain: C to WebAssembly by Debian's emscripten, for the lab's page (lab/CMakeLists.txt). Sources are compiled by the
# clang that emcc would call, with the flags that it would give, since starting emcc for each file takes longer than
# compiling it; emcc links.
set(EMSCRIPTEN TRUE)
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
find_program(EMCC emcc REQUIRED)
if(NOT RIPSTOP_WASM_FLAGS)
  execute_process(COMMAND "${EMCC}" --cflags OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE
                          COMMAND_ERROR_IS_FATAL ANY)
  set(RIPSTOP_WASM_FLAGS "${flags}" CACHE STRING "What emcc tells clang")
  list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES RIPSTOP_WASM_FLAGS)
endif()
find_program(WASM_CLANG NAMES clang clang-14 REQUIRED)
set(CMAKE_C_COMPILER "${WASM_CLANG}")
set(CMAKE_C_COMPILER_TARGET wasm32-unknown-emscripten)
set(CMAKE_C_FLAGS_INIT "${RIPSTOP_WASM_FLAGS}")
set(CMAKE_C_COMPILER_WORKS TRUE)
set(CMAKE_C_LINK_EXECUTABLE "\"${EMCC}\" <LINK_FLAGS> <OBJECTS> -o <TARGET> <LINK_LIBRARIES>")
set(CMAKE_INSTALL_LIBDIR lib) # nothing is installed
set(CMAKE_SYSTEM_PREFIX_PATH /usr/local /usr) # of libraries that are headers alone
