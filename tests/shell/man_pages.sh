#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# man_pages.sh PROGRAM: groff and mandoc have nothing to say against any man page, and print each option.
set -eu
tsunagi=$(realpath "${1:?}")
for tool in groff mandoc; do
  command -v "$tool" >/dev/null || { echo "needs $tool; tools/test_consumers.sh installs it" >&2; exit 1; }
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for command in $("$tsunagi" __complete "" | sed -n 's/^\([a-z]*\)\t.*/\1/p') ""; do
  [ "$command" != help ] || continue
  page=tsunagi${command:+-}$command.1
  "$tsunagi" help --man $command >"$page"
  groff -man -Tutf8 -ww -z "$page" 2>complaints
  mandoc -T lint -W style "$page" >>complaints || true
  # There is no tsunagi on this machine's man path for it to refer to.
  grep -v 'referenced manual not found' complaints && { echo "$page has faults"; exit 1; }
  groff -man -Tascii -P-c "$page" | sed 's/.\x08//g' >text
  for option in $("$tsunagi" __complete ${command:-run} -- | cut -f1); do
    [ -z "$command" ] || grep -q -e "$option" text || { echo "$page says nothing of $option"; exit 1; }
  done
done
