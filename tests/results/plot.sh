#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the Python of docs/results.md as it stands there on what the program prints.
# Usage: plot.sh PROGRAM SOURCE_FOLDER [matplotlib]
# With the last word it needs matplotlib and looks at the picture; else a stand-in takes what would be drawn.
set -eu
program=$1 source=$2 real=${3-}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
awk '/^```python$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$source/docs/results.md" > "$folder/plot.py"
lines=$(grep -c . "$folder/plot.py")
[ "$lines" = 10 ] || { echo "docs/results.md speaks of ten lines of Python, and has $lines" >&2; exit 1; }
"$program" run "$source/configs/runs/tca_ping_pong.json" --set '/scenario/sizes=["8 B","4 KiB"]' --format csv > "$folder/rows.csv"
cd "$folder"
python=python3
if [ -n "$real" ]; then
  "$python" -c "import matplotlib" 2>/dev/null || python=/usr/bin/python3  # where Debian's packages are seen
  MPLCONFIGDIR="$folder" "$python" plot.py rows.csv
  for text in "latency (us)" "size (bytes)" pio dma; do
    grep -qF -- "$text" latency.svg || { echo "latency.svg does not show \"$text\"" >&2; exit 1; }
  done
  exit 0
fi
mkdir matplotlib
: > matplotlib/__init__.py
cat > matplotlib/pyplot.py <<'EOF'
def loglog(x, y, label): print(label, *x, *(round(v, 2) for v in y))
def xlabel(text): print(text)
def ylabel(text): print(text)
def legend(): pass
def savefig(name): print(name)
EOF
python3 plot.py rows.csv > drawn
diff - drawn <<'EOF'
pio 8 4096 0.9 2.46
dma 8 4096 2.34 3.45
size (bytes)
latency (us)
latency.svg
EOF
