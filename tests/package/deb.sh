#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# deb.sh BUILD: makes the Debian package, unpacks it elsewhere and uses the program from there, its man pages and
# completions; lintian looks at it.
set -eu
build=$(CDPATH= cd -- "${1:?}" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cpack -G DEB --config "$build/CPackConfig.cmake" -B "$folder" >cpack.log 2>&1 || { cat cpack.log; exit 1; }
package=$(ls tsunagi_*.deb)
dpkg-deb -f "$package" Depends | tee depends
for library in libsystemc libfmt libboost-program-options libsqlite3 libmuparser libnlopt libpugixml libc6; do
  grep -q "$library" depends || { echo "the package does not depend on $library"; exit 1; }
done
dpkg-deb -x "$package" root
[ ! -e root/usr/include ] || { echo "the package has headers"; exit 1; }

tsunagi=root/usr/bin/tsunagi
unset TSUNAGI_CONFIGS
"$tsunagi" --version
"$tsunagi" list machines >machines 2>where
grep -q "root/usr/share/tsunagi/configs (installed)" where
grep -q tca_pair machines
"$tsunagi" check -q --id p2-theoretical-peak
"$tsunagi" run root/usr/share/tsunagi/configs/runs/tca_pio_ping_pong.json --set /scenario/iterations=2 >/dev/null

for command in "" $("$tsunagi" __complete "" | sed -n 's/^\([a-z]*\)\t.*/-\1/p' | grep -v '^-help$'); do
  [ -s "root/usr/share/man/man1/tsunagi$command.1.gz" ] || { echo "no man page tsunagi$command"; exit 1; }
done
for file in bash-completion/completions/tsunagi zsh/vendor-completions/_tsunagi fish/vendor_completions.d/tsunagi.fish; do
  [ -s "root/usr/share/$file" ] || { echo "no $file"; exit 1; }
done
# It has no maintainer's address and closes no bug of Debian's.
lintian --allow-root --fail-on error \
  --suppress-tags maintainer-address-missing,maintainer-address-malformed,malformed-contact,no-changelog "$package"
