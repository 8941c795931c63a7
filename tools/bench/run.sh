#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the benchmark (release) and runs it; options go to it: [--format table|json|csv] [--benchmark_filter=REGEX].
# The build lies in $TSUNAGI_BENCH_BUILD (build/bench).
set -eu
root=$(CDPATH= cd -- "$(dirname -- "$0")/../.." && pwd)
build=${TSUNAGI_BENCH_BUILD:-$root/build/bench}
sh "$root/tools/packages.sh" libbenchmark-dev
cmake -S "$root" --preset release -B "$build" -G Ninja -DTSUNAGI_BENCH=ON -DTSUNAGI_TESTS=OFF >&2
ninja -C "$build" tsunagi_bench >&2
exec "$build/tools/bench/tsunagi_bench" "$@"
