#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the programs that read our files (GTKWave, Chromium, npm, matplotlib, shells, man, lintian) and runs the tests
# labelled consumers or browser.
# Usage: sh tools/test_consumers.sh [ctest options]
set -eu
cd "$(dirname "$0")/.."
node_packages=""
command -v npm >/dev/null || node_packages="nodejs npm"
sh tools/packages.sh gtkwave chromium python3-matplotlib zsh fish groff mandoc lintian dpkg-dev file $node_packages
cmake --preset release -G Ninja -DTSUNAGI_TESTS=ON >/dev/null
cmake --build --preset release --target tsunagi
ctest --preset release -L "consumers|browser" "$@"
