#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Only a node's daemon dies: its task lives on while its shard is queued again, so two write the same points; one result
# of each is there, the first one. Usage: with_slurm.sh daemon_dies.sh PROGRAM CONFIGS
program=$1
configs=$2
ITERATIONS=200000
tests=$(dirname "$(realpath "$0")")
. "$tests/site.sh"
sweep submit seeds.json --slurm --shards 4
wait_until 60 "task on n2" runs_on n2
kill -KILL "$(cat "$SLURM_TEST/slurmd-n2.pid")"
orphans=$(tasks_on n2)
shard=$(shards_on n2 | head -n 1)
kill -STOP $orphans  # so that they are still at it when the shard begins again
wait_for_requeue
wait_until 60 "second writer" runs_on n1 "$shard"
kill -CONT $orphans
runs_on n2 "$shard" || fail "the first writer is gone"
first=$(find seeds.results/points -type f -exec sha256sum {} +)
wait_until 120 "end of both writers" nothing_runs
wait_until 60 "table" collected
echo "$first" | sha256sum --check --quiet
check_results
