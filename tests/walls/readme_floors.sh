#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# README.md draws the floors that check_includes.sh holds: usage readme_floors.sh ROOT
# Prints what only one of them says; exit 1 if there is something, or if either says nothing.
set -eu
root=${1:?usage: readme_floors.sh ROOT}
here=$(CDPATH= cd -- "$(dirname "$0")" && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# A line that begins with a number begins a floor; rooms are the words "src/…", "models/" and "scenarios/".
awk '
  /^## / { inside = $0 == "## The house" }
  inside && $0 == "```" { drawn = !drawn; next }
  inside && drawn {
    if ($1 ~ /^[0-9]+$/) floor = $1
    for (i = 1; i <= NF; i++)
      if ($i ~ /^(src\/[a-z]+|models\/|scenarios\/)$/) { sub(/^src\//, "", $i); sub(/\/$/, "", $i); print $i, floor }
  }
' "$root/README.md" | sort >"$place/drawn"
sed -n 's/^ *split("\(app [^"]*\)", a, " ")$/\1/p' "$here/check_includes.sh" | xargs -n 2 | sort >"$place/held"

[ -s "$place/drawn" ] && [ -s "$place/held" ] || { echo "no floors in README.md or in check_includes.sh"; exit 1; }
diff "$place/held" "$place/drawn" || { echo "check_includes.sh (<) holds other floors than README.md (>) draws"; exit 1; }
