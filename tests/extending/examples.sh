#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# examples.sh PROGRAM ROOT: docs/extending.md is true of the program with its additions: they are listed, the files that it
# shows validate, its commands print what stands there (all of it, or what is before "..."), schemas know the new
# fields, and a misspelt one is refused with its place. Prints every failure; exit 1 then.
set -eu
program=$(realpath "${1:?usage: examples.sh PROGRAM ROOT}")
root=$(CDPATH= cd -- "${2:?usage: examples.sh PROGRAM ROOT}" && pwd)
document=$root/docs/extending.md
unset TSUNAGI_CONFIGS
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
ln -s "$root/configs" configs
mkdir -p build/release
ln -s "$program" build/release/tsunagi  # as its commands call it
failed=0
fail() { echo "$*"; failed=1; }

# N.sh is a command, N.expected what should be printed; shown.txt lists the files that are shown.
awk '
  $0 == "```json" {
    if ((getline) <= 0) exit
    if ($0 !~ /^\/\/ [^ ]+\.json$/) next
    shown = $2
    print shown > "shown.txt"
    do print > shown; while ((getline) > 0 && $0 != "```")
    close(shown)
  }
  $0 == "```console" {
    ++n
    if ((getline) <= 0) exit
    sub(/^\$ /, "")
    print > (n ".sh")
    while (/\\$/ && (getline) > 0) print > (n ".sh")
    printf "" > (n ".expected")
    while ((getline) > 0 && $0 != "```") print > (n ".expected")
  }
' "$document"

files=$(cat shown.txt)
[ "$(wc -l <shown.txt)" -ge 4 ] || fail "fewer than four files are shown"
for file in $files; do
  ./build/release/tsunagi validate "$file" >said 2>&1 || fail "$file: $(cat said)"
done

n=0
while [ -e "$((n + 1)).sh" ]; do
  n=$((n + 1))
  code=0
  sh "$n.sh" >printed 2>said || code=$?
  [ "$code" = 0 ] || fail "exit $code of $(cat "$n.sh"): $(cat said)"
  if [ "$(tail -n 1 "$n.expected")" = ... ]; then
    sed -i '$d' "$n.expected"
    head -n "$(wc -l <"$n.expected")" printed >first
    mv first printed
  fi
  diff "$n.expected" printed >difference || fail "docs/extending.md (<) is not what is printed (>) by $(cat "$n.sh")
$(cat difference)"
done
[ "$n" -ge 4 ] || fail "fewer than four commands are shown"

# listed TOPIC KIND FAMILY FIELD...: `list` names it, and its schema its fields.
listed() {
  topic=$1 kind=$2 family=$3
  shift 3
  ./build/release/tsunagi list "$topic" | grep -q "^ *$kind  " || fail "list $topic does not name $kind"
  ./build/release/tsunagi schema "$family" "$kind" >schema.json || fail "schema $family $kind fails"
  for field; do grep -q "\"$field\"" schema.json || fail "the schema of $kind does not know $field"; done
}
listed devices network_processor device packet_cycles width
listed topologies complete topology routers terminals
listed libraries striped library networks
listed scenarios token_ring scenario sizes rounds

# refused FILE FIELD MISSPELT WHERE: the field misspelt is a bad config, told with its line and place.
refused() {
  sed "s/\"$2\":/\"$3\":/" "$1" >misspelt.json
  code=0
  ./build/release/tsunagi run misspelt.json >printed 2>said || code=$?
  [ "$code" = 2 ] || fail "$1 with \"$3\": exit $code, not 2"
  line=$(grep -n "\"$3\"" misspelt.json | head -n 1 | cut -d : -f 1)
  grep -q "^misspelt.json:$line:[0-9]*: $4: unknown key \"$3\"; did you mean \"$2\"" said ||
    fail "$1 with \"$3\" is refused so: $(cat said)"
}
refused smart.json packet_cycles packet_cyles /machine/topology/devices/s0
refused complete.json routers ruoters /machine/topology
refused striped.json networks netwroks /library
refused token.json rounds ronuds /scenario
exit "$failed"
