# docs/build.md has every option of the build and no other, and BUILD_TESTING, CMake's own name, is obeyed like RIPSTOP_TESTS.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
cat "$RIPSTOP_SOURCE"/CMakeLists.txt "$RIPSTOP_SOURCE"/cmake/*.cmake |
  sed -nE 's/^ *(option\(|set\()((RIPSTOP|BUILD)_[A-Z_]+) .*/\2 &/p' | grep -E ' option\(|CACHE' | cut -d' ' -f1 | sort -u >defined
sed -nE 's/^\| `([A-Z_]+)` \|.*/\1/p' "$RIPSTOP_SOURCE/docs/build.md" | sort >told
grep -v '^CMAKE_' told | diff defined - >difference || complain "docs/build.md (>) and the build (<): $(cat difference)"
[ "$(wc -l <defined)" -ge 8 ] || complain "few options: $(cat defined)"

# has_tests FOLDER: whether a build that is configured there would make tests.
has_tests() { [ -e "$1/CTestTestfile.cmake" ] && grep -q 'subdirs("tests")' "$1/CTestTestfile.cmake"; }
configure() { # configure FOLDER SOURCE OPTIONS...
  local folder=$1 source=$2
  shift 2
  cmake -G Ninja -S "$source" -B "$folder" -DCMAKE_C_COMPILER="$RIPSTOP_CC" -DRIPSTOP_LAB=OFF -DRIPSTOP_MPI=OFF "$@" >log 2>&1 ||
    complain "cmake $*: $(cat log)"
}
has_tests "$RIPSTOP_BUILD" || complain "this build has no tests"
for option in -DBUILD_TESTING=OFF -DRIPSTOP_TESTS=OFF; do
  rm -rf off
  configure off "$RIPSTOP_SOURCE" $option
  ! has_tests off || complain "$option: the tests are built"
done
mkdir outer
printf 'cmake_minimum_required(VERSION 3.25)\nproject(outer C)\ninclude(CTest)\nadd_subdirectory("%s" ripstop)\n' "$RIPSTOP_SOURCE" >outer/CMakeLists.txt
configure both outer -DRIPSTOP_TESTS=ON -DBUILD_TESTING=OFF
! has_tests both/ripstop || complain "a project without tests has those of its subdirectory"
finish
