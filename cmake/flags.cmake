# Compiler settings, carried by the interface target ripstop_flags.
#
# Plain flags only: no -march=native, so that a binary runs on every node of a cluster and gives the same rows there. No
# link-time optimisation: the engine is one loop that calls methods by pointer, and -flto changed its speed by less than
# the measurement's noise (8-ary 3-tree, loads 0.1 and 0.9).

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo" FORCE)
endif()
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

option(RIPSTOP_WERROR "Warnings are errors" OFF)
option(RIPSTOP_FUZZ "Build the fuzzers of tests/fuzz with libFuzzer (needs clang)" OFF)
option(RIPSTOP_COVERAGE "Count executed lines with gcov" OFF)
set(RIPSTOP_SANITIZE "" CACHE STRING "Sanitizers for everything, e.g. address,undefined")

add_library(ripstop_flags INTERFACE)
target_compile_definitions(ripstop_flags INTERFACE _POSIX_C_SOURCE=200809L _DEFAULT_SOURCE)
target_compile_options(
  ripstop_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes
                          -Wwrite-strings -fno-math-errno)
if(RIPSTOP_WERROR)
  target_compile_options(ripstop_flags INTERFACE -Werror)
endif()
set(RIPSTOP_LINK_FLAGS "") # for those who compile against the installed library
if(RIPSTOP_SANITIZE)
  set(RIPSTOP_LINK_FLAGS "-fsanitize=${RIPSTOP_SANITIZE}")
  set(sanitize -fsanitize=${RIPSTOP_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_compile_options(ripstop_flags INTERFACE ${sanitize})
  target_link_options(ripstop_flags INTERFACE ${sanitize})
  # The sanitizer's own library is in each of some two hundred programs: lld links one in half the time.
  find_program(LLD ld.lld)
  if(LLD AND CMAKE_C_COMPILER_ID STREQUAL "Clang")
    target_link_options(ripstop_flags INTERFACE -fuse-ld=lld)
  endif()
  # A position-independent program has some 146,000 addresses to correct each time that it starts, nearly all of them in
  # what the undefined behaviour sanitizer may have to say.
  if(CMAKE_C_COMPILER_ID STREQUAL "Clang" AND RIPSTOP_SANITIZE MATCHES "address")
    target_link_options(ripstop_flags INTERFACE $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
  endif()
endif()
# libFuzzer is led by what an input reaches: the libraries count it. Tests and programs that are no fuzzers do not; they get
# empty functions for it from the sanitizers' library. It also gets the numbers of each comparison, to write them into its
# inputs, except from modules that compare what they computed: there that took up to half of a test's time.
set(RIPSTOP_FUZZED "")
if(RIPSTOP_FUZZ)
  set(RIPSTOP_FUZZED -fsanitize=fuzzer-no-link)
  target_link_options(ripstop_flags INTERFACE ${RIPSTOP_FUZZED})
  foreach(module IN ITEMS mend methods simulate prove)
    file(GLOB_RECURSE computed CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${module}/*.c")
    list(FILTER computed EXCLUDE REGEX "(snapshot|table_files|certificate)[.]c$") # these read files
    set_source_files_properties(${computed} PROPERTIES COMPILE_OPTIONS -fno-sanitize-coverage=trace-cmp)
  endforeach()
  file(GLOB recognise CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/recognise/*.c")
  set_source_files_properties(${recognise} PROPERTIES COMPILE_OPTIONS "-O2;-fno-sanitize-coverage=trace-cmp")
endif()
if(RIPSTOP_COVERAGE)
  set(RIPSTOP_LINK_FLAGS "--coverage")
  target_compile_options(ripstop_flags INTERFACE --coverage -fprofile-update=atomic)
  target_link_options(ripstop_flags INTERFACE --coverage)
endif()

# Builds for use are hardened, so that a memory error ends the process instead of running injected code: sizes of buffers and
# stack canaries are checked, the tables of addresses are read-only before main, programs load at a random address and the stack
# is not executable. Sanitizers check more, and are incompatible with _FORTIFY_SOURCE. RIPSTOP_HARDENING is for the lab, which
# compiles for another machine (cmake/lab.cmake); tests/install/elf.sh checks the result.
set(RIPSTOP_HARDENING "")
if(NOT RIPSTOP_SANITIZE AND NOT RIPSTOP_FUZZ)
  include(CheckPIESupported)
  check_pie_supported(LANGUAGES C)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  foreach(option IN ITEMS -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fstack-protector-strong)
    list(APPEND RIPSTOP_HARDENING "$<$<NOT:$<CONFIG:Debug>>:${option}>")
  endforeach()
  target_compile_options(ripstop_flags INTERFACE ${RIPSTOP_HARDENING})
  target_link_options(ripstop_flags INTERFACE "$<$<NOT:$<CONFIG:Debug>>:-Wl,-z,relro,-z,now,-z,noexecstack>")
endif()

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_C_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER "${CCACHE}")
endif()
