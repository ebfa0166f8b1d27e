# `make test` sets up what every test needs, and `make test-quick` runs tests that need no more than the build.
. "$RIPSTOP_SOURCE/tests/cli/lib.sh"
mkdir bin
printf '#!/bin/sh\necho "${STATUS:-}"\n' >bin/dpkg-query
printf '#!/bin/sh\necho 1000\n' >bin/id
chmod +x bin/*

# The argument is a FLAG: prints the command for a user without root rights, on a machine without any package.
asks() { PATH=$PWD/bin:$PATH "$RIPSTOP_SOURCE/tools/install-deps.sh" "$@" 2>&1; }
asks >base && complain "without packages all is well"
asks --test >whole && complain "without packages all is well for tests"
grep -qE '^  sudo apt-get update && sudo apt-get install -y .*cmake' base || complain "no line to run: $(cat base)"
[ "$(wc -l <whole)" -eq 2 ] || complain "not one line to run: $(cat whole)"
for package in libopenmpi-dev openmpi-bin opensm ibsim-utils ibutils libopensm-dev python3-pandas emscripten chromium zsh groff-base dpkg-dev; do
  grep -qw -- "$package" whole || complain "'make test' does not install $package"
  ! grep -qw -- "$package" base || complain "'make test-quick' installs $package"
done
# `make test` installs everything that a skipped test reports as missing (axe-core is no package: tools/axe.sh).
grep -rhoE 'skip "[a-z0-9-]+ is missing' "$RIPSTOP_SOURCE/tests" | sort -u | grep -v axe-core | while read -r _ name _; do
  grep -qE "[ ]$(sed 's/^"//; s/^node$/nodejs/; s/^mpirun$/openmpi-bin/; s/^ibsim$/ibsim-utils/' <<<"$name")([ -]|\$)" whole || echo "$name"
done >left
[ ! -s left ] || complain "tests are skipped without these, which 'make test' does not install: $(cat left)"
STATUS=installed HOME=$PWD asks >none || complain "all is installed, and it says: $(cat none)"
[ ! -s none ] || complain "all is installed, and it says: $(cat none)"

# Every test that is not skipped and not slow is quick, and no other.
ctest --test-dir "$RIPSTOP_BUILD" -N -L quick | sed -nE 's/^ *Test +#[0-9]+: //p' >quick
[ "$(wc -l <quick)" -ge 150 ] || complain "few quick tests: $(wc -l <quick)"
for test in cli_fabric cli_route unit_base_text; do grep -qx $test quick || complain "$test is not quick"; done
grep -E '^(browser|install|lab|conformance)_|mpi|opensm_|manual_zsh|unit_store_trust' quick && complain "these are not quick"
for target in test test-quick; do
  make -C "$RIPSTOP_SOURCE" -n $target >made || complain "make $target: $(cat made)"
  grep -q 'count-tests.sh' made || complain "make $target does not say how long it took"
done
grep -q 'install-deps.sh --test' <(make -C "$RIPSTOP_SOURCE" -n test) || complain "'make test' does not install what tests need"
finish
