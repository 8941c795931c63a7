# SPDX-License-Identifier: Apache-2.0
# wait_until SECONDS WHAT COMMAND...: returns once the command succeeds; ends the test if it does not within that time.
wait_until() {
  wait_left=$(($1 * 5))
  wait_what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    wait_left=$((wait_left - 1))
    [ "$wait_left" -gt 0 ] || { echo "no $wait_what in time" >&2; exit 1; }
    sleep 0.2
  done
}
