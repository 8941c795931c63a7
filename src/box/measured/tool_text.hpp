// SPDX-License-Identifier: Apache-2.0
// What the tools print with which owners measure their servers.
#pragma once

#include <string>
#include <string_view>

#include "box/measured/measured.hpp"

namespace tsunagi::box {

/// A line without blanks, tabs and carriage returns at its ends.
std::string_view trimmed(std::string_view line);

/// Whether nvbandwidth, perftest, or p2pBandwidthLatencyTest or bandwidthTest of the CUDA samples printed that, in part
/// at least.
bool is_tool_text(std::string_view text);

/// The cells of the tables in it, which may stand between other lines:
///  - nvbandwidth, tests by copy engines (`_ce`): host_to_device, device_to_host, the sum of both `_bidirectional`
///  ones;
///    device_to_device_memcpy_write (the row's GPU writes), _read (the row's GPU reads), bidirectional_write's total;
///    host_to_all, all_to_host. Buffers of the host lie at the GPU's socket.
///  - p2pBandwidthLatencyTest: P2P=Enabled (P2P Writes or Reads), P2P=Disabled of pairs that copy by way of the host.
///  - bandwidthTest: host to device and back, pinned memory, the largest size.
///  - perftest: see perftest_text.hpp.
/// The tool's device n is the machine's GPU n. Tables without a cell are left out, with a message each. Throws
/// config::ConfigError for a table that has more GPUs than the machine or that breaks off, and if none has a cell.
MeasuredFile read_tool_text(const std::string& file, std::string_view text, const Plan& plan);

}  // namespace tsunagi::box
