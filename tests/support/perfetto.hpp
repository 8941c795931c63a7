// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tsunagi::test {

/// How many packets a Perfetto trace has; nothing: it does not end behind one, or is something else.
inline std::optional<int> whole_packets(std::string_view trace) {
  int packets = 0;
  while (!trace.empty()) {
    if (trace.front() != '\x0a') return std::nullopt;  // field 1, of a length
    std::uint64_t length = 0;
    std::size_t at = 1;
    for (int shift = 0;; shift += 7) {
      if (at == trace.size() || shift > 28) return std::nullopt;
      const auto byte = static_cast<unsigned char>(trace[at++]);
      length |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) break;
    }
    if (trace.size() - at < length) return std::nullopt;
    trace.remove_prefix(at + length);
    ++packets;
  }
  return packets;
}

}  // namespace tsunagi::test
