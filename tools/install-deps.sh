#!/bin/sh
# Installs the Debian packages that ripstop needs and that are missing: to build it and for the quick tests; with --test also
# what the other tests need, and axe-core (tools/axe.sh); with --ci also what the checks of .ci/run need; with --lab the compiler
# of the lab's page, with --docs what makes the manual's site. Where nothing is missing it does nothing and needs no network;
# without the right to install it prints the line to run.
set -eu
cd "$(dirname "$0")/.."

packages="gcc g++ libc6-dev cmake ninja-build pkg-config libyaml-dev libsqlite3-dev librandom123-dev libxxhash-dev libjsmn-dev
  libjansson-dev zlib1g-dev libexpat1-dev libcmocka-dev gnuplot-nox graphviz libigraph-dev locales python3 spin sqlite3 time"
tests="libopenmpi-dev openmpi-bin opensm ibsim-utils ibutils libopensm-dev libibumad-dev slurmctld slurm-client python3-pandas python3-matplotlib
  emscripten nodejs chromium groff-base zsh python3-markdown dpkg-dev procps git"
command -v npm >/dev/null || tests="$tests npm" # which other sources of node have inside it
case "${1:-}" in
  "") ;;
  --test) packages="$packages $tests" ;;
  --ci) packages="$packages $tests clang clang-format-14 clang-tidy-14 libclang-rt-14-dev valgrind" ;;
  --lab) packages="$packages emscripten nodejs" ;;
  --docs) packages="python3-markdown git" ;;
  *) echo "usage: tools/install-deps.sh [--test | --ci | --lab | --docs]" >&2; exit 2 ;;
esac

if ! command -v dpkg-query >/dev/null; then
  echo "Not a Debian system; these packages, under whatever names, have to be there:" $packages >&2
  exit 0
fi

missing=""
for package in $packages; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing="$missing $package"
done

# If it is missing, the test that needs it reports that.
fetch_axe() {
  case "${1:-}" in --test | --ci) tools/axe.sh --fetch >/dev/null || echo "axe-core was not fetched: the tests of the pages fail (npm needs the network once)" >&2 ;; esac
}
[ -n "$missing" ] || { fetch_axe "$@"; exit 0; }

if [ "$(id -u)" != 0 ]; then
  echo "Packages are missing. Run this, then try again:" >&2
  echo "  sudo apt-get update && sudo apt-get install -y$missing" >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends $missing
fetch_axe "$@"
