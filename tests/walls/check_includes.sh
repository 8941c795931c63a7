#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Walls of the house (README.md, "The house"): usage check_includes.sh ROOT
# Each file includes only rooms below its own; only src/sim and models/tlm name SystemC; scenarios never see models.
# Of the host's models only the root complex knows PCIe, and none else knows the root complex.
# Prints every violation as FILE:LINE: why; exit 1 if there is one, 2 for a room without a floor.
set -u
root=${1:?usage: check_includes.sh ROOT}
cd "$root" || exit 2
find src models scenarios -name '*.hpp' -o -name '*.cpp' 2>/dev/null | sort | xargs -r awk '
BEGIN {
  # figures stands on runner and below app; it has to be above everything that it checks.
  split("app 10 experiment 9 fit 9 lesson 9 cluster 8 figures 8 whatif 8 box 8 sweep 8 runner 7 explain 7 trace 7 draw 7 plot 7 page 7 import 7 compare 7 models 6 scenarios 6 machine 5 net 4 sim 3 topo 3 report 3 comm 3 config 2 stats 2 flow 2 fiber 2 units 1", a, " ")
  for (i = 1; i in a; i += 2) floor[a[i]] = a[i + 1]
  # Inner rooms of a room, from below.
  split("app/shell 1 app/files 2 app/new 3 app/lists 3 app/box 3 app/pages 3 app/lessons 3 app/sweep 3 app/commands 4 sweep/plan 1 sweep/results 2 sweep/collect 3 sweep/slurm 4", b, " ")
  for (i = 1; i in b; i += 2) inner[b[i]] = b[i + 1]
}
function room_of(path,   part) {
  split(path, part, "/")
  return part[1] == "src" ? part[2] : part[1]
}
function inner_of(path,   part) {
  sub(/^src\//, "", path)
  split(path, part, "/")
  return part[1] "/" part[2]
}
function complain(why) { print FILENAME ":" FNR ": " why; bad = 1 }
FNR == 1 {
  here = room_of(FILENAME)
  if (!(here in floor)) { complain("room \"" here "\" has no floor"); exit 2 }
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
  target = $0
  sub(/^[^"]*"/, "", target); sub(/".*$/, "", target)
  there = room_of(target)
  if (!(there in floor)) { complain("includes \"" target "\", which is in no room"); next }
  if (FILENAME ~ /^models\/host\// && FILENAME !~ /^models\/host\/root_complex/ && target ~ /^models\/(pcie\/|host\/root_complex)/)
    complain("host models other than the root complex know nothing of PCIe: includes \"" target "\"")
  if (there == here && (inner_of(target) in inner) && (inner_of(FILENAME) in inner) && inner[inner_of(target)] > inner[inner_of(FILENAME)])
    complain(inner_of(FILENAME) " (inner floor " inner[inner_of(FILENAME)] ") includes \"" target "\" (inner floor " inner[inner_of(target)] ")")
  if (FILENAME ~ /^models\/(host|gpu|pcie|peach2|infiniband|fpga|sr8000|tlm)\// && there == "comm")
    complain("devices know no messaging: includes \"" target "\"")
  if (there == here) next
  if (floor[there] >= floor[here])
    complain(here " (floor " floor[here] ") includes \"" target "\" (floor " floor[there] ")")
}
here != "sim" && FILENAME !~ /^models\/tlm\// && (/^[ \t]*#[ \t]*include[ \t]*<(systemc|systemc\.h|tlm|sysc\/.*)>/ || (/sc_core|sc_dt/ && !/^[ \t]*\/\//)) {
  complain("names SystemC outside src/sim and models/tlm")
}
END { exit bad }
'
