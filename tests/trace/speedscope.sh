#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A Chrome trace opens in speedscope: usage speedscope.sh PROGRAM CONFIG [TRACE.json]
# Works in the current folder: installs speedscope there, traces the run (or takes the trace given), loads it into the
# page in headless Chromium and looks for our tracks among the profiles that the page offers.
set -eu
program=$(realpath "${1:?usage: speedscope.sh PROGRAM CONFIG [TRACE.json]}")
config=$(realpath "${2:?usage: speedscope.sh PROGRAM CONFIG [TRACE.json]}")
given=${3:+$(realpath "$3")}
here=$(cd "$(dirname "$0")" && pwd)
for tool in npm chromium; do
  command -v "$tool" >/dev/null || { echo "needs $tool; tools/test_consumers.sh installs it" >&2; exit 1; }
done

mkdir -p speedscope
cd speedscope
if ! cmp -s "$here/package-lock.json" package-lock.json || ! [ -d node_modules/speedscope ]; then
  cp "$here/package.json" "$here/package-lock.json" .
  npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
fi
if [ -n "$given" ]; then
  cp "$given" trace.json
else
  "$program" trace "$config" --to "30 us" --format chrome --out trace.json
fi

# What speedscope's own program does, without a browser of the desktop.
{ printf 'speedscope.loadFileFromBase64("trace.json", "'; base64 -w 0 trace.json; printf '")'; } > profile.js
page="file://$PWD/node_modules/speedscope/dist/release/index.html#localProfilePath=$PWD/profile.js"
timeout 60 chromium --headless --no-sandbox --use-angle=swiftshader --enable-unsafe-swiftshader \
  --user-data-dir="$PWD/browser" --virtual-time-budget=20000 --dump-dom "$page" > page.html 2> chromium.log ||
  { grep -v dbus chromium.log >&2; echo "speedscope did not load the trace: it waits at an error message" >&2; exit 1; }

bad=0
for shown in '<title>trace.json - speedscope</title>' 'ranks (pid 1), rank 0 (tid 1)' ', packets (tid 1)'; do
  grep -qF "$shown" page.html || { echo "the page does not show: $shown" >&2; bad=1; }
done
tracks=$(grep -c '"name":"thread_name"' trace.json)
profiles=$(grep -oE '<tr title="[^"]* \(tid [0-9]+\)"' page.html | wc -l)
[ "$tracks" = "$profiles" ] || { echo "$tracks tracks in the trace, $profiles profiles on the page" >&2; bad=1; }
echo "$profiles profiles"
exit $bad
