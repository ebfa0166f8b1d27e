#!/bin/bash
# Makes a store of these experiments with an older program: make.sh PROGRAM STORE.db
# The experiments have the words of today; the program of c846427f has the older ones.
set -eu
program=$(realpath "$1") store=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
data=$(mktemp -d)
trap 'rm -rf "$data"' EXIT
cp -r "$here/../ib" "$here/../workloads" "$here/../petersen.edges" "$here" "$data"
cd "$data/stores"
sed -i 's/selection: \[/choice: [/; s/"random:1/"draw:1/; /^figures:/d; /^only:/d; /^switch: {preset: plain/d' ./*.yaml
for file in *.yaml; do "$program" run "$file" --store "$store" >/dev/null; done
gzip -9n "$store"
