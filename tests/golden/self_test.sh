#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# self_test.sh PROGRAM ROOT: what a golden is for. A row that moved is red and named, with its stage; so is a step; runs
# without a golden and goldens without a run are told, with what to do.
set -eu
program=$1
root=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
run=tca_pio_ping_pong
golden=$work/tests/golden/runs/$run.json

mkdir -p "$work/tests/golden/runs"
cp -r "$root/configs" "$work/configs"
find "$work/configs/runs" -name '*.json' ! -name "$run.json" -delete
cat >"$work/tests/golden/settings.json" <<END
{"$run": ["/scenario/sizes=[\"8 B\",\"64 B\"]", "/scenario/iterations=2"]}
END

goldens() { python3 "$root/tests/golden/golden.py" --root "$work" "$@" >"$work/said" 2>&1; }
red() { # what, words that have to be said ...
  what=$1
  shift
  for words; do
    grep -qF -- "$words" "$work/said" || { echo "$what: nothing says \"$words\":"; cat "$work/said"; exit 1; }
  done
}

! goldens --whole || { echo "a run without a golden passes"; exit 1; }
red "no golden" "$run has no golden: sh tools/golden.sh --approve $run"
goldens --approve "$program" || { cat "$work/said"; exit 1; }
red "approved" "$run: new"
goldens --whole && goldens "$program" && goldens --digests "$program" || { cat "$work/said"; exit 1; }

# The cable is 90 ns longer: every row moves, and says where.
cp "$golden" "$work/before.json"
link=$work/configs/machines/tca_pair.json
sed 's/pcie_cable_gen2_x8.json"/&, "flight": "100 ns"/' "$link" >"$work/link" && cp "$work/link" "$link"
! goldens "$program" || { echo "a slower cable passes"; exit 1; }
red "a slower cable" "$run: differs from its golden at max_train 64" "2 rows, 2 moved" "Where the time went, size " \
  ": flight" "+90.000 ns" "sh tools/golden.sh --approve $run"
! goldens --digests "$program" || { echo "a slower cable has the same digest"; exit 1; }
red "a slower cable" "differs from the golden"

# Approving tells what moved, and is green from then on.
goldens --approve "$program" || { cat "$work/said"; exit 1; }
red "approved" "$run: moved" "2 rows, 2 moved" "+90.000 ns"
goldens "$program" || { cat "$work/said"; exit 1; }
cp "$root/configs/machines/tca_pair.json" "$link"
cp "$work/before.json" "$golden"

# One row alone, by a femtosecond; then a step that no row shows.
python3 - "$golden" <<'END'
import re, sys
text = open(sys.argv[1]).read()
open(sys.argv[1], "w").write(re.sub(r'("size_bytes": 64, .*"latency_fs": )(\d+)', lambda m: m[1] + str(int(m[2]) - 1), text, count=1))
END
! goldens "$program" || { echo "a row that moved by a femtosecond passes"; exit 1; }
red "a femtosecond" "2 rows, 1 moved" "64 B  latency"
sed 's,\("step": "[^"]*"\, "calls": \)[0-9]*,\10,' "$work/before.json" >"$golden"
! goldens "$program" || { echo "a step that was done more often passes"; exit 1; }
red "a step" "2 rows, 0 moved" '"calls": 0'
cp "$work/before.json" "$golden"

# A new run, and one that is gone.
cp "$work/configs/runs/$run.json" "$work/configs/runs/another.json"
! goldens --whole || { echo "a new run passes"; exit 1; }
red "a new run" "configs/runs/another.json has no settings for its golden: add it to tests/golden/settings.json"
rm "$work/configs/runs/"*.json
! goldens --whole || { echo "a golden of no run passes"; exit 1; }
red "a run that is gone" "has settings for $run, which is no run" "tests/golden/runs/$run.json is of no run: remove it"
