#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# diff_of.sh N [DOCUMENT]: prints the Nth diff of docs/extending.md, for `patch -p1` or `git apply`. Exit 1: there is none.
set -eu
number=${1:?usage: diff_of.sh N [DOCUMENT]}
document=${2:-$(dirname "$0")/../../docs/extending.md}
awk -v number="$number" '
  $0 == "```diff" { inside = ++n == number; next }
  $0 == "```" { inside = 0 }
  inside { print; ++lines }
  END { exit lines == 0 }
' "$document"
