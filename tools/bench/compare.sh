#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The same (a) to (d) on tsunagi, SimGrid, ns-3 and, if you say where its source is, htsim (Broadcom/csg-htsim), in one
# go; prints packet-hops a CPU second and ratios (compare/compare.py).
# Usage: tools/bench/compare.sh [--htsim FOLDER] [--instructions] [ROUNDS]
#   --htsim: a clone of it; it is built beside the drivers, nothing is written there. --instructions: under callgrind,
#   too, which takes minutes. ROUNDS: 3. Builds into $TSUNAGI_BENCH_BUILD (build/bench).
set -eu
htsim=
instructions=
rounds=3
while [ $# -gt 0 ]; do
  case $1 in
    --htsim) htsim=${2:?--htsim needs a folder}; shift ;;
    --instructions) instructions=--instructions ;;
    [1-9]*) rounds=$1 ;;
    *) sed -n '3,8s/^# //p' "$0" >&2; exit 2 ;;
  esac
  shift
done
[ -z "$htsim" ] || [ -f "$htsim/sim/eventlist.h" ] || { echo "$htsim has no sim/eventlist.h: it is no clone of htsim" >&2; exit 2; }
root=$(CDPATH= cd -- "$(dirname -- "$0")/../.." && pwd)
here=$root/tools/bench
build=${TSUNAGI_BENCH_BUILD:-$root/build/bench}
[ -z "$htsim" ] || htsim=$(CDPATH= cd -- "$htsim" && pwd)
sh "$root/tools/packages.sh" libbenchmark-dev libsimgrid-dev libns3-dev ${instructions:+valgrind}
cmake -S "$root" --preset release -B "$build" -G Ninja -DTSUNAGI_BENCH=ON -DTSUNAGI_TESTS=OFF >&2
ninja -C "$build" tsunagi_bench tsunagi >&2
out=$build/compare
mkdir -p "$out"

compile() {  # NAME COMPILER-FLAGS LIBRARIES
  [ "$out/$1" -nt "$here/compare/$1.cpp" ] && [ "$out/$1" -nt "$here/compare/${1%%_*}_common.hpp" ] &&
    [ "$out/$1" -nt "$here/compare/common.hpp" ] && return
  g++ -std=c++17 -O2 -DNDEBUG $2 "$here/compare/$1.cpp" -o "$out/$1" $3
}
# Debian's ns-3 names libraries of its own build in its .pc files: only the -l words are of use.
ns3="ns3-core ns3-network ns3-point-to-point"
ns3_libs=$(pkg-config --libs-only-l $ns3 | tr ' ' '\n' | grep '^-l' | tr '\n' ' ')
for what in flows torus; do
  compile ns3_$what "" "$ns3_libs"
  compile simgrid_$what "$(pkg-config --cflags simgrid)" "$(pkg-config --libs simgrid)"
done
if [ -n "$htsim" ]; then
  # Its library by its own list of files, with the flags of the others; anew each time, in half a minute: which of its
  # headers changed, or that this is another clone, nobody would notice.
  rm -rf "$out/htsim" "$out"/htsim_*
  mkdir -p "$out/htsim"
  ln -s "$htsim"/sim/*.h "$htsim"/sim/*.cpp "$htsim/sim/Makefile" "$out/htsim"
  make -s -C "$out/htsim" CFLAGS="-std=c++17 -O2 -DNDEBUG -w" libhtsim.a >&2
  for what in flows torus; do
    g++ -std=c++17 -O2 -DNDEBUG -isystem "$out/htsim" "$here/compare/htsim_$what.cpp" "$out/htsim/libhtsim.a" -o "$out/htsim_$what"
  done
fi
exec python3 "$here/compare/compare.py" $instructions --rounds "$rounds" --bench "$build/tools/bench/tsunagi_bench" \
  --program "$build/tsunagi" --drivers "$out" ns3 simgrid ${htsim:+htsim}
