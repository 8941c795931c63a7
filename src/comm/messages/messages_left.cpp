// SPDX-License-Identifier: Apache-2.0
// What of messages is left at the end of a run.
#include "comm/messages/messages.hpp"
#include "comm/messages/who.hpp"
#include "units/parse.hpp"

namespace tsunagi::comm {

std::vector<std::string> Messages::leftovers() const {
  std::vector<std::string> out;
  for (std::size_t rank = 0; rank < ends_.size(); ++rank) {
    if (ends_[rank] == nullptr) continue;
    const auto lost = [&](const Envelope& e) {
      out.push_back("rank " + std::to_string(rank) + " never received a message of " + who(e) + ", " +
                    to_string(e.size));
    };
    for (const Arrival& a : ends_[rank]->matching.messages()) lost(a.envelope);
    for (const Arrival& a : ends_[rank]->own) lost(a.envelope);
    // What came when its program made no calls any more, or never came.
    const auto& numbered = ends_[rank]->order.sent();
    const std::map<int, std::uint32_t> sent(numbered.begin(), numbered.end());
    for (const auto& [to, count] : sent) {
      if (to == static_cast<int>(rank)) continue;  // see `own`
      const auto& there = ends_[static_cast<std::size_t>(to)];
      const auto seen = there == nullptr ? 0 : there->order.delivered(static_cast<int>(rank));
      if (seen < count)
        out.push_back("rank " + std::to_string(to) + " never received the last " + std::to_string(count - seen) +
                      " of the messages of rank " + std::to_string(rank));
    }
    for (const PostedReceive& r : ends_[rank]->matching.receives())
      out.push_back("rank " + std::to_string(rank) + " posted a receive of " + who(r.pattern) + " that got no message");
  }
  return out;
}

}  // namespace tsunagi::comm
