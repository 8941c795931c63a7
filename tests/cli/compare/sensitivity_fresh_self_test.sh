#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sensitivity_fresh_self_test.sh CMAKE ROOT: the test sees what changes values, and nothing else.
set -eu
cmake=$1
root=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir -p "$work/models" "$work/configs/parts" "$work/configs/runs" "$work/configs/figures" "$work/docs"
echo 'int latency = 7;' >"$work/models/link.cpp"
echo '{"clock": "1 GHz"}' >"$work/configs/parts/chip.json"
echo '{"chip": {"$use": "../parts/chip.json"}, "routes": "routes.txt"}' >"$work/configs/runs/r.json"
echo 'a b' >"$work/configs/runs/routes.txt"
echo '{"runs": [{"file": "../runs/r.json"}]}' >"$work/configs/figures/a.json"
fresh() { sh "$root/tests/cli/compare/sensitivity_fresh.sh" "$cmake" "$root/tools" "$work"; }
stamp() { echo "<!-- $("$cmake" -DROOT="$work" -P "$root/tools/sensitivity_hashes.cmake") -->" >"$work/docs/sensitivity.md"; }
expect_stale() { # what changed
  ! fresh >"$work/said" || { echo "$1, and the test did not see it"; exit 1; }
  grep -q 'sh tools/sensitivity.sh' "$work/said" || { echo "the test does not say what to do"; exit 1; }
  stamp
}

: >"$work/docs/sensitivity.md"
expect_stale "there is no stamp"
fresh
echo '{"missed": []}' >"$work/configs/figures/missed.json"
echo 'text' >"$work/models/README.md"
fresh
echo '{"clock": "5 GHz"}' >"$work/configs/parts/other.json"
fresh
printf '// what others say\n{ "clock":\n"1 GHz"}' >"$work/configs/parts/chip.json"
fresh
echo '{"clock": "2 GHz"}' >"$work/configs/parts/chip.json"
expect_stale "a part changed"
source() { # range, source
  echo '{"clock": "2 GHz", "$sources": {"clock": {"class": "assumed", "range": ["1 GHz", "'"$1"'"], "source": "'"$2"'"}}}'
}
source "3 GHz" "a {guess}, by \\"x\\"" >"$work/configs/parts/chip.json"
expect_stale "a range came"
source "3 GHz" "a book // page 3" >"$work/configs/parts/chip.json"
fresh
source "4 GHz" "a book // page 3" >"$work/configs/parts/chip.json"
expect_stale "a range changed"
echo '{"kind": "ping_pong", "source": "gpu0"}' >"$work/configs/parts/chip.json"
expect_stale "a part is something else"
echo '{"kind": "ping_pong", "source": "gpu1"}' >"$work/configs/parts/chip.json"
expect_stale "where messages come from changed"
echo '{"figures": []}' >"$work/configs/figures/s.json"
expect_stale "a figure came"
echo '{"chip": {"$use": "../parts/other.json"}, "routes": "routes.txt"}' >"$work/configs/runs/r.json"
expect_stale "a run has another part"
echo '{"clock": "6 GHz"}' >"$work/configs/parts/other.json"
expect_stale "that part changed"
echo 'a c' >"$work/configs/runs/routes.txt"
expect_stale "a file that no JSON is changed"
rm "$work/configs/parts/other.json"
expect_stale "a part went"
echo 'int latency = 8;' >"$work/models/link.cpp"
expect_stale "a model changed"
fresh
