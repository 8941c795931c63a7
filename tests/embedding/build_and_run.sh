#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# build_and_run.sh BUILD SOURCE CXX: installs tsunagi from its build folder into a temporary one, builds the example
# there as a user does, by the CMake package and by pkg-config with compiler CXX, and compares what both print.
set -eu
build=$(CDPATH= cd -- "${1:?}" && pwd)
source=$(CDPATH= cd -- "${2:?}" && pwd)
cxx=${3:?}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cmake --install "$build" --prefix "$folder/installed" >/dev/null

cmake -S "$source/tests/embedding" -B "$folder/build" -DCMAKE_PREFIX_PATH="$folder/installed" \
  -DCMAKE_CXX_COMPILER="$cxx" >/dev/null
cmake --build "$folder/build" >/dev/null
cd "$folder/build"
./card_model >"$folder/by_cmake" 2>"$folder/warnings"
cat "$folder/by_cmake"
grep -q '^1 MiB fetched into the card.s window at ' "$folder/by_cmake"
grep -q '^ended at ' "$folder/by_cmake"

PKG_CONFIG_PATH=$(dirname "$(find "$folder/installed" -name tsunagi.pc)")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046
"$cxx" -std=c++17 -O1 "$source/tests/embedding/main.cpp" $(pkg-config --cflags --libs tsunagi) -o by_pkg_config
./by_pkg_config >"$folder/by_pkg_config" 2>>"$folder/warnings"
cmp "$folder/by_cmake" "$folder/by_pkg_config"
