#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# self_test.sh ROOT: each diff of docs/extending.md alone applies to the tree, by patch and by git, and the others to what
# comes out; a diff that does not is told in words, and so are one too few, and one that makes a file that is there.
set -eu
root=$(CDPATH= cd -- "${1:?usage: self_test.sh ROOT}" && pwd)
here=$root/tests/extending
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
fail() { echo "$*"; exit 1; }
new_files() { find "$1" -name '*.cpp' ! -name catalog.cpp | wc -l; }

catalogs="models/catalog.cpp models/libraries/catalog.cpp src/topo/catalog.cpp scenarios/catalog.cpp"
document=$place/root/docs/extending.md
mkdir -p "$place/root/docs"
cp "$root/docs/extending.md" "$document"
# shellcheck disable=SC2086
(cd "$root" && cp --parents $catalogs "$place/root")
for n in 1 2 3 4; do  # who has applied one to the tree has it undone in the copy
  sh "$here/diff_of.sh" "$n" >"$place/diff"
  sed -n 's|^+++ b/||p' "$place/diff" | while read -r file; do
    [ ! -e "$root/$file" ] || (cd "$root" && cp --parents "$file" "$place/root")
  done
  ! sh "$here/applied.sh" "$place/root" "$place/diff" || patch -s -R -p1 -d "$place/root" <"$place/diff"
done

for n in 1 2 3 4; do
  for tool in "patch -s -p1" "git apply"; do
    command -v "${tool%% *}" >/dev/null || continue
    cp -r "$place/root" "$place/alone"
    # A repository of its own: in another one's ignored folder git would skip all.
    case $tool in git*) git -C "$place/alone" init -q ;; esac
    (cd "$place/alone" && sh "$here/diff_of.sh" "$n" | $tool) || fail "diff $n alone, by $tool"
    [ "$(new_files "$place/alone")" = 1 ] || fail "diff $n alone, by $tool, does not make one source file"
    sh "$here/diff_of.sh" "$n" >"$place/diff"
    sh "$here/applied.sh" "$place/alone" "$place/diff" || fail "diff $n is not known as applied"
    sh "$here/apply.sh" "$place/alone" "$place/three"
    [ "$(new_files "$place/three")" = 3 ] || fail "a tree with diff $n does not get the other three"
    rm -rf "$place/alone" "$place/three"
  done
done

# told WORDS: what `apply.sh` says of the document as it stands now.
told() {
  ! sh "$here/apply.sh" "$place/root" "$place/tree" 2>"$place/said" || fail "no word of: $1"
  grep -q "$1" "$place/said" || fail "not told \"$1\", but: $(cat "$place/said")"
}
sh "$here/apply.sh" "$place/root" "$place/tree"
[ -f "$place/tree/src/topo/complete.cpp" ] || fail "no new file"
before=$(stat -c %y "$place/tree/models/catalog.cpp")
sh "$here/apply.sh" "$place/root" "$place/tree"
[ "$(stat -c %y "$place/tree/models/catalog.cpp")" = "$before" ] || fail "a file that is as before has a new date"

sed -i 's|^ Topology edge_list_topology();$| Topology edge_lists_topology();|' "$document"
told 'diff 2 does not apply'
sed 's|^ ScenarioKind stream_scenario();$| ScenarioKind streams_scenario();|' "$root/docs/extending.md" >"$document"
told 'diff 4 does not apply'
sh -c 'awk "/^## A scenario/ { exit } { print }" "$1"' - "$root/docs/extending.md" >"$document"
told 'it has 3 diffs'
cp "$root/docs/extending.md" "$document"
touch "$place/root/src/topo/complete.cpp"
told 'makes src/topo/complete.cpp, which is there already'
rm "$place/root/src/topo/complete.cpp"
rm "$place/root/scenarios/catalog.cpp"
told 'changes scenarios/catalog.cpp, which is not there'
