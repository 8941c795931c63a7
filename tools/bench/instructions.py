#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Instructions and wake-ups a packet-hop, exact and repeatable: the slope between a short and a long run.

  instructions.py [--only NAMES] PROGRAM [PROGRAM ...]

Runs each tsunagi PROGRAM under callgrind (Debian package valgrind) on the benchmark's configs and prints a table; of
several programs the later ones also as shares of the first. What a run costs once (start, elaboration) drops out;
the lines "start/..." are of that alone, in thousands of instructions from the config to the end of a run of 3 ns.
Instructions of the same program, inputs and environment are the same on a busy machine; seconds are not.
"""
import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CONFIGS = os.path.join(HERE, "..", "..", "configs")


def overrides(place, short, long):
    """The same run in two lengths."""
    return [[f"{place}={short}"], [f"{place}={long}"]]


def windows(short, long, *settings):
    """Traffic for so many nanoseconds after a short warm-up."""
    return [[*settings, '/scenario/warm_up="500 ns"', '/scenario/cool_down="200 ns"', f'/scenario/window="{t} ns"']
            for t in (short, long)]


def torus(side, load):
    return [f"/machine/topology/sizes=[{side},{side}]", f"/scenario/grid=[{side},{side}]", f'/scenario/loads=["{load} %"]']


def crossbar(ports):
    return [f"/machine/topology/terminals={ports}", '/scenario/pattern="uniform"', '/scenario/size="256 B"',
            '/scenario/loads=["40 %"]']


IDLE = ['/scenario/loads=["0.001 %"]', *(f'/scenario/{t}="1 ns"' for t in ("warm_up", "window", "cool_down"))]

# name: (file, max_train, the two lengths)
RUNS = {
    "a/1": ("one_flow.json", 1, [["/scenario/sizes=[\"256 KiB\"]", f"/scenario/messages={n}"] for n in (2, 6)]),
    "a/64": ("one_flow.json", 64, [["/scenario/sizes=[\"1 MiB\"]", f"/scenario/messages={n}"] for n in (2, 8)]),
    "b/1": ("ring_neighbours.json", 1, overrides("/scenario/messages", 2, 5)),
    "b/64": ("ring_neighbours.json", 64, overrides("/scenario/messages", 4, 12)),
    "c/1": ("incast.json", 1, overrides("/scenario/window", '"300 us"', '"900 us"')),
    "c/64": ("incast.json", 64, overrides("/scenario/window", '"300 us"', '"900 us"')),
    "d/0.3": ("torus.json", 64, overrides("/scenario/window", '"4 us"', '"8 us"')),
    "d/0.6": ("torus.json", 64, [["/scenario/loads=[\"59.06 %\"]", f"/scenario/window=\"{t} us\""] for t in (3, 6)]),
    "d/4096": ("torus.json", 64, windows(500, 1000, *torus(64, 3.6912))),  # 0.3 of its capacity, 8 / 64 of an 8x8's
    "f/1024": ("fat_tree.json", 64, windows(500, 1000)),
    "f/4096": ("fat_tree.json", 64, windows(250, 500, "/machine/topology/radix=32", "/machine/topology/nodes=4096")),
    "h/1": ("infiniband.json", 1, overrides("/scenario/iterations", 1, 3)),
    "h/64": ("infiniband.json", 64, overrides("/scenario/iterations", 1, 4)),
    "h/write": ("infiniband.json", 64,
                [[f'/scenario={{"kind": "neighbours", "sizes": ["64 B"], "messages": {n}}}'] for n in (100, 300)]),
    "h/small": ("infiniband.json", 64, [['/scenario/faces=["64 B"]', f"/scenario/iterations={n}"] for n in (20, 60)]),
    "h/ping_pong": (os.path.join(CONFIGS, "runs/ib_ping_pong.json"), 64,
                    [['/scenario/sizes=["64 B"]', f"/scenario/iterations={n}"] for n in (50, 150)]),
    "h/all_to_all": (os.path.join(CONFIGS, "runs/all_to_all_mpi.json"), 64,
                     [['/scenario/sizes=["2 KiB"]', '/scenario/algorithms=["linear"]', "/scenario/warm_up=0",
                       f"/scenario/iterations={n}"] for n in (1, 3)]),
    "x/16": ("incast.json", 64, windows(20000, 80000, *crossbar(16))),
    "x/256": ("incast.json", 64, windows(1000, 4000, *crossbar(256))),
    "x/1024": ("incast.json", 64, windows(500, 1500, *crossbar(1024))),
    "x/4096": ("incast.json", 64, windows(300, 600, *crossbar(4096))),
    "tca_ping_pong": (os.path.join(CONFIGS, "runs/tca_pio_ping_pong.json"), 64,
                      [["/scenario/sizes=[\"4 KiB\"]", f"/scenario/iterations={n}"] for n in (20, 60)]),
}

# name: (file, settings)
STARTS = {
    "start/ring1024": (os.path.join(CONFIGS, "runs/ring_traffic.json"), ["/machine/topology/nodes=1024", *IDLE]),
    "start/torus4096": ("torus.json", [*torus(64, 1), *IDLE]),
    "start/fat_tree4096": ("fat_tree.json", ["/machine/topology/radix=32", "/machine/topology/nodes=4096", *IDLE]),
    "start/crossbar4096": ("incast.json", [*crossbar(4096), *IDLE]),
}


def count(program, file, settings):
    """Instructions of all its processes, and what the run says that it cost."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/%p", program, "run",
                   os.path.join(HERE, file), "--format", "json"]
        for s in settings:
            command += ["--set", s]
        end = subprocess.run(command, capture_output=True, text=True)
        if end.returncode != 0:
            sys.exit(f"{' '.join(command)}\n{end.stderr}")
        instructions = 0
        for out in glob.glob(folder + "/*"):
            with open(out) as lines:
                instructions += sum(int(line.split()[1]) for line in lines if line.startswith("totals:"))
        return instructions, json.loads(end.stdout)["cost"]


def slope(program, file, max_train, lengths):
    (i0, c0), (i1, c1) = [count(program, file, s + [f"/options/max_train={max_train}"]) for s in lengths]
    hops = c1["packet_hops"] - c0["packet_hops"]
    return (i1 - i0) / hops, (c1["wakeups"] - c0["wakeups"]) / hops


def measure(name, programs):
    """Prints a line a program."""
    first = None
    for program in programs:
        if name in RUNS:
            instructions, wakeups = slope(program, *RUNS[name])
            text = f"{instructions:8.0f} instructions  {wakeups:6.3f} wake-ups a packet-hop"
        else:
            instructions, _ = count(program, *STARTS[name])
            text = f"{instructions / 1000:8.0f} thousand instructions"
        first = first or instructions
        share = "" if program == programs[0] else f"  {instructions / first:6.3f}"
        print(f"{name:18} {text:56} {program}{share}", flush=True)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("program", nargs="+")
    names = [*RUNS, *STARTS]
    p.add_argument("--only", help="names or their beginnings, separated by commas: " + ", ".join(names))
    a = p.parse_args()
    for name in names:
        if not a.only or any(name.startswith(o) for o in a.only.split(",")):
            measure(name, a.program)


if __name__ == "__main__":
    main()
