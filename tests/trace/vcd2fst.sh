#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A value change dump survives GTKWave's own format: usage vcd2fst.sh PROGRAM CONFIG [TRACE.vcd]
# Works in the current folder: traces the run (or takes the trace given), converts it to FST and back, and compares
# every change of every signal, by name and time.
set -eu
program=$(realpath "${1:?usage: vcd2fst.sh PROGRAM CONFIG [TRACE.vcd]}")
config=$(realpath "${2:?usage: vcd2fst.sh PROGRAM CONFIG [TRACE.vcd]}")
given=${3:+$(realpath "$3")}
for tool in vcd2fst fst2vcd; do
  command -v "$tool" >/dev/null || { echo "needs $tool; tools/test_consumers.sh installs it" >&2; exit 1; }
done

mkdir -p vcd2fst
cd vcd2fst
if [ -n "$given" ]; then
  cp "$given" trace.vcd
else
  "$program" trace "$config" --to "30 us" --format vcd --out trace.vcd
fi
vcd2fst trace.vcd trace.fst
fst2vcd trace.fst > back.vcd

# One line a change, "TIME SCOPE.NAME VALUE", without leading zeros: the order at one time and the codes are free.
changes() {
  awk '
    $1 == "$scope" { scope = scope $3 "." }
    $1 == "$upscope" { sub(/[^.]*\.$/, "", scope) }
    $1 == "$var" { name[$4] = scope $5 }
    $1 == "$enddefinitions" { begun = 1; next }
    !begun || /^\$/ { next }
    /^#/ { time = substr($1, 2); print time, "time"; next }
    /^b/ { value = substr($1, 2); code = $2 }
    /^[01xz]/ { value = substr($1, 1, 1); code = substr($1, 2) }
    { sub(/^0+/, "", value); sub(/^x+$/, "x", value); print time, name[code], value == "" ? 0 : value }
  ' "$1" | sort
}
changes trace.vcd > sent.txt
changes back.vcd > received.txt
grep -q ' .*\.busy 1$' sent.txt || { echo "nothing was ever busy" >&2; exit 1; }
cmp sent.txt received.txt || { diff sent.txt received.txt | head -n 20 >&2; exit 1; }
echo "$(wc -l < sent.txt) changes"
