#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fails if the program needs SystemC's library: unit tests are pure.
libraries=$(ldd "${1:?usage: links_no_systemc.sh PROGRAM}") || exit 2
case $libraries in *libsystemc*) echo "$1 links SystemC"; exit 1 ;; esac
