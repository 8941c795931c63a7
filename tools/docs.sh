#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Puts what the program prints today into the examples in docs/*.md: blocks that begin with "```console" and, on the
# next line, "$ tsunagi ...". A block with one line "..." keeps as many lines before and behind it; one with more is left
# as it is, and named. Blocks of JSON that begin with "// NAME.json" are files that the examples behind them find. What
# the text around them says of the numbers is for you to read again.
# Usage: sh tools/docs.sh [PROGRAM]   (default: build/release/tsunagi)
set -eu
cd "$(dirname "$0")/.."
TSUNAGI=$(realpath "${1:-build/release/tsunagi}")
export TSUNAGI
[ -x "$TSUNAGI" ] || { echo "no program $TSUNAGI; build it, or name it: sh tools/docs.sh PROGRAM" >&2; exit 1; }

new=$(mktemp)
place=$(mktemp -d)
trap 'rm -rf "$new" "$place"' EXIT
root=$(pwd)
for file in docs/*.md; do
  rm -rf "$place"
  mkdir "$place"
  ln -s "$root"/* "$place"
  awk -v file="$file" -v place="$place" '
    # The lines of the block that `command` should print, as it stands in the file: old[1..n].
    function renew(command, n,    i, gaps, before, behind, printed, m, run) {
      gaps = 0
      for (i = 1; i <= n; ++i) if (old[i] == "...") { ++gaps; before = i - 1; behind = n - i }
      if (gaps > 1) {
        print file ": left as it is: " command > "/dev/stderr"
        for (i = 1; i <= n; ++i) print old[i]
        return
      }
      run = "cd " place "\ntsunagi() { \"$TSUNAGI\" \"$@\"; }\n" substr(command, 3)
      for (m = 0; (run | getline printed[m + 1]) > 0; ) ++m
      if (close(run) != 0 || m == 0) {
        print file ": failed: " command > "/dev/stderr"
        failed = 1
        exit 1
      }
      for (i = 1; i <= m; ++i) {
        if (gaps == 1 && before + behind < m) {
          if (i == before + 1) print "..."
          if (i > before && i <= m - behind) continue
        }
        print printed[i]
      }
    }
    { print }
    $0 == "```json" {
      if ((getline) <= 0) exit
      print
      if ($0 !~ /^\/\/ [^ ]+\.json$/) next
      shown = place "/" $2
      print > shown
      while ((getline) > 0 && $0 != "```") { print; print > shown }
      close(shown)
      print
    }
    $0 != "```console" { next }
    (getline) <= 0 { exit }
    { print }
    !/^\$ tsunagi / { next }
    {
      command = $0
      while (command ~ /\\$/ && (getline) > 0) { print; command = command "\n" $0 }
      n = 0
      while ((getline) > 0 && $0 != "```") old[++n] = $0
      renew(command, n)
      print "```"
    }
  ' "$file" > "$new" || exit 1
  cmp -s "$new" "$file" || { cat "$new" > "$file"; echo "$file: renewed"; }
done
