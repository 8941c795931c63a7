# SPDX-License-Identifier: Apache-2.0
# For tests that with_slurm.sh runs, sourced: a sweep of 12 points in a shared folder, and what happens to nodes.
# Needs $program, $configs and $tests, the folder of this file.
set -eu
program=$(realpath "$program")
configs=$(realpath "$configs")
. "$tests/wait_until.sh"
mkdir "$SLURM_TEST/my sweeps"
cd "$SLURM_TEST/my sweeps"
cat > seeds.json <<JSON
{"run": {"\$use": "$configs/runs/tca_pio_ping_pong.json",
         "scenario": {"sizes": ["8 B"], "iterations": ${ITERATIONS:-1}}},
 "axes": [{"name": "seed", "path": "/options/seed", "range": {"from": 1, "to": 12, "step": 1}}]}
JSON

fail() { echo "$*" >&2; exit 1; }
sweep() { "$program" sweep "$@"; }
# How many of the sweep's points are ...
points() { sweep status seeds.json --format json | python3 -c 'import json, sys; print(json.load(sys.stdin)["points"][sys.argv[1]])' "$1"; }
all_done() { [ "$(points done)" = 12 ]; }
collected() { [ -z "$(squeue --noheader)" ] && [ -s seeds.results/results.csv ]; }
# The processes of a node's tasks: of one shard, if it is named.
tasks_on() {
  for process in /proc/[0-9]*; do
    { tr '\0' '\n' <"$process/environ"; } 2>/dev/null | grep -q "^SLURMD_NODENAME=$1\$" || continue
    { tr '\0' ' ' <"$process/cmdline"; } 2>/dev/null | grep -q -- "--shard ${2:-[0-9]*}/" || continue
    basename "$process"
  done
}
nothing_runs() { [ -z "$(tasks_on n1)$(tasks_on n2)" ]; }
runs_on() { [ -n "$(tasks_on "$@")" ]; }
# The shards that a node runs.
shards_on() {
  for process in $(tasks_on "$1"); do
    { tr '\0' ' ' <"/proc/$process/cmdline"; echo; } | sed -n 's/.*--shard \([0-9]*\).*/\1/p'
  done | sort -u
}
# Tasks that wait for their own time, into $queued, once Slurm says of all that wait what for.
queued_again() {
  waiting=$(squeue --noheader --array --states=PENDING --format="%F_%K %r")
  queued=$(echo "$waiting" | sed -n 's/ BeginTime$//p')
  [ -n "$queued" ] && ! echo "$waiting" | grep -q ' None$'
}
# Until Slurm has noticed what became of n2 and has queued its tasks, $queued, again; they need not wait the two minutes that it
# then lets them wait.
wait_for_requeue() {
  wait_until 90 "node that is down" sh -c 'sinfo --noheader --nodes=n2 --format=%T | grep -q down'
  wait_until 30 "task that is queued again" queued_again
  [ "$(points queued)" -gt 0 ] || fail "$(sweep status seeds.json)"
  for job in $queued; do scontrol update "JobId=$job" StartTime=now; done
}
restarts() { scontrol show job "$1" | sed -n 's/.*Restarts=\([0-9]*\).*/\1/p'; }
# What is in the folder now is what the sweep makes alone: each point once, nothing half-written, the same digest.
check_results() {
  sweep run seeds.json --out alone --jobs 2 2>/dev/null
  alone=$(sweep collect seeds.json --out alone 2>&1 >alone.csv)
  there=$(sweep collect seeds.json 2>&1 >there.csv)
  [ "$there" = "$alone" ] || fail "collected: $there, alone: $alone"
  cmp alone.csv there.csv
  cmp alone.csv seeds.results/results.csv
  [ "$(find seeds.results/points -type f | wc -l)" = 12 ] || fail "not one file a point: $(find seeds.results/points)"
  [ -z "$(find seeds.results -name '*.part*')" ] || fail "half-written: $(find seeds.results -name '*.part*')"
}
