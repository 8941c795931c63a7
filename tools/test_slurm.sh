#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs Slurm, GNU parallel and Snakemake and runs the tests labelled slurm: sweeps on a real Slurm of two nodes, which
# lives in a namespace of its own (needs root), and the shards from the other two.
# Usage: sh tools/test_slurm.sh [ctest options]
set -eu
cd "$(dirname "$0")/.."
sh tools/packages.sh slurm-wlm munge parallel snakemake
cmake --preset release -G Ninja -DTSUNAGI_TESTS=ON >/dev/null
cmake --build --preset release --target tsunagi
ctest --preset release -L slurm "$@"
