#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fails unless each program given, whatever compiled it, gives the digests of the goldens (tests/golden).
# Usage: sh tools/same_digest.sh PROGRAM...
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || { echo "usage: sh tools/same_digest.sh PROGRAM..." >&2; exit 2; }
for program; do
  echo "$program"
  python3 tests/golden/golden.py --digests --jobs "$(nproc)" "$program"
done
