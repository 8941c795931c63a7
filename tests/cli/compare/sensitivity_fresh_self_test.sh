#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sensitivity_fresh_self_test.sh CMAKE ROOT: the test sees what changes values, and nothing else.
set -eu
cmake=$1
root=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir -p "$work/configs/parts" "$work/configs/runs" "$work/configs/figures" "$work/docs/sensitivity"
checked() { # simulated, digest, what b's figure has: as `tsunagi check` writes it
  printf '{\n  "figures": [\n'
  printf '    {\n      "id": "f1",\n      "system": "a",\n      "simulated": %s,\n      "digests": {\n        "r": "%s"\n      }\n    },\n' "$1" "$2"
  printf '    {\n      "id": "f2",\n      "system": "b",\n      "simulated": 7.0,\n      "digests": {\n        "r": "%s"\n      }\n    },\n' "$3"
  printf '    {\n      "id": "f3",\n      "system": "a",\n      "simulated": null,\n      "digests": {}\n    }\n  ]\n}\n'
}
checked 12.5 ab12 cd34 >"$work/checked.json"
echo '{"runs": []}' >"$work/configs/figures/b.json"
echo '{"clock": "1 GHz"}' >"$work/configs/parts/chip.json"
echo '{"chip": {"$use": "../parts/chip.json"}, "routes": "routes.txt"}' >"$work/configs/runs/r.json"
echo 'a b' >"$work/configs/runs/routes.txt"
echo '{"runs": [{"file": "../runs/r.json"}]}' >"$work/configs/figures/a.json"
fresh() { sh "$root/tests/cli/compare/sensitivity_fresh.sh" "$cmake" "$root/tools" "$work" "$work/checked.json"; }
stamp() {
  sh "$root/tools/sensitivity_stamps.sh" "$cmake" "$work" "$work/checked.json" | while read -r system line; do
    echo "<!-- $line -->" >"$work/docs/sensitivity/$system.md"
  done
}
expect_stale() { # what changed, of which system if not of a
  ! fresh >"$work/said" || { echo "$1, and the test did not see it"; exit 1; }
  for system in a b; do
    said=$(grep -c "sensitivity/$system.md is stale" "$work/said" || true)
    case " ${2:-a} " in *" $system "*) expected=1 ;; *) expected=0 ;; esac
    [ "$said" = "$expected" ] || { echo "$1, and the test says something else of $system"; exit 1; }
  done
  grep -q 'sh tools/sensitivity.sh' "$work/said" || { echo "the test does not say what to do"; exit 1; }
  stamp
}

: >"$work/docs/sensitivity/a.md"
: >"$work/docs/sensitivity/b.md"
expect_stale "there is no stamp" "a b"
rm "$work/docs/sensitivity/b.md"
expect_stale "there is no page" b
fresh
echo '{"missed": []}' >"$work/configs/figures/missed.json"
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
echo '{"runs": [], "figures": []}' >"$work/configs/figures/b.json"
expect_stale "a figure came" b
echo '{"runs": [], "figures": [{"role": "predicted", "reason": "after x"}]}' >"$work/configs/figures/b.json"
expect_stale "a figure has a role" b
echo '{"runs": [], "figures": [{"role": "predicted", "reason": "after x, and y"}]}' >"$work/configs/figures/b.json"
fresh
echo '{"chip": {"$use": "../parts/other.json"}, "routes": "routes.txt"}' >"$work/configs/runs/r.json"
expect_stale "a run has another part"
echo '{"clock": "6 GHz"}' >"$work/configs/parts/other.json"
expect_stale "that part changed"
echo 'a c' >"$work/configs/runs/routes.txt"
expect_stale "a file that no JSON is changed"
rm "$work/configs/parts/other.json"
expect_stale "a part went"
checked 12.625 ab12 cd34 >"$work/checked.json"
expect_stale "a value changed"
checked 12.625 ab13 cd34 >"$work/checked.json"
expect_stale "a digest changed"
checked 12.625 ab13 cd35 >"$work/checked.json"
expect_stale "a digest of the other system changed" b
fresh
