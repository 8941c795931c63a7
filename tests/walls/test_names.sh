#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Names of test cases have no semicolon: CMake would take what is behind it for a name of its own, which no test has.
# Usage: tests/walls/test_names.sh ROOT
set -eu
if grep -rPzo --include='*_test.cpp' 'TEST_CASE\(\s*"[^"\n]*;[^"\n]*"' "$1/tests" | tr '\0' '\n' | grep .; then exit 1; fi
