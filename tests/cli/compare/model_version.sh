#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# model_version.sh CMAKE ROOT: the models' version follows the sources that decide results, wherever they lie, and no others.
set -eu
cmake=$1
script=$2/tools/model_version.cmake
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

version_of() {
  "$cmake" -DROOT="$1" -DOUT="$work/version.hpp" -P "$script"
  cat "$work/version.hpp"
}
expect() { # = or !=, what, the version before
  now=$(version_of "$work/a")
  [ "$now" "$1" "$3" ] || { echo "$2: $3, then $now"; exit 1; }
}

mkdir -p "$work/a/models/pcie" "$work/a/src/units" "$work/a/src/app"
echo 'int latency = 7;' >"$work/a/models/pcie/link.cpp"
echo 'int fs = 1;' >"$work/a/src/units/time.hpp"
first=$(version_of "$work/a")
cp -r "$work/a" "$work/b"
[ "$(version_of "$work/b")" = "$first" ] || { echo "the folder's name counts"; exit 1; }
echo 'int help;' >"$work/a/src/app/help.cpp"
echo 'text' >"$work/a/models/README.md"
expect = "what decides no result changed" "$first"
echo 'int latency = 8;' >"$work/a/models/pcie/link.cpp"
expect != "a model changed" "$first"
second=$(version_of "$work/a")
echo 'int fs = 2;' >"$work/a/src/units/time.hpp"
expect != "a unit changed" "$second"
third=$(version_of "$work/a")
mv "$work/a/models/pcie/link.cpp" "$work/a/models/pcie/wire.cpp"
expect != "a file was renamed" "$third"
