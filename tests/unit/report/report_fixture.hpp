// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/recorder.hpp"

namespace tsunagi::test {

/// Two rows of a ping-pong with a derived bandwidth.
inline report::Rows ping_pong_rows() {
  report::Recorder recorder;
  recorder.rate("bandwidth", "size", "latency");
  recorder.row().bytes("size", 8_B).time("latency", 912_ns).count("iterations", 100).text("mode", "pio");
  recorder.row().bytes("size", 4_KiB).time("latency", 2048_ns).count("iterations", 100).text("mode", "dma");
  return recorder.rows();
}

}  // namespace tsunagi::test
