#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# applied.sh ROOT DIFF: whether the folder ROOT is as the diff leaves it; exit 0: it is.
set -eu
root=${1:?usage: applied.sh ROOT DIFF}
diff=$(realpath "${2:?usage: applied.sh ROOT DIFF}")
sed -n 's|^+++ b/||p' "$diff" | while read -r file; do
  [ -f "$root/$file" ] || exit 1
done || exit 1
patch -p1 -R --force --dry-run --fuzz=0 --silent --directory="$root" <"$diff" >/dev/null 2>&1
