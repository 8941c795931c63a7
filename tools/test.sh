#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs, builds (release) and runs every test but those labelled full, consumers (tools/test_consumers.sh) or slurm
# (tools/test_slurm.sh).
# Usage: sh tools/test.sh [ctest options, e.g. -L model]
set -eu
cd "$(dirname "$0")/.."
sh tools/packages.sh
sh tools/packages.sh mkdocs mkdocs-material || echo "without mkdocs the documents' site is not tested" >&2
sh tools/packages.sh libbenchmark-dev || echo "without Google Benchmark nobody looks whether tools/bench compiles" >&2
cmake --preset release -G Ninja -DTSUNAGI_TESTS=ON >/dev/null
cmake --build --preset release
ctest --preset release -j "$(nproc)" -LE 'full|consumers|slurm' "$@"
