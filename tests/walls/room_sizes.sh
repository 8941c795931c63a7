#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A room holds one purpose, which a newcomer takes in at a glance: usage room_sizes.sh ROOT
# Prints every folder with more than thirty files of its own; exit 1 if there is one.
set -u
cd "${1:?usage: room_sizes.sh ROOT}" || exit 2
find src models scenarios tests -name '*.hpp' -o -name '*.cpp' | sed 's,/[^/]*$,,' | sort | uniq -c |
  awk '$1 > 30 { print $2 ": " $1 " files; give it inner rooms"; bad = 1 } END { exit bad }'
