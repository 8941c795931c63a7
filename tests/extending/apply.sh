#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# apply.sh ROOT TREE: makes the folder TREE of what the diffs of docs/extending.md say: the new files, and patched copies
# of those that they change. Each diff alone must apply to what is in ROOT, and no two may change one file; one that ROOT
# has already been given is left out. What is the same as before keeps its date. Prints what is wrong; exit 1 then.
set -eu
root=${1:?usage: apply.sh ROOT TREE}
tree=${2:?usage: apply.sh ROOT TREE}
here=$(CDPATH= cd -- "$(dirname "$0")" && pwd)
document=$root/docs/extending.md
fail() { echo "docs/extending.md: $*" >&2; exit 1; }

command -v patch >/dev/null || fail "its diffs need the program patch (Debian: patch; sh tools/packages.sh installs it)"
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
mkdir "$new/tree"
n=0
while sh "$here/diff_of.sh" $((n + 1)) "$document" >"$new/diff"; do
  n=$((n + 1))
  sed -n 's|^--- a/||p' "$new/diff" >"$new/changed"
  sed -n 's|^+++ b/||p' "$new/diff" >"$new/results"
  [ -s "$new/changed" ] || fail "diff $n adds no line to a file that is there (a catalog)"
  sh "$here/applied.sh" "$root" "$new/diff" && continue
  while read -r file; do
    [ ! -e "$new/tree/$file" ] || fail "diff $n changes $file, as another one does"
  done <"$new/results"
  while read -r file; do
    [ -f "$root/$file" ] || fail "diff $n changes $file, which is not there"
    mkdir -p "$new/tree/$(dirname "$file")"
    cp "$root/$file" "$new/tree/$file"
  done <"$new/changed"
  while read -r file; do
    grep -qxF "$file" "$new/changed" || [ ! -e "$root/$file" ] || fail "diff $n makes $file, which is there already"
  done <"$new/results"
  patch -p1 --fuzz=0 --no-backup-if-mismatch --directory="$new/tree" <"$new/diff" >"$new/said" 2>&1 ||
    fail "diff $n does not apply; make it anew from a tree that has the addition (git diff):
$(cat "$new/said")"
done
[ "$n" -ge 4 ] || fail "it has $n diffs, not one each for a device, a topology, a library and a scenario"

mkdir -p "$tree"
(cd "$tree" && find . -type f) | while read -r file; do
  [ -e "$new/tree/$file" ] || rm "$tree/$file"
done
(cd "$new/tree" && find . -type f) | while read -r file; do
  cmp -s "$new/tree/$file" "$tree/$file" && continue
  mkdir -p "$tree/$(dirname "$file")"
  cp "$new/tree/$file" "$tree/$file"
done
