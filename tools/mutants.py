#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants small faults in the models, one at a time, and asks whether a test notices.

  mutants.py [--count N] [--seed S] [--list] [PATH ...]

Draws N places (default 40) from the C++ sources below PATH (default: src/net src/flow models), changes an operator, a
constant or a call there, builds the unit, model and system tests in a copy of the tree (build/mutants) and runs them.
A mutant that no test kills is printed as a diff, and the exit code is 1: write the test, or show why the change alters
nothing that can be seen and say so in tools/mutants_equivalent.txt (its key, then the reason).
"""
import argparse
import hashlib
import os
import random
import re
import subprocess
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), ".."))
WORK = os.path.join(ROOT, "build", "mutants")
KNOWN = os.path.join(ROOT, "tools", "mutants_equivalent.txt")
TESTS = ["unit_test", "model_test", "system_test"]

# What is looked for in a line of code, and what stands there instead.
OPERATORS = [
    (r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "), (r" == ", " != "), (r" != ", " == "),
    (r" && ", " || "), (r" \|\| ", " && "), (r" \+ ", " - "), (r" - ", " + "), (r" \* ", " + "),
    (r"std::min\(", "std::max("), (r"std::max\(", "std::min("), (r" \+= ", " -= "), (r" -= ", " += "),
    (r"\+\+", "--"), (r"\b1\b", "2"), (r"\b0\b", "1"), (r"\btrue\b", "false"), (r"\bfalse\b", "true"),
    (r"if \((?!constexpr)", "if (!("), (r"^(\s+)[\w.>-]+\(.*\);$", r"\1;"), (r"^(\s+)[\w.\[\]>-]+ = .*;$", r"\1;"),
]


def is_code(line):
    s = line.strip()
    no = ("//", "#", "template", "static_assert", "namespace", "using", "case ", "}", "throw", "constexpr const char")
    return s and not s.startswith(no) and "fmt::format" not in s and "d.field" not in s and '"' not in s


def mutate(line, pattern, text):
    """Each way in which the pattern changes the line."""
    code = line.split("  //")[0]
    for m in re.finditer(pattern, code):
        if "<" in m.group(0) and re.search(r"template|std::(vector|array|function|optional)|_cast", code):
            continue
        out = code[:m.start()] + m.expand(text) + code[m.end():]
        if text == "if (!(":  # close the parenthesis that was opened
            depth, i = 1, m.start() + len(text)
            while i < len(out) and depth:
                depth += (out[i] == "(") - (out[i] == ")")
                i += 1
            if depth:
                continue
            out = out[:i] + ")" + out[i:]
        if out != code:
            yield out


def sites(paths):
    for path in sorted(subprocess.check_output(["git", "-C", ROOT, "ls-files", "--", *paths], text=True).split()):
        if not path.endswith((".cpp", ".hpp")):
            continue
        in_describe = False
        for number, line in enumerate(open(os.path.join(ROOT, path)).read().split("\n")):
            if re.match(r"^(void|std::string) .*(describe|text|name|refusal)\w*\(", line):
                in_describe = True  # words, defaults and ranges: other tests' business
            if line == "}":
                in_describe = False
            if in_describe or not is_code(line):
                continue
            for pattern, text in OPERATORS:
                for out in mutate(line, pattern, text):
                    yield path, number, line, out


def key(path, line, out):
    return hashlib.sha1(f"{path}\n{line.strip()}\n{out.strip()}".encode()).hexdigest()[:10]


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)


def prepare():
    os.makedirs(WORK, exist_ok=True)
    for name in subprocess.check_output(["git", "-C", ROOT, "ls-files"], text=True).split("\n"):
        if not name or not os.path.exists(os.path.join(ROOT, name)):
            continue
        to = os.path.join(WORK, "tree", name)
        text = open(os.path.join(ROOT, name), "rb").read()
        if not os.path.exists(to) or open(to, "rb").read() != text:
            os.makedirs(os.path.dirname(to), exist_ok=True)
            open(to, "wb").write(text)
            os.chmod(to, os.stat(os.path.join(ROOT, name)).st_mode)
    run(["cmake", "-S", os.path.join(WORK, "tree"), "-B", os.path.join(WORK, "build"), "-G", "Ninja",
         "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG", "-DCMAKE_UNITY_BUILD=ON",
         "-DCMAKE_UNITY_BUILD_BATCH_SIZE=16"], check=True)
    if not build():
        sys.exit("the tests do not build")
    if not survives():
        sys.exit("the tests fail without any mutant")


def build():
    return run(["cmake", "--build", os.path.join(WORK, "build"), "--target", *TESTS]).returncode == 0


def survives():
    # A mutant may run for ever: the limit is far above what any of these tests takes.
    return run(["ctest", "--test-dir", os.path.join(WORK, "build"), "-j", str(os.cpu_count()), "-L", "unit|model|system",
                "-LE", "full", "-E", "walls|links_no", "--stop-on-failure", "--timeout", "60"]).returncode == 0


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("paths", nargs="*", default=["src/net", "src/flow", "models"])
    p.add_argument("--count", type=int, default=40)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--list", action="store_true", help="print the mutants, run nothing")
    a = p.parse_args()
    known = {}
    if os.path.exists(KNOWN):
        for entry in open(KNOWN):
            if entry.strip() and not entry.startswith("#"):
                name, why = entry.split(None, 1)
                known[name] = why.strip()
    everything = list(sites(a.paths or ["src/net", "src/flow", "models"]))
    dice = random.Random(a.seed)
    dice.shuffle(everything)
    if not a.list:
        prepare()
    done, lived = 0, 0
    for path, number, line, out in everything:
        if done == a.count:
            break
        name = key(path, line, out)
        if name in known:
            continue
        if a.list:
            print(f"{name} {path}:{number + 1}: {line.strip()}  ->  {out.strip()}")
            done += 1
            continue
        file = os.path.join(WORK, "tree", path)
        lines = open(file).read().split("\n")
        lines[number] = out
        open(file, "w").write("\n".join(lines))
        if build():  # else it was no program
            done += 1
            fate = "lives" if survives() else "killed"
            lived += fate == "lives"
            print(f"{fate:6} {name} {path}:{number + 1}\n  - {line.strip()}\n  + {out.strip()}", flush=True)
        lines[number] = line
        open(file, "w").write("\n".join(lines))
    if not a.list:
        print(f"{done} mutants, {lived} live")
    return 1 if lived else 0


if __name__ == "__main__":
    sys.exit(main())
