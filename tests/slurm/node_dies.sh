#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A node goes away with its tasks: they are queued again, nothing is lost. Usage: with_slurm.sh node_dies.sh PROGRAM CONFIGS
program=$1
configs=$2
ITERATIONS=200000
tests=$(dirname "$(realpath "$0")")
. "$tests/site.sh"
sweep submit seeds.json --slurm --shards 4
wait_until 60 "task on n2" runs_on n2
doomed=$(tasks_on n2)
kill -STOP $doomed  # they shall not be over before we are
steps=$(for task in $doomed; do ps -o ppid= -p "$task"; done | sort -u | while read -r parent; do
  if grep -q slurmstepd "/proc/$parent/comm"; then echo "$parent"; fi
done)
[ -n "$steps" ] || fail "no slurmstepd on n2"
kill -KILL "$(cat "$SLURM_TEST/slurmd-n2.pid")" $steps $doomed
wait_for_requeue
wait_until 120 "table" collected
all_done || fail "$(sweep status seeds.json)"
for job in $queued; do
  [ "$(restarts "$job")" = 1 ] || fail "$job has begun otherwise than once again"
done
check_results
