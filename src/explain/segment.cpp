// SPDX-License-Identifier: Apache-2.0
#include "explain/segment.hpp"

#include <array>

namespace tsunagi::explain {

const char* name(Kind k) {
  static constexpr std::array<const char*, kinds> names{
      "step",        "core_wait",          "poll",        "pipeline",   "memory", "tag_wait", "buffer_wait",
      "credit_wait", "replay_buffer_full", "arbitration", "queue",      "clock",  "datapath", "wire_busy",
      "replay",      "serialise",          "flight",      "unexplained"};
  return names[static_cast<std::size_t>(k)];
}

}  // namespace tsunagi::explain
