#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs what compare.sh has built, and prints packet-hops a CPU second, ratios and instructions.

All simulators take turns, ROUNDS times. A rate is that of the fastest round; a ratio is taken within a round, and the
median of all rounds stands with the least and the largest: others use the machine, too. Instructions a packet-hop are
slopes between two lengths under callgrind, exact on a busy machine.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # beside the sources
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import instructions  # noqa: E402

# name: (what, tsunagi_bench's name, packets or microseconds of a round, of the two runs that a slope is taken of)
BENCHMARKS = {
    "a": ("one flow", "a/", 262144, (20000, 60000)),
    "b": ("ring", "b/", 16384, (1000, 3000)),
    "c": ("incast", "c/", 10000, (500, 1500)),
    "d": ("torus 0.3", "d/torus_0.3", 67, (5, 15)),
}
# Of (a) the others have no bus of a host, whose hop is not counted for anybody.
OWN_HOPS = {"a": 5 / 6}
# CM02: bandwidth and latency as they are, without the corrections for TCP; no acknowledgements that take bandwidth.
SIMGRID = ["--log=root.thres:error", "--cfg=network/model:CM02", "--cfg=network/crosstraffic:0",
           "--cfg=network/TCP-gamma:0"]


def driver(folder, simulator, benchmark, length):
    """The command that runs a benchmark on another simulator."""
    if benchmark == "d":
        return [f"{folder}/{simulator}_torus", "0.2953", str(length), *(SIMGRID if simulator == "simgrid" else [])]
    size = ["272" if benchmark == "c" else "280", *SIMGRID] if simulator == "simgrid" else []
    return [f"{folder}/{simulator}_flows", benchmark, str(length), *size]


def run(command):
    end = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if end.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{end.stderr}")
    return end.stdout


def one_round(a):
    """Packet-hops a CPU second of each (benchmark, simulator)."""
    rates = {}
    for benchmark, (_, _, length, _) in BENCHMARKS.items():
        for simulator in a.simulators:
            r = json.loads(run(driver(a.drivers, simulator, benchmark, length)).splitlines()[-1])
            rates[benchmark, simulator] = r["packet_hops"] / r["cpu_s"]
    names = "|".join(name for _, name, _, _ in BENCHMARKS.values())
    own = json.loads(run([a.bench, "--format", "json", f"--benchmark_filter=^({names})"]))
    for b in own["benchmarks"]:
        if "error_message" in b:
            sys.exit(f"{b['name']}: {b['error_message']}")
        if "packet_hops_per_cpu_s" in b:
            name = b["name"][0]
            train = b["name"].split("max_train:")[1].split("/")[0]
            rates[name, f"tsunagi, max_train {train}"] = b["packet_hops_per_cpu_s"] * OWN_HOPS.get(name, 1)
    return rates


def totals(command):
    """Instructions under callgrind, and packet-hops."""
    with tempfile.TemporaryDirectory() as folder:
        out = run(["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={folder}/out", *command])
        with open(f"{folder}/out") as lines:
            count = sum(int(line.split()[1]) for line in lines if line.startswith("totals:"))
        return count, json.loads(out.splitlines()[-1])["packet_hops"]


def slopes(a):
    """Instructions a packet-hop of each (benchmark, simulator)."""
    out = {}
    for benchmark, (_, _, _, lengths) in BENCHMARKS.items():
        for simulator in a.simulators:
            (i0, h0), (i1, h1) = [totals(driver(a.drivers, simulator, benchmark, n)) for n in lengths]
            out[benchmark, simulator] = (i1 - i0) / (h1 - h0)
        for train in (64,) if benchmark == "d" else (64, 1):
            name = "d/0.3" if benchmark == "d" else f"{benchmark}/{train}"
            own, _ = instructions.slope(a.program, *instructions.RUNS[name])
            out[benchmark, f"tsunagi, max_train {train}"] = own / OWN_HOPS.get(benchmark, 1)
    return out


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--instructions", action="store_true", help="count them, too (minutes)")
    p.add_argument("--bench", required=True, help="tsunagi_bench")
    p.add_argument("--program", required=True, help="tsunagi")
    p.add_argument("--drivers", required=True, help="where ns3_flows and the others are")
    p.add_argument("simulators", nargs="+", help="ns3, simgrid, htsim")
    a = p.parse_args()
    rounds = [one_round(a) for _ in range(a.rounds)]
    counts = slopes(a) if a.instructions else {}
    trains = ("tsunagi, max_train 64", "tsunagi, max_train 1")
    print(f"{'':14}{'simulator':24}{'packet-hops/CPU s':>18}{'tsunagi (64) is':>22}{'tsunagi (1) is':>22}"
          + (f"{'instructions':>14}" if counts else ""))
    for benchmark, (what, _, _, _) in BENCHMARKS.items():
        for simulator in (*trains, *a.simulators):
            line = f"({benchmark}) {what:10}{simulator:24}"
            line += f"{max(r[benchmark, simulator] for r in rounds) / 1e6:16.2f} M"
            for own in trains:
                ratios = sorted(r[benchmark, own] / r[benchmark, simulator] for r in rounds)
                text = f"{statistics.median(ratios):.2f}x ({ratios[0]:.2f}..{ratios[-1]:.2f})"
                line += " " * 22 if simulator == own else f"{text:>22}"
            if (benchmark, simulator) in counts:
                line += f"{counts[benchmark, simulator]:14.0f}"
            print(line.rstrip())


if __name__ == "__main__":
    main()
