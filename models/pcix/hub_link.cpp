// SPDX-License-Identifier: Apache-2.0
#include "models/pcix/hub_link.hpp"

#include <algorithm>
#include <utility>

#include "models/host/refusal.hpp"
#include "models/host/transaction.hpp"

namespace tsunagi::pcix {

void describe(HubLinkConfig& c, config::Describer& d) {
  using namespace config;
  d.field("transfers", c.transfers, "transfers a second, of both directions together",
          within(Frequency(66'000'000), Frequency(4'000'000'000)), ideal(Frequency(4'000'000'000)));
  d.field("width", c.width, "bytes of a transfer", one_of({1, 2, 4, 8}), ideal(8));
  d.field("header", c.header, "bytes of a request, and of each line of data beside its data", at_most(64_B),
          ideal(0_B));
  d.field("line", c.line, "data behind one header", one_of({32, 64, 128, 256}));
  d.field("turnaround", c.turnaround, "transfers that are lost when the other end gets the link", within(0, 64),
          ideal(0));
  d.field("arbitration", c.arbitration,
          "transfers from a request at an idle link until it goes; behind another transaction they are hidden",
          within(0, 64), ideal(0));
  d.field("queue", c.queue, "transactions of each class that stand at either end", within(1, 64), ideal(64));
}

HubLink::HubLink(DeviceArgs args, const HubLinkConfig& c)
    : SharedBus(args, Clock(c.transfers), c.arbitration), config_(c) {
  const auto spec = [&c] {
    net::PortSpec s;
    s.protocol = "on_chip";
    s.needed = true;
    s.in_order = true;
    s.rx.buffers.assign(host::transaction_classes, {c.queue, flow::Credits::infinite});
    return s;
  };
  ports().reserve(2);
  add_port("north", args.specs.of(c, 0, spec));
  add_port("south", args.specs.of(c, 0, spec));
}

Clocks HubLink::clocks(int in, int last, const flow::Packet& p) const {
  const std::int64_t headers = std::max<std::int64_t>(1, units_of(p.payload, config_.line));
  Clocks k;
  k.before = in == last ? 0 : config_.turnaround;
  k.data = std::max<std::int64_t>(1, units_of(config_.header * headers + p.payload, config_.width));
  return k;
}

void HubLink::nobody(int in, net::Delivery d) {
  host::refuse(*this, in, 0, std::move(d), Time::zero(), "nothing is connected to its other end");
}

}  // namespace tsunagi::pcix
