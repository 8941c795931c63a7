#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Instructions and wake-ups a packet-hop, exact and repeatable: the slope between a short and a long run.

  instructions.py [--only NAMES] PROGRAM [PROGRAM ...]

Runs each tsunagi PROGRAM under callgrind (Debian package valgrind) on the benchmark's configs and prints a table; of
several programs the later ones also as shares of the first. What a run costs once (start, elaboration) drops out.
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
    "tca_ping_pong": (os.path.join(CONFIGS, "runs/tca_pio_ping_pong.json"), 64,
                      [["/scenario/sizes=[\"4 KiB\"]", f"/scenario/iterations={n}"] for n in (20, 60)]),
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


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("program", nargs="+")
    p.add_argument("--only", help="names or their beginnings, separated by commas: " + ", ".join(RUNS))
    a = p.parse_args()
    for name, run in RUNS.items():
        if a.only and not any(name.startswith(o) for o in a.only.split(",")):
            continue
        first = None
        for program in a.program:
            instructions, wakeups = slope(program, *run)
            first = first or instructions
            share = "" if program == a.program[0] else f"  {instructions / first:6.3f}"
            print(f"{name:14} {instructions:8.0f} instructions  {wakeups:6.3f} wake-ups a packet-hop  {program}{share}",
                  flush=True)


if __name__ == "__main__":
    main()
