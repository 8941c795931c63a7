#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the answers of all lessons, for whatever is drawn, behind the mark in docs/learn/instructor.md.

Usage: python3 tools/answers.py [--out FILE.md]   (default: the page itself)

What stands before the mark is kept. Formulas are evaluated here once more, independently of the program: a test
(tests/system/shipped/lessons_test.cpp) holds the page to the program's values.
"""
import argparse
import itertools
import json
import math
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/learn/instructor.md"
MARK = "<!-- answers: written by tools/answers.py -->\n"
UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "B": 1.0, "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30,
         "KB": 1e3, "MB": 1e6, "GB": 1e9, "KB_s": 1e3, "MB_s": 1e6, "GB_s": 1e9}
FUNCTIONS = {"log2": math.log2, "sqrt": math.sqrt, "exp": math.exp}


def in_base(text):
    """A drawn value in seconds, bytes or as it is."""
    number, _, unit = text.partition(" ")
    return float(number) * (UNITS[unit] if unit else 1.0)


def value_of(formula, drawn):
    """What a formula gives with these values."""
    filled = re.sub(r"\{(\w+)\}", lambda hole: repr(in_base(drawn[hole[1]])), formula)
    return eval(filled, {"__builtins__": {}}, {**UNITS, **FUNCTIONS})  # of our own files


def in_cell(text):
    return text.replace("|", "\\|")


def table(head, rows):
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows]) + "\n"


def question(label, asked, draws):
    """A question's answers and mistakes, as Markdown."""
    unit = asked.get("unit", "")
    names = [name for name in draws if "{" + name + "}" in asked["formula"]]
    drawn = [dict(zip(names, values)) for values in itertools.product(*(draws[name] for name in names))]
    out = f"**{label})** {asked['ask']}\n\n`{asked['formula']}`, to within {asked['within'] * 100:g} %.\n\n"
    answer = "answer" + (f", {unit}" if unit else "")
    out += table([*names, answer], [[*d.values(), f"{value_of(asked['formula'], d):.4g}"] for d in drawn])
    out += f"\nNo mistake recognised: \"{asked['hint']}\"\n"
    mistakes = asked.get("mistakes", [])
    if mistakes:
        first = {name: values[0] for name, values in draws.items()}
        rows = [[f"`{m['formula']}`", f"{value_of(m['formula'], first):.4g}", in_cell(m["hint"])] for m in mistakes]
        out += "\n" + table(["mistake", "comes to, with the first values", "hint"], rows)
    return out


def lesson(number, file):
    text = re.sub(r"^\s*//.*$", "", file.read_text(), flags=re.MULTILINE)
    read = json.loads(text)
    draws = {draw["name"]: draw["values"] for draw in read.get("draws", [])}
    out = f"### {number} · {read['title']}\n\n{read['minutes']} minutes. It needs {read['needs']}. Beside it: {read['book']}.\n"
    for i, asked in enumerate(read["questions"]):
        out += "\n" + question(chr(ord("a") + i), asked, draws)
    return out + f"\n*Task:* {read['task']}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, default=PAGE)
    out = parser.parse_args().out
    by_hand = PAGE.read_text().partition(MARK)[0]
    files = sorted((ROOT / "configs/lessons").glob("*.json"))
    out.write_text(by_hand + MARK + "".join("\n" + lesson(i + 1, f) for i, f in enumerate(files)))


if __name__ == "__main__":
    main()
