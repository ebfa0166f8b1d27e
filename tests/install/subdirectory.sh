# Another project can have this one as a subdirectory: it gets the libraries under the names of the installed ones, its
# own launcher stays, and no tests come with them.
set -eu
mkdir outer
cat >outer/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.25)
project(outer C)
set(CMAKE_C_COMPILER_LAUNCHER env)
add_subdirectory("$RIPSTOP_SOURCE" ripstop)
get_target_property(launcher ripstop_core_objects C_COMPILER_LAUNCHER)
if(NOT launcher STREQUAL env)
  message(SEND_ERROR "the launcher is \${launcher}")
endif()
add_library(first OBJECT first.c)
target_link_libraries(first PRIVATE ripstop::ripstop ripstop::kit_static)
if(TARGET ripstop_test)
  message(SEND_ERROR "the tests are there")
endif()
END
cat >outer/first.c <<'END'
#include <ripstop/ripstop.h>
int main(void) { return !ripstop_parse_real; }
END
cmake -S outer -B built -DCMAKE_C_COMPILER="$RIPSTOP_CC" >log 2>&1 || { cat log; exit 1; }
grep -q ripstop_method_updown built/ripstop/generated/registry_method.c || { echo "no methods are registered"; exit 1; }
ls built/ripstop/generated/store/*.sql.h >/dev/null
[ ! -e built/generated ] || { echo "files are written outside of the subdirectory"; exit 1; }
grep -q "include $RIPSTOP_SOURCE/src/base/banned.h" built/compile_commands.json || { echo "not compiled as ever"; exit 1; }
