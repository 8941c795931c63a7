#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Goldens: what each run of configs/runs gives at small settings, to the last femtosecond.

Usage: golden.py [--root FOLDER] [--approve | --digests | --whole] [--jobs N] PROGRAM [RUN ...]

Compares what PROGRAM makes of the runs (default: all) with tests/golden/runs/RUN.json: digest, rows, steps and copies,
at max_train 64 and 1. Exit 1 if one differs; which rows and in which stage, `tsunagi diff` says.
  --approve   writes the goldens anew, and says what moved
  --digests   compares digests alone, at max_train 64: for programs that other compilers made
  --whole     needs no PROGRAM: each run has settings and a golden, and no golden is left of a run that is gone
"""
import argparse
import concurrent.futures
import difflib
import json
import pathlib
import subprocess
import sys
import tempfile

RATE = "_bytes_per_second"  # derived when printed, in floating point
MOST_CPU_S = 1.0            # of a run, in both modes together


class Failed(Exception):
    """A sentence for whoever runs this."""


class Goldens:
    def __init__(self, root):
        self.root = pathlib.Path(root).resolve()
        self.folder = self.root / "tests/golden/runs"
        self.settings_file = self.root / "tests/golden/settings.json"
        self.settings = json.loads(self.settings_file.read_text())

    def runs(self):
        return sorted(f.stem for f in (self.root / "configs/runs").glob("*.json"))

    def file(self, run):
        return self.folder / f"{run}.json"

    def faults(self):
        """What is missing, or left behind."""
        runs, stored = set(self.runs()), {f.stem for f in self.folder.glob("*.json")}
        known = set(self.settings)
        return [f"configs/runs/{r}.json has no settings for its golden: add it to tests/golden/settings.json (settings "
                f"with which it takes less than {MOST_CPU_S:g} s of a core), then: sh tools/golden.sh --approve {r}"
                for r in sorted(runs - known)] + \
               [f"{r} has no golden: sh tools/golden.sh --approve {r}" for r in sorted(runs & known - stored)] + \
               [f"tests/golden/settings.json has settings for {r}, which is no run: remove them"
                for r in sorted(known - runs)] + \
               [f"tests/golden/runs/{r}.json is of no run: remove it" for r in sorted(stored - runs)]


def printed(command):
    try:
        done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    except OSError as e:
        raise Failed(f"{command[0]} cannot be run: {e.strerror}")
    if done.returncode != 0:
        raise Failed(f"exit {done.returncode}: {' '.join(str(w) for w in command)}\n{done.stderr.rstrip()}")
    return done.stdout


def measured(goldens, program, run, max_train, more=()):
    """What `run --format json` says of a run at its golden's settings, its rows without derived rates."""
    sets = goldens.settings[run] + [f"/options/max_train={max_train}"]
    words = [word for setting in sets for word in ("--set", setting)]
    file = goldens.root / "configs/runs" / f"{run}.json"
    result = json.loads(printed([program, "run", file, "-q", "--format", "json", *words, *more]))
    result["rows"] = [{k: v for k, v in row.items() if not k.endswith(RATE)} for row in result["rows"]]
    return result


def kept(result):
    """Of a result what a golden holds of every run, whole numbers and texts alone."""
    accounts = result["accounts"]
    steps = [{"step": s["step"], "calls": s["calls"], "total_fs": s["total_fs"]} for s in accounts["steps"]]
    copies = {k: v for k, v in accounts["copies"].items() if not k.endswith("_per_message")}
    return {"digest": result["digest"], "rows": result["rows"], "accounts": {"steps": steps, "copies": copies}}


def summed(items, names):
    """Items with the same names become one, with the sum of their durations."""
    out = {}
    for item in items:
        one = out.setdefault(tuple(item[n] for n in names), {**{n: item[n] for n in names}, "duration_fs": 0})
        one["duration_fs"] += item["duration_fs"]
    return list(out.values())


def short(explanation):
    """Of an explanation what `diff` reads: what it is of, and the time in each stage."""
    if explanation is None:
        return None
    out = {k: explanation[k] for k in ("name", "algorithm", "ranks", "duration_fs", "from", "to", "size_bytes", "method",
                                       "latency_fs") if isinstance(explanation.get(k), (int, str))}
    if "segments" in explanation:
        out["segments"] = summed(explanation["segments"], ("device", "stage"))
    if "critical_path" in explanation:
        legs = {}
        for leg in explanation["critical_path"]:
            one = legs.setdefault(leg["kind"], {"kind": leg["kind"], "duration_fs": 0, "parts_fs": {}})
            one["duration_fs"] += leg["duration_fs"]
            for part, time in leg["parts_fs"].items():
                one["parts_fs"][part] = one["parts_fs"].get(part, 0) + time
        out["critical_path"] = list(legs.values())
    if "longest_message" in explanation:
        out["longest_message"] = short(explanation["longest_message"])
    return out or None


def of_ends(explanations):
    """Those of the first and the last row: what moves one in between moves one of them, too, as a rule."""
    return [short(e) if i in (0, len(explanations) - 1) else None for i, e in enumerate(explanations)]


def text_of(value, depth=0):
    """JSON whose innermost objects and lists have a line each, so that what moves is a line of a diff."""
    inner = [v for v in (value.values() if isinstance(value, dict) else value if isinstance(value, list) else [])]
    if not any(isinstance(v, (dict, list)) for v in inner) or depth > 6:
        return json.dumps(value, ensure_ascii=False)
    pad = " " * (depth + 1)
    if isinstance(value, dict):
        items = [f"{pad}{json.dumps(k)}: {text_of(v, depth + 1)}" for k, v in value.items()]
        return "{\n" + ",\n".join(items) + "\n" + " " * depth + "}"
    return "[\n" + ",\n".join(pad + text_of(v, depth + 1) for v in inner) + "\n" + " " * depth + "]"


def lines_of(golden):
    return text_of({k: golden[k] for k in ("digest", "rows", "accounts")}).splitlines()


def moved(program, golden_file, golden, result):
    """What differs, for people: which rows, and in which stage; then every line that does."""
    with tempfile.TemporaryDirectory() as folder:
        now = pathlib.Path(folder) / "now.json"
        now.write_text(json.dumps(result))
        try:
            said = printed([program, "diff", "-q", golden_file, now])
        except Failed as e:
            said = f"{e}\n"
    lines = difflib.unified_diff(lines_of(golden), lines_of(kept(result)), "golden", "now", lineterm="", n=0)
    return said + "\n" + "\n".join(lines) + "\n"


def stored(goldens, run):
    if run not in goldens.settings or not goldens.file(run).exists():
        raise Failed("; ".join(f for f in goldens.faults() if run in f) or f"there is no run {run}")
    return json.loads(goldens.file(run).read_text())


def check(goldens, program, run):
    golden = stored(goldens, run)
    for max_train in (64, 1):
        result = measured(goldens, program, run, max_train)
        if kept(result) != {k: golden[k] for k in ("digest", "rows", "accounts")}:
            return False, (f"{run}: differs from its golden at max_train {max_train}.\n\n"
                           + moved(program, goldens.file(run), golden, result)
                           + f"\nIf that is meant to be so: sh tools/golden.sh --approve {run}, and name the rule that moved it.")
    return True, f"{run}: as its golden"


def check_digest(goldens, program, run):
    golden, digest = stored(goldens, run)["digest"], measured(goldens, program, run, 64)["digest"]
    return digest == golden, f"{digest}  {run}" + ("" if digest == golden else f": {program} differs from the golden, {golden}")


def approve(goldens, program, run):
    if run not in goldens.settings:
        raise Failed("; ".join(f for f in goldens.faults() if run in f) or f"there is no run {run}")
    result = measured(goldens, program, run, 64, ["--explain"])
    one = measured(goldens, program, run, 1)
    if kept(one) != kept(result):
        raise Failed(f"{run}: max_train 1 and 64 differ, which is a bug\n"
                     + "\n".join(difflib.unified_diff(lines_of(kept(one)), lines_of(kept(result)), "1", "64", lineterm="", n=0)))
    file, said = goldens.file(run), f"{run}: new"
    if file.exists():
        golden = json.loads(file.read_text())
        said = (f"{run}: as it was" if golden["rows"] == result["rows"] and lines_of(golden) == lines_of(kept(result)) else
                f"{run}: moved\n\n" + moved(program, file, golden, result))
    told = {"run": run, **kept(result), "explanations": of_ends(result["explanations"])}
    if not any(told["explanations"]):
        del told["explanations"]
    file.parent.mkdir(exist_ok=True)
    file.write_text(text_of(told) + "\n")
    cpu_s = one["cost"]["cpu_s"] + result["cost"]["cpu_s"]
    if cpu_s > MOST_CPU_S:
        said += f"\n{run}: takes {cpu_s:.1f} s of a core, more than {MOST_CPU_S:g}: give it smaller settings"
    return True, said


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=pathlib.Path(__file__).resolve().parent.parent.parent)
    todo = parser.add_mutually_exclusive_group()
    for option in ("--approve", "--digests", "--whole"):
        todo.add_argument(option, action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("program", nargs="?")
    parser.add_argument("runs", nargs="*", metavar="RUN")
    options = parser.parse_args()
    goldens = Goldens(options.root)
    if options.whole:
        faults = goldens.faults()
        print("\n".join(faults), file=sys.stderr, end="\n" if faults else "")
        return 1 if faults else 0
    if not options.program:
        parser.error("which PROGRAM?")
    do = approve if options.approve else check_digest if options.digests else check

    def one(run):
        try:
            return do(goldens, options.program, run)
        except Failed as e:
            return False, f"{run}: {e}"

    good = True
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for ok, said in pool.map(one, options.runs or goldens.runs()):
            print(said, flush=True)
            good = good and ok
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
