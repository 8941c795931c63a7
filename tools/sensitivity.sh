#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes docs/sensitivity/SYSTEM.md: how far the published figures move with each assumed or fitted parameter. Those of
# which the figures or their configs are others now; of all it takes an hour of two cores. PROGRAM (default:
# build/release/tsunagi) has to be built from this tree.
# Usage: sh tools/sensitivity.sh [--all | --compare] [PROGRAM]; --all: the pages that are fresh, too; --compare: of all,
# and nothing is written: exit 1 if a page would change
set -eu
cd "$(dirname "$0")/.."
which=stale
case ${1:-} in --all | --compare) which=${1#--}; shift ;; esac
tsunagi=${1:-build/release/tsunagi}
models=$(cmake -DROOT=. -P tools/sensitivity_hashes.cmake)
case $("$tsunagi" --version) in
  *"${models#models }"*) ;;
  *) echo "$tsunagi was built from other models than are here; build it again" >&2; exit 2 ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TSUNAGI_CONFIGS=configs
"$tsunagi" check --quick --format json --out "$work/checked.json" || [ $? = 1 ] # a figure that misses moves, too
sh tools/sensitivity_stamps.sh cmake . "$work/checked.json" >"$work/stamps"

page() { # system, stamp
  cat <<END
<!-- $2 -->
# How far the figures of $1 move

What the columns say: [sensitivity](../sensitivity.md). Written by \`sh tools/sensitivity.sh\` from
\`tsunagi check --sensitivity --system $1\`; by hand nothing here changes.

\`\`\`text
END
  "$tsunagi" check --sensitivity --system "$1"
  echo '```'
}

changed=
while read -r system stamp; do
  file=docs/sensitivity/$system.md
  [ "$which" != stale ] || ! head -n 1 "$file" 2>/dev/null | grep -qxF "<!-- $stamp -->" || continue
  page "$system" "$stamp" >"$work/page"
  if [ "$which" != compare ]; then
    cat "$work/page" >"$file"
  elif ! diff "$file" "$work/page"; then
    changed=yes
  fi
done <"$work/stamps"
[ -z "$changed" ] || { echo "docs/sensitivity is not what these models and configs give; run: sh tools/sensitivity.sh --all" >&2; exit 1; }
