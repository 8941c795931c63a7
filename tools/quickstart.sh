#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# From a fresh Debian 12 to the first result: packages, release build, the PEACH2 pair.
set -eu
cd "$(dirname "$0")/.."
sh tools/packages.sh
cmake --preset release -G Ninja -DTSUNAGI_TESTS=OFF >/dev/null
cmake --build --preset release --target tsunagi
tsunagi=build/release/tsunagi
echo
echo "Two PEACH2 nodes, ping-pong by PIO and by DMA (configs/runs/tca_ping_pong.json):"
echo
"$tsunagi" run configs/runs/tca_ping_pong.json
echo
echo "Published figures of the PEACH2 paper beside the simulated ones:"
echo
"$tsunagi" check --system peach2
echo
echo "Next: $tsunagi --help"
