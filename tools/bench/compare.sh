#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The same (a), (b) and (d) on tsunagi, SimGrid and ns-3 in one go; prints packet-hops a CPU second and ratios. All of
# them take turns, ROUNDS times (3), and each counts with its fastest round: others use the machine, too.
# Usage: tools/bench/compare.sh [ROUNDS]    (builds into $TSUNAGI_BENCH_BUILD, build/bench)
set -eu
rounds=${1:-3}
root=$(CDPATH= cd -- "$(dirname -- "$0")/../.." && pwd)
here=$root/tools/bench
build=${TSUNAGI_BENCH_BUILD:-$root/build/bench}
sh "$root/tools/packages.sh" libbenchmark-dev libsimgrid-dev libns3-dev
cmake -S "$root" --preset release -B "$build" -G Ninja -DTSUNAGI_BENCH=ON -DTSUNAGI_TESTS=OFF >&2
ninja -C "$build" tsunagi_bench >&2
out=$build/compare
mkdir -p "$out"

compile() {  # NAME COMPILER-FLAGS LIBRARIES
  [ "$out/$1" -nt "$here/compare/$1.cpp" ] && [ "$out/$1" -nt "$here/compare/${1%%_*}_common.hpp" ] && return
  g++ -std=c++17 -O2 -DNDEBUG $2 "$here/compare/$1.cpp" -o "$out/$1" $3
}
# Debian's ns-3 names libraries of its own build in its .pc files: only the -l words are of use.
ns3="ns3-core ns3-network ns3-point-to-point"
ns3_libs=$(pkg-config --libs-only-l $ns3 | tr ' ' '\n' | grep '^-l' | tr '\n' ' ')
compile ns3_flows "" "$ns3_libs"
compile ns3_torus "" "$ns3_libs"
compile simgrid_flows "$(pkg-config --cflags simgrid)" "$(pkg-config --libs simgrid)"
compile simgrid_torus "$(pkg-config --cflags simgrid)" "$(pkg-config --libs simgrid)"

# CM02: bandwidth and latency as they are, without the corrections for TCP; no acknowledgements that take bandwidth.
simgrid() {
  program=$1
  shift
  timeout 60 "$out/$program" "$@" --log=root.thres:error --cfg=network/model:CM02 --cfg=network/crosstraffic:0 --cfg=network/TCP-gamma:0
}
rm -f "$out"/tsunagi.*.json "$out/results.jsonl"
for round in $(seq "$rounds"); do
  # (a) 262,144 packets of 280 bytes, five hops; (b) 16,384 in each of 32 flows, three hops; (d) 64 us at 0.3 of capacity.
  {
    timeout 60 "$out/ns3_flows" a 262144
    timeout 60 "$out/ns3_flows" b 16384
    timeout 60 "$out/ns3_torus" 0.2953 67
    simgrid simgrid_flows a 262144 280
    simgrid simgrid_flows b 16384 280
    simgrid simgrid_torus 0.2953 67
  } >>"$out/results.jsonl"
  "$build/tools/bench/tsunagi_bench" --format json --benchmark_filter='^(a|b|d/torus_0.3)' >"$out/tsunagi.$round.json" 2>/dev/null
done

python3 - "$out/results.jsonl" "$out"/tsunagi.*.json <<'PY'
import json, sys

rate = {}


def count(which, simulator, r):
    rate[which, simulator] = max(r, rate.get((which, simulator), 0))


for file in sys.argv[2:]:
    for b in json.load(open(file))["benchmarks"]:
        if "packet_hops_per_cpu_s" in b:
            # (a) crosses the host's bus, too, which the others do not have: its hop is not counted here.
            wires = 5 / 6 if b["name"][0] == "a" else 1
            simulator = "tsunagi, max_train " + b["name"].split("max_train:")[1].split("/")[0]
            count(b["name"][0], simulator, wires * b["packet_hops_per_cpu_s"])
for line in open(sys.argv[1]):
    r = json.loads(line)
    simulator, which = r["name"].split()
    count(which, {"ns3": "ns-3", "simgrid": "SimGrid"}[simulator], r["packet_hops"] / r["cpu_s"])
print(f"{'':14}{'simulator':24}{'packet-hops/CPU s':>20}{'tsunagi (64) is':>18}{'tsunagi (1) is':>18}")
for which, what in (("a", "one flow"), ("b", "ring"), ("d", "torus 0.3")):
    for (w, simulator), r in rate.items():
        if w != which:
            continue
        ratios = "".join(f"{rate[which, 'tsunagi, max_train ' + t] / r:17.2f}x" for t in ("64", "1"))
        print(f"({which}) {what:10}{simulator:24}{r / 1e6:18.2f} M{ratios}")
PY
