#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what tsunagi needs on Debian 12; does nothing where all of it is there.
# Usage: sh tools/packages.sh [extra package ...]
set -eu
packages="g++ cmake ninja-build pkg-config libsystemc-dev nlohmann-json3-dev libfmt-dev libmuparser-dev
  libboost-dev libboost-program-options-dev libxxhash-dev libsqlite3-dev libnlopt-cxx-dev libeigen3-dev libpugixml-dev libprotozero-dev catch2 gnuplot-nox patch python3-jsonschema python3-protobuf
  esbuild node-d3-axis node-d3-scale node-d3-selection node-d3-shape $*"
missing=""
for p in $packages; do
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$p" 2>/dev/null)" = installed ] || missing="$missing $p"
done
[ -n "$missing" ] || exit 0
as_root=""
[ "$(id -u)" = 0 ] || as_root=sudo
for tool in apt-get $as_root; do
  command -v "$tool" >/dev/null || { echo "tsunagi needs these Debian packages, and there is no $tool to install them:$missing" >&2; exit 1; }
done
echo "installing:$missing" >&2
$as_root apt-get update -qq
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
