#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes one small run a machine with each program given and fails unless all print the same digests.
# Usage: sh tools/same_digest.sh PROGRAM...
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || { echo "usage: sh tools/same_digest.sh PROGRAM..." >&2; exit 2; }

# digest PROGRAM RUN [option ...]
digest() {
  program=$1 run=$2
  shift 2
  "$program" run "configs/runs/$run.json" "$@" --format json | sed -n 's/.*"digest": *"\([0-9a-f]*\)".*/\1/p'
}

# same RUN [option ...]: compares what all programs make of one run.
same() {
  first=""
  for program in $programs; do
    found=$(digest "$program" "$@")
    echo "$found  $1  $program"
    [ -n "$found" ] || { echo "no digest from $program" >&2; exit 1; }
    [ -z "$first" ] || [ "$found" = "$first" ] || { echo "digests of $1 differ" >&2; exit 1; }
    first=$found
  done
}

programs="$*"
same tca_ping_pong --set '/scenario/sizes=["8 B","4 KiB","64 KiB"]' --set /scenario/iterations=5
same pcie_write_stream --set /scenario/messages=2
same torus_traffic --set '/scenario/loads=["30 %","90 %"]' --set '/scenario/window="2 us"' --set '/scenario/warm_up="1 us"'
same ring_traffic --set '/scenario/loads=["30 %"]' --set '/scenario/window="2 us"' --set '/scenario/warm_up="1 us"'
same incast --set '/scenario/window="2 us"' --set '/scenario/warm_up="1 us"'
same tca_local_counts --set '/scenario/counts=[4]'
same tca_gpu_dma_ping_pong --set '/scenario/sizes=["8 B","4 KiB"]' --set /scenario/iterations=2
same tca_all_to_all --set '/scenario/sizes=["256 B"]' --set /scenario/iterations=1
same tca_remote_read --set '/scenario/sizes=["4 KiB"]'
same cuda_peer_ping_pong --set '/scenario/sizes=["8 B","20 KiB"]' --set /scenario/iterations=2
same ib_traffic --set '/scenario/loads=["60 %"]' --set '/scenario/size="5 KiB"' --set '/scenario/window="20 us"' --set '/scenario/warm_up="5 us"'
same ib_write_bw_two_rails --set '/scenario/sizes=["8 B","5 KiB"]' --set /scenario/iterations=20
same mpi_bw --set '/scenario/sizes=["8 B","4 KiB","64 KiB"]' --set /scenario/iterations=2
