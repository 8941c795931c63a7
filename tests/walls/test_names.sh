#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Names of test cases have no semicolon: CMake would take what is behind it for a name of its own, which no test has.
# Usage: tests/walls/test_names.sh ROOT
set -eu
bad=$(find "$1/tests" -name '*_test.cpp' -exec sh -c 'tr "\n" " " < "$0" | grep -oE "TEST_CASE\( *\"[^\"]*;[^\"]*\"" | sed "s|^|$0: |"' {} \;)
[ -z "$bad" ] || { echo "$bad"; exit 1; }
