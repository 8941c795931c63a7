#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sensitivity_fresh.sh CMAKE TOOLS ROOT: docs/sensitivity.md of ROOT is of the models and configs that are there.
set -eu
cmake=$1
tools=$2
root=$3
now=$("$cmake" -DROOT="$root" -P "$tools/sensitivity_hashes.cmake")
told=$(sed -n '1s/^<!-- \(.*\) -->$/\1/p' "$root/docs/sensitivity.md")
[ "$told" = "$now" ] || {
  echo "docs/sensitivity.md is stale: it is of $told, but here are $now."
  echo "When models and configs are as they are to be: sh tools/sensitivity.sh (an hour of two cores)."
  exit 1
}
