#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The walls test must catch what it is for: each made-up tree below breaks one rule.
set -u
check=$(dirname "$0")/check_includes.sh
temporary=$(mktemp -d) || exit 2
trap 'rm -rf "$temporary"' EXIT
failed=0

# expect EXIT FILE LINE: a tree that holds only this file with this line.
expect() {
  rm -rf "$temporary/tree"
  mkdir -p "$temporary/tree/src/units" "$temporary/tree/models" "$temporary/tree/scenarios" "$temporary/tree/$(dirname "$2")"
  printf '%s\n' "$3" > "$temporary/tree/$2"
  sh "$check" "$temporary/tree" > "$temporary/out" 2>&1
  code=$?
  [ "$code" -ne 0 ] && code=1
  if [ "$code" -ne "$1" ]; then
    echo "expected exit $1 for $2 with: $3"
    cat "$temporary/out"
    failed=1
  fi
}

expect 0 src/net/a.hpp '#include "flow/packet.hpp"'
expect 0 src/sim/a.cpp '#include <systemc>'
expect 0 models/x/a.cpp '#include "net/device.hpp"'
expect 1 src/units/a.hpp '#include "flow/packet.hpp"'       # a higher floor
expect 1 src/flow/a.hpp '#include "config/describe.hpp"'    # the same floor, another room
expect 1 src/net/a.cpp '  #  include "machine/machine.hpp"' # however it is spelt
expect 1 scenarios/a.cpp '#include "models/pcie/tlp.hpp"'   # scenarios never see models
expect 1 models/x/a.cpp '#include "scenarios/scenario.hpp"'
expect 1 models/x/a.cpp '#include <systemc>'
expect 0 models/host/root_complex_x.cpp '#include "models/pcie/tlp.hpp"'
expect 1 models/host/a.cpp '#include "models/pcie/tlp.hpp"'          # only a root complex knows PCIe
expect 1 models/host/a.hpp '#include "models/host/root_complex.hpp"' # not even by way of it
expect 1 src/net/a.cpp 'sc_core::sc_time t;'
expect 1 src/cellar/a.cpp 'int x;'                          # a room that nobody gave a floor
expect 1 src/net/a.cpp '#include "a_neighbour.hpp"'         # in no room at all
expect 0 src/app/files/a.cpp '#include "app/shell/output.hpp"'
expect 1 src/app/shell/a.cpp '#include "app/files/run_file.hpp"'  # an inner room above
expect 1 src/sweep/plan/a.hpp '#include "sweep/results/store.hpp"'
expect 1 src/experiment/a.cpp '#include "app/shell/output.hpp"'

# A README that draws one floor otherwise is told, and one that draws none.
here=$(dirname "$0")
drawn=$temporary/drawn
mkdir "$drawn"
sed 's,^10  src/app,11  src/app,' "$here/../../README.md" > "$drawn/README.md"
if sh "$here/readme_floors.sh" "$drawn" > "$temporary/out" 2>&1 || ! grep -q '^> app 11' "$temporary/out"; then
  echo "a README that draws src/app on floor 11 is not told"
  cat "$temporary/out"
  failed=1
fi
: > "$drawn/README.md"
if sh "$here/readme_floors.sh" "$drawn" > "$temporary/out" 2>&1; then
  echo "a README that draws no floors is not told"
  failed=1
fi
exit $failed
