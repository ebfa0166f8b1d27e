#!/bin/bash
# The path of axe-core, by which the browser's tests look for what keeps people from using pages. It is no part of the sources and
# of no Debian package: npm fetches this one version, whose hash stands here, into the user's cache.
#
# usage: tools/axe.sh [--fetch]     with --fetch it is fetched where it is missing (tools/install-deps.sh --test)
# Exit code 1: it is not there.
set -eu -o pipefail
version=4.10.2
sha512=444de6750ecfdc54527bb7aa096a1e43f67d417aed9e24a3a75c148ede67442dd6229cf9ad20af7baa377ec676682a49b6b663499823c170284cee64e2d108d3
folder=${XDG_CACHE_HOME:-${HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)}/.cache}/ripstop
axe=$folder/axe-core-$version.min.js
if [ ! -s "$axe" ] && [ "${1:-}" = --fetch ]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  (cd "$work" && npm pack --silent "axe-core@$version" >/dev/null)
  echo "$sha512  $work/axe-core-$version.tgz" | sha512sum --check --quiet -
  tar -xzOf "$work/axe-core-$version.tgz" package/axe.min.js >"$work/axe.min.js"
  mkdir -p "$folder"
  mv "$work/axe.min.js" "$axe"
fi
[ -s "$axe" ] || { echo "axe-core $version is not in $folder: tools/install-deps.sh --test" >&2; exit 1; }
echo "$axe"
