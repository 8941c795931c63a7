#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sensitivity_fresh.sh CMAKE TOOLS ROOT CHECKED: the pages in docs/sensitivity of ROOT are of the figures and configs that
# are there. CHECKED is what `tsunagi check --quick --format json` wrote.
set -eu
cmake=$1
tools=$2
root=$3
checked=$4
stale=
stamps=$(sh "$tools/sensitivity_stamps.sh" "$cmake" "$root" "$checked")
while read -r system stamp; do
  told=$(sed -n '1s/^<!-- \(.*\) -->$/\1/p' "$root/docs/sensitivity/$system.md" 2>&1 || true)
  [ "$told" != "$stamp" ] || continue
  stale=yes
  echo "docs/sensitivity/$system.md is stale: it is of ${told:-nothing}, but here are $stamp."
done <<END
$stamps
END
[ -z "$stale" ] || { echo "When models and configs are as they are to be: sh tools/sensitivity.sh"; exit 1; }
