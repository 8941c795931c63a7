// SPDX-License-Identifier: Apache-2.0
#include "support/order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "models/host/transaction.hpp"
#include "models/pcie/framing.hpp"

namespace tsunagi::test {

namespace {

/// A packet that crossed a device: by which wire it came, and when it came and left.
struct Crossed {
  std::uint64_t item = 0;
  flow::FlowClass flow_class = 0;
  Time came;
  Time left;
};

/// The hop by which what left with `h` came into the device: its own, or that of the packet it was made of.
const net::Hop* hop_before(const explain::History& history, const net::Hop& h) {
  const std::string& device = history.channels()[h.channel].from_device;
  for (const std::uint64_t item : {h.item, h.parent}) {
    const net::Hop* last = nullptr;
    for (const net::Hop* g : history.hops_of(item))
      if (history.channels()[g->channel].to_device == device && g->flow_class == h.flow_class && g->granted < h.granted)
        last = g;
    if (last != nullptr) return last;
  }
  return nullptr;
}

/// PCIe links and on-chip buses: reads and what answers them pass no write of class 0.
bool keeps_writes_ahead(const net::ChannelInfo& c) {
  const std::string first = c.class_name(pcie::posted);
  return first == pcie::tlp_class_name(pcie::posted) || first == host::transaction_class_name(host::write_class);
}

}  // namespace

std::string wrong_order(const explain::History& history) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::int16_t>, std::vector<Crossed>> ways;  // in, out, source
  for (const net::Hop& h : history.hops()) {
    if (!keeps_writes_ahead(history.channels()[h.channel])) continue;
    if (const net::Hop* before = hop_before(history, h); before != nullptr)
      ways[{before->channel, h.channel, h.source}].push_back({h.item, h.flow_class, before->arrived.tail, h.granted});
  }
  for (auto& [way, packets] : ways) {
    std::stable_sort(packets.begin(), packets.end(),
                     [](const Crossed& a, const Crossed& b) { return a.came < b.came; });
    const Crossed* last_write = nullptr;  // that leaves last of those so far
    for (const Crossed& c : packets) {
      if (c.flow_class == pcie::posted && (last_write == nullptr || c.left >= last_write->left)) last_write = &c;
      if (c.flow_class != pcie::posted && last_write != nullptr && last_write->came < c.came &&
          c.left < last_write->left)
        return fmt::format("packet {} passed posted write {} between {} and {}", c.item, last_write->item,
                           history.wire(std::get<0>(way)), history.wire(std::get<1>(way)));
    }
  }
  return {};
}

}  // namespace tsunagi::test
