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
expect 1 models/gpu/a.cpp '#include "comm/rank.hpp"'            # devices know no messaging
expect 0 models/libraries/a.cpp '#include "comm/rank.hpp"'
expect 1 src/net/a.cpp 'sc_core::sc_time t;'
expect 1 src/cellar/a.cpp 'int x;'                          # a room that nobody gave a floor
expect 1 src/net/a.cpp '#include "a_neighbour.hpp"'         # in no room at all
expect 0 src/app/files/a.cpp '#include "app/shell/output.hpp"'
expect 1 src/app/shell/a.cpp '#include "app/files/run_file.hpp"'  # an inner room above
expect 1 src/sweep/plan/a.hpp '#include "sweep/results/store.hpp"'
expect 1 src/experiment/a.cpp '#include "app/shell/output.hpp"'

# links_alone: circles of models' rooms, and what one room declares and another defines.
links() { python3 "$(dirname "$0")/links_alone.py" "$temporary/links" "$@" > "$temporary/out" 2>&1; }
room() {
  mkdir -p "$temporary/links/models/$1" "$temporary/CMakeFiles/tsunagi_models.dir/models/$1"
  printf '%s\n' "$2" > "$temporary/links/models/$1/x.cpp"
  "${CXX:-c++}" -I"$temporary/links" -c "$temporary/links/models/$1/x.cpp" \
    -o "$temporary/CMakeFiles/tsunagi_models.dir/models/$1/x.cpp.o" || failed=1
}
mkdir -p "$temporary/links/models/a" "$temporary/links/models/b"
echo 'namespace tsunagi { int of_a(); }' > "$temporary/links/models/a/a.hpp"
echo 'namespace tsunagi { int of_b(); }' > "$temporary/links/models/b/b.hpp"
room a '#include "models/a/a.hpp"
namespace tsunagi { int uses() { return of_a(); } }'
room b '#include "models/a/a.hpp"
namespace tsunagi { int of_b() { return of_a(); } }'
objects=$temporary/objects.txt
for inner in a b; do echo "$temporary/CMakeFiles/tsunagi_models.dir/models/$inner/x.cpp.o"; done > "$objects"
if links "$objects" || ! grep -q '^models/a needs tsunagi::of_a(), defined in no room$' "$temporary/out"; then
  echo "a function that nobody defines is not told"
  cat "$temporary/out"
  failed=1
fi
room b '#include "models/b/b.hpp"
namespace tsunagi { int of_a() { return 1; } int of_b() { return of_a(); } }'
if links "$objects" || ! grep -q '^models/a needs tsunagi::of_a(), defined in models/b' "$temporary/out"; then
  echo "a function that one room declares and another defines is not told where it is needed"
  cat "$temporary/out"
  failed=1
fi
if ! grep -q '^models/b defines tsunagi::of_a(), which models/a declares$' "$temporary/out"; then
  echo "a function that one room declares and another defines is not told"
  cat "$temporary/out"
  failed=1
fi
room a '#include "models/a/a.hpp"
namespace tsunagi { int of_a() { return 1; } }'
room b '#include "models/a/a.hpp"
#include "models/b/b.hpp"
namespace tsunagi { int of_b() { return of_a(); } }'
if ! links "$objects"; then
  echo "rooms that link are refused"
  cat "$temporary/out"
  failed=1
fi
mkdir -p "$temporary/links/src/net" "$temporary/CMakeFiles/tsunagi_net.dir"
echo 'namespace tsunagi { int of_net(); }' > "$temporary/links/src/net/net.hpp"
echo 'namespace tsunagi { int of_net() { return 1; } }' > "$temporary/links/src/net/net.cpp"
"${CXX:-c++}" -c "$temporary/links/src/net/net.cpp" -o "$temporary/CMakeFiles/tsunagi_net.dir/net.cpp.o" || failed=1
echo "$temporary/CMakeFiles/tsunagi_net.dir/net.cpp.o" >> "$objects"
room a '#include "models/a/a.hpp"
#include "src/net/net.hpp"
namespace tsunagi { int of_a() { return of_net(); } }'
sed -i 's,"src/net/net.hpp","net/net.hpp",' "$temporary/links/models/a/x.cpp"
printf 'models tsunagi_net\nnet tsunagi_units\n' > "$temporary/libraries.txt"
if ! links "$objects" "$temporary/libraries.txt"; then
  echo "a library that links what it needs is refused"
  cat "$temporary/out"
  failed=1
fi
printf 'models tsunagi_units\nnet tsunagi_units\n' > "$temporary/libraries.txt"
if links "$objects" "$temporary/libraries.txt" ||
  ! grep -q '^library models needs tsunagi::of_net() of net, which it does not link$' "$temporary/out"; then
  echo "a library that does not link what it needs is not told"
  cat "$temporary/out"
  failed=1
fi
echo '#include "models/b/b.hpp"' >> "$temporary/links/models/a/x.cpp"
if links || ! grep -q '^rooms include each other: models/a > models/b > models/a' "$temporary/out"; then
  echo "rooms that include each other are not told"
  cat "$temporary/out"
  failed=1
fi

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

# A map that leaves a folder out is told, and one that names a folder that is not there.
maps=$temporary/maps
for map in models models/libraries scenarios tests; do
  mkdir -p "$maps/$map"
  : > "$maps/$map/README.md"
done
mkdir "$maps/scenarios/traffic"
printf '| `libraries/` | x |\n| `host/` | x |\n' > "$maps/models/README.md"
if sh "$here/rooms_named.sh" "$maps" > "$temporary/out" 2>&1 || ! grep -q '^< traffic' "$temporary/out" || ! grep -q '^> host' "$temporary/out" ||
  grep -q libraries/README "$temporary/out"; then
  echo "maps that name other folders than there are are not told"
  cat "$temporary/out"
  failed=1
fi
exit $failed
