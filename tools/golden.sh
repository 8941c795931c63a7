#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compares runs with their goldens (tests/golden), or approves what has moved: writes the goldens anew and says what that
# was. Name the rule that moved it in the commit. A new run needs settings in tests/golden/settings.json first.
# Usage: sh tools/golden.sh [--approve] [RUN ...]   (default: all runs; TSUNAGI_BIN: the program, default build/release/tsunagi)
set -eu
cd "$(dirname "$0")/.."
approve=
[ "${1:-}" != --approve ] || { approve=--approve; shift; }
tsunagi=${TSUNAGI_BIN:-build/release/tsunagi}
[ -x "$tsunagi" ] || { echo "no program $tsunagi; build it, or name it: TSUNAGI_BIN=PROGRAM sh tools/golden.sh" >&2; exit 1; }
[ -n "$approve$*" ] || python3 tests/golden/golden.py --whole
exec python3 tests/golden/golden.py $approve --jobs "$(nproc)" "$tsunagi" "$@"
