#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# install_needs.sh BUILD: whoever builds the program alone, as the quickstart does, can install all that `cmake --install`
# is to install. Asks Ninja what the program is built after.
set -eu
build=${1:?}
ninja -C "$build" -t query tsunagi >/dev/null 2>&1 || { echo "no build by Ninja: nothing to ask"; exit 77; }
for target in $(sed -n 's|.*"\{0,1\}'"$build"'/\(lib[a-z_]*\.a\)".*|\1|p' "$build/cmake_install.cmake" | sort -u); do
  ninja -C "$build" -t query tsunagi | grep -qw "$target" || { echo "the program can be built without $target"; exit 1; }
  any=1
done
[ "${any:-}" ] || { echo "cmake_install.cmake names no archive of ours"; exit 1; }
