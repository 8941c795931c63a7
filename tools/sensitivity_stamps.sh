#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sensitivity_stamps.sh CMAKE ROOT CHECKED: what the page of each system in ROOT has to be of, a line each:
# "SYSTEM runs HASH configs HASH". CHECKED is what `tsunagi check --quick --format json` wrote: the first hash is of the
# values and digests of the figures as they are, the second of the configs that they are made of, the ranges included.
set -eu
cmake=$1
root=$2
checked=$3
tools=$(dirname "$0")
now=$(awk '
  /^      "id": / { id = $2 }
  /^      "system": / { name = $2; gsub(/[",]/, "", name) }
  /^      "simulated": / { print name, id, $2 }
  /^      "digests": \{/ { inside = !/\}/; next }
  inside && /\}/ { inside = 0; next }
  inside { print name, id, $0 }' "$checked")
for file in "$root"/configs/figures/*.json; do
  system=$(basename "$file" .json)
  [ "$system" != missed ] || continue  # decides what is told of a value, not the value
  its=$(printf '%s\n' "$now" | grep "^$system " | LC_ALL=C sort)
  [ -n "$its" ] || { echo "$checked has no figure of $system" >&2; exit 2; }
  echo "$system runs $(printf '%s\n' "$its" | sha256sum | cut -c1-16) $("$cmake" -DROOT="$root" -DSYSTEM="$system" -P "$tools/sensitivity_hashes.cmake")"
done
