#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the house from its code: rooms on their floors, and who includes whom.

Usage: python3 tools/architecture.py [--out FILE.svg]   (default: standard output)

Floors are those of tests/walls/check_includes.sh. A line says that a room includes another one, as wide as it does so
often; one that only shortens a way over other rooms is left out. Inner rooms stand below a room's name, each with the
number of its files.
"""
import argparse
import collections
import pathlib
import re
import sys
import xml.sax.saxutils

ROOT = pathlib.Path(__file__).resolve().parent.parent
WIDTH, ROW, BOX, MARGIN = 1280, 96, 60, 20
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)


def floors():
    """Floor of each room, as the walls have them."""
    text = (ROOT / "tests/walls/check_includes.sh").read_text()
    words = re.search(r'split\("(app [^"]+)"', text).group(1).split()
    return {room: int(floor) for room, floor in zip(words[::2], words[1::2])}


def folder_of(room):
    return ROOT / room if room in ("models", "scenarios") else ROOT / "src" / room


def files_of(folder):
    return [f for f in sorted(folder.rglob("*")) if f.suffix in (".hpp", ".cpp")]


def includes(rooms):
    """Number of includes from each room to each other."""
    out = collections.Counter()
    for room in rooms:
        for file in files_of(folder_of(room)):
            for target in INCLUDE.findall(file.read_text()):
                there = target.split("/")[0]
                if there in rooms and there != room:
                    out[room, there] += 1
    return out


def without_short_cuts(edges):
    """The same but for what is reached over other rooms, too."""
    below = collections.defaultdict(set)
    for here, there in edges:
        below[here].add(there)

    def reaches(here, there):
        return here == there or any(reaches(next_, there) for next_ in below[here])

    return {(here, there): count for (here, there), count in edges.items()
            if not any(next_ != there and reaches(next_, there) for next_ in below[here])}


def inner_rooms(room):
    return [f"{d.name} {len(files_of(d))}" for d in sorted(folder_of(room).iterdir()) if d.is_dir() and files_of(d)]


def layout(rooms):
    """Left, top and width of each room's box."""
    rows = collections.defaultdict(list)
    for room, floor in rooms.items():
        rows[floor].append(room)
    out = {}
    for floor, names in rows.items():
        width = min((WIDTH - 2 * MARGIN) / len(names), 420)
        left = (WIDTH - width * len(names)) / 2
        for i, name in enumerate(sorted(names)):
            out[name] = (left + i * width + 8, MARGIN + (max(rows) - floor) * ROW, width - 16)
    return out


def lines_of(words, columns):
    """Words in lines of so many letters, at most two."""
    lines = [""]
    for word in words:
        if len(lines[-1]) + len(word) + 2 > columns and lines[-1]:
            lines.append("")
        lines[-1] += (", " if lines[-1] else "") + word
    return lines if len(lines) <= 2 else [lines[0], lines[1] + ", …"]


def box(room, place):
    x, y, width = place
    text = xml.sax.saxutils.escape
    out = [f'<rect x="{x:.0f}" y="{y}" width="{width:.0f}" height="{BOX}" rx="6" fill="#eef3f8" stroke="#345"/>',
           f'<text x="{x + width / 2:.0f}" y="{y + 20}" text-anchor="middle" font-size="16">{text(room)}'
           f' <tspan font-size="11" fill="#567">{len(files_of(folder_of(room)))}</tspan></text>']
    for i, line in enumerate(lines_of(inner_rooms(room), int(width / 6))):
        out.append(f'<text x="{x + width / 2:.0f}" y="{y + 37 + 14 * i}" text-anchor="middle" font-size="11"'
                   f' fill="#567">{text(line)}</text>')
    return out


def edge(start, end, count):
    (x1, y1, w1), (x2, y2, w2) = start, end
    return (f'<path d="M{x1 + w1 / 2:.0f},{y1 + BOX} C{x1 + w1 / 2:.0f},{y1 + BOX + 40} {x2 + w2 / 2:.0f},{y2 - 40} '
            f'{x2 + w2 / 2:.0f},{y2}" fill="none" stroke="#678" stroke-opacity="0.6" '
            f'stroke-width="{min(1 + count / 15, 6):.1f}"/>')


def picture():
    rooms = floors()
    places = layout(rooms)
    height = 2 * MARGIN + (max(rooms.values()) - 1) * ROW + BOX
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
           'font-family="sans-serif"><rect width="100%" height="100%" fill="white"/>']
    for (here, there), count in sorted(without_short_cuts(includes(rooms)).items()):
        out.append(edge(places[here], places[there], count))
    for room in sorted(rooms):
        out += box(room, places[room])
    return "\n".join(out + ["</svg>", ""])


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--out", type=pathlib.Path)
    out = arguments.parse_args().out
    if out is None:
        sys.stdout.write(picture())
    else:
        out.write_text(picture())


if __name__ == "__main__":
    main()
