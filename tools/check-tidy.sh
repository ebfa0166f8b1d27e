#!/bin/sh
# clang-tidy over every source of src/ and lab/ (checks: .clang-tidy), two at a time; fails on the first kind of finding.
#
# Nearly all of its time goes into the analyzer's walks: NODES bounds the states that it visits in a function (clang's own
# bound if not said, 225,000; with 100,000 it takes half the time). Its states are many small pieces of memory: in huge
# pages, got from the system in large parts, they cost it a tenth less (a C library that does not know the words ignores
# them).
#
# Without randomised addresses (setarch -R, where it is permitted) every run walks alike: with them, once in some thousand
# files, it found a va_list initialised twice in a function that has none.
#
# usage: tools/check-tidy.sh [NODES]
set -eu
cd "$(dirname "$0")/.."
[ -f build-asan/compile_commands.json ] || cmake --preset asan >/dev/null
nodes=${1:+--extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang --extra-arg=max-nodes=$1}
export GLIBC_TUNABLES=glibc.malloc.hugetlb=1:glibc.malloc.top_pad=67108864:glibc.malloc.trim_threshold=1000000000
alike=
setarch -R true 2>/dev/null && alike="setarch -R"
find src lab -name '*.c' | LC_ALL=C sort | xargs -P 2 -n 4 $alike clang-tidy-14 -p build-asan --quiet $nodes 2>/dev/null
echo "tidy: good"
