#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes docs/sensitivity.md: how far the published figures move with each assumed or fitted parameter. Takes
# an hour of two cores. PROGRAM (default: build/release/tsunagi) has to be built from this tree.
# Usage: sh tools/sensitivity.sh [--compare] [PROGRAM]; with --compare nothing is written: exit 1 if it would change
set -eu
cd "$(dirname "$0")/.."
file=docs/sensitivity.md
compare=
[ "${1:-}" != --compare ] || { compare=yes; shift; }
tsunagi=${1:-build/release/tsunagi}
hashes=$(cmake -DROOT=. -P tools/sensitivity_hashes.cmake)
models=${hashes#models }
case $("$tsunagi" --version) in
  *"${models%% *}"*) ;;
  *) echo "$tsunagi was built from other models than are here; build it again" >&2; exit 2 ;;
esac

new=$(mktemp)
trap 'rm -f "$new"' EXIT
{
  cat <<END
<!-- $hashes -->
# How far the figures move

Each parameter that is assumed or fitted (\`\$sources\` in \`configs/\`) is set to the ends of the range that its source commits it to
(*range*), and to 10 % less and more (*10 %*; whole numbers change by at least 1; not within a range whose ends both leave the figure
where it is), one at a time, everywhere it stands. *turned by* counts the parameters that take the figure out of its tolerance, or into
it if it misses now; below stands which. A figure that some assumption can break within its range is as good as that assumption; what
the words of \`tsunagi check\` are worth for the others, [fitting.md](fitting.md) says.

Written by \`sh tools/sensitivity.sh\` from \`tsunagi check --sensitivity\`; by hand nothing here changes. The first line has the hashes
of the models and of the configs that this is of: a test fails when they are others.

\`\`\`text
END
  TSUNAGI_CONFIGS=configs "$tsunagi" check --sensitivity
  echo '```'
} > "$new"
if [ -n "$compare" ]; then
  diff "$file" "$new" || { echo "$file is not what these models and configs give; run: sh tools/sensitivity.sh" >&2; exit 1; }
else
  cat "$new" > "$file"
fi
