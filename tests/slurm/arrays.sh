#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Arrays as large as the site allows, tasks that are cancelled, and what is submitted again.
# Usage: SLURM_TEST_MAX_ARRAY=4 with_slurm.sh arrays.sh PROGRAM CONFIGS
program=$1
configs=$2
ITERATIONS=200000
tests=$(dirname "$(realpath "$0")")
. "$tests/site.sh"
sweep submit seeds.json --slurm --shards 7 -- --comment="it's a test" --time=5
[ "$(grep -c array seeds.results/slurm/1/jobs)" -ge 2 ] || fail "$(cat seeds.results/slurm/1/jobs)"
wait_until 60 "task" runs_on n1
sweep submit seeds.json --slurm --shards 5 2>&1 | grep -q 'nothing to submit: jobs have all points' || fail "submitted twice"
array=$(sed -n '2s/ .*//p' seeds.results/slurm/1/jobs)
scancel "$array"  # a task that is ended keeps what it has simulated
wait_until 60 "table" collected
missing=$(points missing)
[ "$missing" -gt 0 ] || fail "$(sweep status seeds.json)"
grep -q "$missing missing" seeds.results/slurm/1/collect-*.log || fail "$(cat seeds.results/slurm/1/collect-*.log)"
[ "$(points done)" = $((12 - missing)) ] || fail "$(sweep status seeds.json)"

# By hand, from the scripts; what the collector also waits for may have been forgotten by then.
script=$(sweep submit seeds.json --slurm --shards 7 --dry-run)
sed -i 's/^after=$/after=:999999/' seeds.results/slurm/2/submit.sh
sh -c "$script"
wait_until 60 "queue that is empty" sh -c '[ -z "$(squeue --noheader)" ]'
all_done || fail "$(sweep status seeds.json)"
check_results
