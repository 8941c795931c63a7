#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs one small run with each program given and fails unless all print the same digest.
# Usage: sh tools/same_digest.sh PROGRAM...
set -eu
cd "$(dirname "$0")/.."
digest_of() {
  "$1" run configs/runs/tca_ping_pong.json --set '/scenario/sizes=["8 B","4 KiB","64 KiB"]' --set /scenario/iterations=5 \
    --format json | sed -n 's/.*"digest": *"\([0-9a-f]*\)".*/\1/p'
}
first=""
for program in "$@"; do
  digest=$(digest_of "$program")
  echo "$digest  $program"
  [ -n "$digest" ] || { echo "no digest from $program" >&2; exit 1; }
  [ -z "$first" ] || [ "$digest" = "$first" ] || { echo "digests differ" >&2; exit 1; }
  first=$digest
done
