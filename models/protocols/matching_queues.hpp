// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "comm/messages/transport.hpp"
#include "comm/steps.hpp"
#include "models/process/host_process.hpp"

namespace tsunagi::protocols {

/// The entries of a rank's queues of posted receives and of unexpected messages, a cache line each: matching reads
/// those that it visits. More than there is memory for lie on the earlier ones' lines.
class MatchingQueues {
 public:
  /// Half of the area for each of the two.
  explicit MatchingQueues(const process::Area& area) : area_(area) {}
  void visit(Fiber& f, int rank, const comm::Steps& step, const process::HostProcess& me, comm::Transport::Queue q,
             const std::vector<std::uint32_t>& entries) const {
    const bool receives = q == comm::Transport::Queue::receives;
    const std::uint64_t half = unsigned_of(area_.size) / 2;
    const std::uint64_t base = area_.base + (receives ? 0 : half);
    std::vector<std::uint64_t> addresses;
    addresses.reserve(entries.size());
    for (const std::uint32_t i : entries) addresses.push_back(base + line * std::uint64_t{i} % half);
    step(f, rank, receives ? "look through the receives" : "look through the messages",
         [&] { me.core().touch_each(f, me.memory(), addresses, 16_B, "queue entry"); });
  }

 private:
  static constexpr std::uint64_t line = 64;
  process::Area area_;
};

}  // namespace tsunagi::protocols
