#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each room links alone: with the rooms that it includes, each library with those that CMake links to it.

Usage: python3 links_alone.py ROOT [OBJECTS [LIBRARIES]]
OBJECTS: a file with the objects of all libraries, one a line; LIBRARIES: one with "name other;other" a line.

What an object needs must be defined in its own room or in one whose headers its room includes: else something is
declared in one room and defined in another, which only a program that has both can link; and in its library or one that
is linked to that. Nor does a room define what another one declares, whoever needs it. Rooms of models must not include
each other in a circle. Prints every violation; exit 1 if there is one.
"""
import collections
import pathlib
import posixpath
import re
import subprocess
import sys

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)
OURS = re.compile(r"\d+tsunagi")  # in a mangled name: something of namespace tsunagi


def room_of(path):
    """Room of a file, by its path below ROOT: "net", "models/host", "models/libraries/mpi". Catalogs know all rooms of
    models; what their headers declare is a program's own to define (docs/extending.md)."""
    part = path.split("/")
    if part[0] == "src":
        return part[1]
    if part[0] != "models":
        return part[0]
    if part[-1] == "catalog.cpp":
        return "models/catalog"
    return "/".join(part[:-1][: 3 if part[1] == "libraries" else 2])


def place_of_object(path):
    """Library and room of an object by where CMake puts it; `rules` are pure parts of models, below all of them."""
    library, inner = re.search(r"CMakeFiles/tsunagi_(\w+)\.dir/(.*)$", path).groups()
    if library != "models":
        return library, library
    unity = re.search(r"unity_(.*)_cxx\.cxx", inner)
    if not unity:
        return library, room_of(re.sub(r"\.(o|obj)$", "", inner))
    return library, "models/" + re.sub("^libraries_", "libraries/", unity.group(1).strip("_"))


def read(root):
    """Files by path below `root`, with what each includes."""
    out = {}
    for top in ("src", "models", "scenarios"):
        for file in sorted((root / top).rglob("*.[hc]pp")):
            out[file.relative_to(root).as_posix()] = INCLUDE.findall(file.read_text())
    return out


def path_of(include):
    return include if include.split("/")[0] in ("models", "scenarios") else "src/" + include


def included_rooms(files):
    """Of each room the rooms whose headers its files see."""
    seen = {}

    def headers(path):
        if path not in seen:
            seen[path] = set()  # whoever includes himself
            for include in files.get(path, []):
                seen[path] |= {path_of(include)} | headers(path_of(include))
        return seen[path]

    out = collections.defaultdict(set)
    for path in files:
        out[room_of(path)] |= {room_of(h) for h in headers(path)}
    return out


def circles(files):
    """Rooms of models that include each other, by way of others or not."""
    next_rooms = collections.defaultdict(dict)
    for path, includes in files.items():
        for include in includes:
            here, there = room_of(path), room_of(path_of(include))
            if here != there and here.startswith("models/") and there.startswith("models/"):
                next_rooms[here].setdefault(there, path)
    for start in sorted(next_rooms):
        ways = {start: []}
        queue = collections.deque([start])
        while queue:
            room = queue.popleft()
            for there, path in sorted(next_rooms[room].items()):
                if there == start:
                    if min(ways[room] + [room]) >= start:  # each circle once
                        yield " > ".join(ways[room] + [room, start]) + f": {path} includes the last"
                elif there not in ways:
                    ways[there] = ways[room] + [room]
                    queue.append(there)


def symbols(objects):
    """Where what is of namespace tsunagi is defined, in one place alone (no inline functions), and where it is needed:
    libraries and rooms by symbol."""
    defined, alone, needed = (collections.defaultdict(set) for _ in range(3))
    for path in objects:
        listing = subprocess.run(["nm", "-P", path], check=True, capture_output=True, text=True).stdout
        for line in listing.splitlines():
            name, kind = line.split()[:2]
            if OURS.search(name) and kind not in "wv":
                (needed if kind == "U" else defined)[name].add(place_of_object(path))
            if OURS.search(name) and kind == "T":
                alone[name].add(place_of_object(path))
    return defined, alone, needed


def linked_libraries(lines):
    """Of each library those that are linked with it, itself among them."""
    direct = {}
    for line in lines:
        name, _, others = line.partition(" ")
        direct[name] = [o[len("tsunagi_"):] for o in others.split(";") if o.startswith("tsunagi_")]

    def closure(name):
        return {name}.union(*(closure(o) for o in direct.get(name, [])))

    return {name: closure(name) for name in direct}


def plain(name):
    return subprocess.run(["c++filt", name], check=True, capture_output=True, text=True).stdout.strip()


def unlinked(files, defined, needed, linked):
    """What rooms and libraries need of others that they do not have."""
    seen = included_rooms(files)
    pure = {"rules", "wire_rules"}
    for name, places in sorted(needed.items()):
        libraries = {library for library, _ in defined[name]}
        rooms = {room for _, room in defined[name]}
        for library, room in sorted(places):
            if not rooms:
                yield f"{room} needs {plain(name)}, defined in no room"
            # Pure rules are parts of rooms, in a library below them, which the unit tests link alone. A catalog declares
            # the entries of all rooms itself.
            elif room not in pure | {"models/catalog"} and not rooms & (seen[room] | pure | {room, "models/catalog"}):
                yield f"{room} needs {plain(name)}, defined in {' and '.join(sorted(rooms))}, of which it includes nothing"
            elif linked and not libraries & linked[library]:
                yield f"library {library} needs {plain(name)} of {' and '.join(sorted(libraries))}, which it does not link"


CLASS = re.compile(r"\b(?:class|struct)\s+(?:alignas\(\w+\)\s+)?(\w+)[^;{}()]*\{")
FUNCTION = re.compile(r"\b(\w+)\(\s*(?:const\s+)?(?:\w+::)*(\w*)")
DEFINED = re.compile(r"tsunagi::([\w:]+)\((?:(?:\w+::)*(\w+))?")


def declared(root, files):
    """Rooms whose headers define a class, by its name, or name a function, by its name and its first parameter's."""
    out = collections.defaultdict(set)
    for path in files:
        if path.endswith(".hpp"):
            text = (root / path).read_text()
            for key in CLASS.findall(text) + FUNCTION.findall(text):
                out[key].add(room_of(path))
    return out


def misplaced(root, files, defined):
    """What a room defines and the headers of others alone declare."""
    places = declared(root, files)
    names = sorted(defined)
    listing = subprocess.run(["c++filt"], input="\n".join(names), check=True, capture_output=True, text=True).stdout
    for name, text in zip(names, listing.splitlines()):
        ((_, room),) = defined[name]  # else no program would link
        match = DEFINED.match(text)
        if not match or room in ("rules", "wire_rules", "models/catalog"):
            continue
        way = match.group(1).split("::")
        scope = next((part for part in way[:-1] if part[0].isupper()), None)
        rooms = places[scope] if scope else places[(way[-1], match.group(2) or "")]
        if rooms and room not in rooms:
            yield f"{room} defines {text}, which {' and '.join(sorted(rooms))} declares"


def lines_of(file):
    return pathlib.Path(file).read_text().splitlines()


def main():
    root = pathlib.Path(sys.argv[1])
    files = read(root)
    wrong = ["rooms include each other: " + circle for circle in circles(files)]
    if len(sys.argv) > 2:
        linked = linked_libraries(lines_of(sys.argv[3])) if len(sys.argv) > 3 else {}
        # As CMake writes them: with ".", and precompiled headers among them.
        objects = [posixpath.normpath(path) for path in lines_of(sys.argv[2]) if path.endswith(".o")]
        defined, alone, needed = symbols(objects)
        wrong += unlinked(files, defined, needed, linked)
        wrong += misplaced(root, files, alone)
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
