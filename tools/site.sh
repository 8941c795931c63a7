#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds docs/ as a site of HTML pages in the folder OUT, and looks for dead links and anchors in it.
# It needs Debian's packages mkdocs and mkdocs-material (sh tools/packages.sh mkdocs mkdocs-material).
# Usage: sh tools/site.sh OUT
set -eu
[ $# = 1 ] || { echo "usage: sh tools/site.sh OUT" >&2; exit 2; }
command -v mkdocs >/dev/null || { echo "the site needs mkdocs and its theme: sh tools/packages.sh mkdocs mkdocs-material" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
# What is in OUT goes: not if it is anything else than a site.
[ -z "$(ls -A "$1" 2>/dev/null)" ] || [ -f "$1/assets/site.css" ] || { echo "$1 has files that are not of a site: name a new folder" >&2; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
PYTHONDONTWRITEBYTECODE=1 mkdocs build --strict --clean --config-file "$here/site/mkdocs.yml" --site-dir "$out"
python3 -B "$here/site/links.py" "$out"
