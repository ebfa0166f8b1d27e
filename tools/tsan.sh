#!/bin/sh
# The tests that use threads, with thread sanitizer.
#
# gcc's needs its shadow where the kernel would put a program: with vm.mmap_rnd_bits above 28 most programs stop at once
# with "unexpected memory mapping". So the tests run without randomised addresses (setarch -R). Where that is not
# permitted and the sanitizer cannot run, this says so, and is no failure: it is the machine's, not the code's.
set -eu
cd "$(dirname "$0")/.."
cmake --preset tsan
cmake --build --preset tsan --target threads

# starts [WRAPPER...]: true if a program with the sanitizer starts; addresses are random, so it may fail sometimes.
starts() {
  for _ in 1 2 3 4 5 6 7 8; do
    "$@" build-tsan/ripstop --version >build-tsan/start.log 2>&1 || return 1
  done
}

if starts setarch -R; then
  echo "tsan: without randomised addresses (setarch -R)"
  setarch -R ctest --preset tsan
elif starts; then
  echo "tsan: setarch -R is not permitted here, and not needed"
  ctest --preset tsan
elif grep -q "unexpected memory mapping" build-tsan/start.log; then
  echo "tsan: NOTHING WAS TESTED: vm.mmap_rnd_bits is $(cat /proc/sys/vm/mmap_rnd_bits), gcc's thread sanitizer needs 28" \
    "or less, and setarch -R is not permitted here"
else
  cat build-tsan/start.log
  exit 1
fi
