#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The shards of docs/sweeps.md from another tool, as shown there, make the table that the sweep makes alone.
# Usage: examples.sh parallel|snakemake PROGRAM ROOT
set -eu
tool=$1
program=$(realpath "$2")
root=$(realpath "$3")
command -v "$tool" >/dev/null || { echo "needs $tool; tools/test_slurm.sh installs it" >&2; exit 1; }
folder=$(mktemp -d "${TMPDIR:-/tmp}/tsunagi-examples-XXXXXX")
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' INT TERM HUP
mkdir "$folder/bin"
ln -s "$program" "$folder/bin/tsunagi"
ln -s "$root/configs" "$folder/configs"
PATH=$folder/bin:$PATH
HOME=$folder
export PATH HOME
cd "$folder"
# block LANGUAGE WORD: the fenced block of that language that has the word
block() {
  awk -v fence="\`\`\`$1" -v word="$2" '
    $0 == fence { inside = 1; text = ""; next }
    inside && $0 == "```" { inside = 0; if (index(text, word)) { printf "%s", text; exit } }
    inside { text = text $0 "\n" }' "$root/docs/sweeps.md"
}
block json '"name": "credits"' >credits.json
case $tool in
  parallel)
    block sh 'parallel tsunagi' >example.sh
    sh -e example.sh
    ;;
  snakemake)
    block python 'rule shard' >Snakefile
    snakemake --cores 2 --quiet
    snakemake --cores 2 2>&1 | grep -q 'Nothing to be done' || { echo "Snakemake would do it again" >&2; exit 1; }
    ;;
esac
[ "$(wc -l <credits.csv)" -gt 10 ] || { echo "no table" >&2; exit 1; }
tsunagi sweep credits.json --out alone --jobs 2 >alone.csv
cmp credits.csv alone.csv
