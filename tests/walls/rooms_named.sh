#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The maps in README.md of these folders name each folder in them, and none else: usage rooms_named.sh ROOT
set -u
cd "${1:?usage: rooms_named.sh ROOT}" || exit 2
place=$(mktemp -d) || exit 2
trap 'rm -rf "$place"' EXIT
bad=0
for map in models models/libraries scenarios tests; do
  grep '^| `' "$map/README.md" | cut -d '|' -f 2 | grep -o '`[a-z0-9_]*/`' | tr -d '`/' | sort >"$place/told"
  find "$map" -mindepth 1 -maxdepth 1 -type d | sed 's,.*/,,' | sort >"$place/there"
  diff "$place/there" "$place/told" || { echo "$map has other folders (<) than $map/README.md names (>)"; bad=1; }
done
exit $bad
