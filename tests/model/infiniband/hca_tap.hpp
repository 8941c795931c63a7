// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "machine/machine.hpp"
#include "models/infiniband/header.hpp"
#include "net/device.hpp"

namespace tsunagi::test {

/// A packet on the cable between two cards.
struct Tapped {
  int from = 0;  // node
  infiniband::Opcode code = infiniband::Opcode::send_first;
  std::uint32_t sequence = 0;
  infiniband::Syndrome syndrome = infiniband::acknowledged;
  bool asks = false;             // for an acknowledgement
  std::uint32_t queue_pair = 0;  // the destination's
  int before = 0;                // packets of that node, code and number that came before this one
  Time head;
};

/// In the middle of a cable: sees every packet, loses those that the test says, and passes the others on at once.
struct HcaTapConfig {
  int virtual_lanes = 1;
  std::function<bool(const Tapped&)> loses;
};
inline void describe(HcaTapConfig&, config::Describer&) {}

class HcaTap final : public net::Device {
 public:
  HcaTap(DeviceArgs args, HcaTapConfig c) : Device(args.sim, args.pool, args.name), config_(std::move(c)) {
    for (const char* name : {"node0", "node1"}) {
      net::PortSpec p;
      p.name = name;
      p.protocol = "infiniband";
      p.rx.buffers.assign(static_cast<std::size_t>(config_.virtual_lanes),
                          flow::Credits::of(flow::Credits::infinite, flow::Credits::infinite));
      add_port(std::move(p));
    }
  }
  void receive(int from, net::Delivery&& d) override {
    const auto& h = d.packet->header<infiniband::Header>();
    Tapped t{from,       h.code(),     h.sequence, static_cast<infiniband::Syndrome>(h.syndrome),
             h.ask != 0, h.queue_pair, 0,          now()};
    for (const Tapped& s : seen_)
      if (s.from == t.from && s.code == t.code && s.sequence == t.sequence && s.queue_pair == t.queue_pair) ++t.before;
    seen_.push_back(t);
    if (config_.loses(t)) return d.slot.release(d.schedule);
    port(1 - from).send(0, std::move(d));
  }
  const std::vector<Tapped>& seen() const { return seen_; }

 private:
  HcaTapConfig config_;
  std::vector<Tapped> seen_;
};

}  // namespace tsunagi::test
