#!/bin/bash
# Runs one test script in an empty directory, which is removed afterwards.
set -eu
script=$(realpath "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
bash "$script"
