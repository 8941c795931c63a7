// SPDX-License-Identifier: Apache-2.0
// A subnet of InfiniBand switches with a port at each terminal, which sends packets as the test says and whose receive
// buffer can be kept full:
//
//   Subnet s = {};
//   InfiniBandBench b(crossbar_of(4, s), s);
//   b.at(0_ns, [&] { b.port(0).send(1, Opcode::write_only, 64_B); });
//   b.run();
//   CHECK(b.port(1).arrivals() == ...);
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/infiniband/link.hpp"
#include "models/infiniband/switch.hpp"
#include "support/grid_bench.hpp"
#include "topo/fat_tree.hpp"

namespace tsunagi::test {

struct SubnetPortConfig {
  int virtual_lanes = 1;
  std::int64_t vl_blocks = 200;
};
inline void describe(SubnetPortConfig&, config::Describer&) {}

/// What a port saw of a packet.
struct SubnetArrival {
  int from = 0;
  int lane = 0;
  Bytes payload;
  Time tail;
  friend bool operator==(const SubnetArrival& a, const SubnetArrival& b) {
    return a.from == b.from && a.lane == b.lane && a.payload == b.payload && a.tail == b.tail;
  }
};
inline std::ostream& operator<<(std::ostream& o, const SubnetArrival& a) {
  return o << a.payload.count() << "B from " << a.from << "@" << a.tail.fs() << "fs VL" << a.lane;
}

/// Cuts nothing, checks nothing: what an HCA has above its wire is not there.
class SubnetPort final : public net::Device {
 public:
  SubnetPort(DeviceArgs args, const SubnetPortConfig& c)
      : Device(args.sim, args.pool, args.name),
        max_train_(args.max_train),
        place_(args.places.at(0).number),
        lanes_(c.virtual_lanes) {
    net::PortSpec p;
    p.name = "net";
    p.protocol = "infiniband";
    p.rx.trains = true;
    p.rx.buffers.assign(static_cast<std::size_t>(lanes_), flow::Credits::of(flow::Credits::infinite, c.vl_blocks));
    add_port(std::move(p));
  }
  /// `count` packets of `n` bytes, in trains.
  void send(int to, infiniband::Opcode code, Bytes n, int level = 0, int count = 1) {
    for (; count > max_train_; count -= max_train_) send(to, code, n, level, max_train_);
    net::Delivery d;
    d.packet = pool().make();
    d.packet->set_train(count, n, n);
    auto& h = d.packet->header<infiniband::Header>();
    h = {};
    h.route = infiniband::route_header(place_, to, lanes_, level);
    h.opcode = static_cast<std::uint32_t>(code);
    for (int i = 0; i < count; ++i) d.schedule.push_back({now(), now()});
    port(0).send(0, std::move(d));
  }
  /// An RDMA write of `n` bytes in packets of the MTU.
  void write(int to, Bytes n, int level = 0) {
    using infiniband::Opcode;
    const Bytes mtu = port(0).max_payload();
    const std::int64_t packets = units_of(n, mtu);
    if (packets == 1) return send(to, Opcode::write_only, n, level);
    send(to, Opcode::write_first, mtu, level);
    if (packets > 2) send(to, Opcode::write_middle, mtu, level, static_cast<int>(packets - 2));
    send(to, Opcode::write_last, n - mtu * (packets - 1), level);
  }
  /// What comes on a lane from now on stays in the buffer until `t` at least.
  void hold_until(int lane, Time t) {
    holds_.resize(static_cast<std::size_t>(lanes_));
    holds_[static_cast<std::size_t>(lane)] = t;
  }
  void receive(int, net::Delivery&& d) override {
    const auto& h = d.packet->header<infiniband::Header>().route;
    REQUIRE(static_cast<int>(h.destination) == place_);
    net::Schedule left;
    for (std::int32_t i = 0; i < d.packet->count; ++i) {
      const Time tail = d.schedule[static_cast<std::size_t>(i)].tail;
      arrivals_.push_back({static_cast<int>(h.source), h.vc, d.packet->payload_of(i), tail});
      const Time out = holds_.empty() ? tail : std::max(holds_[h.vc], tail);
      left.push_back({out, out});
    }
    d.slot.release(left);
  }
  const std::vector<SubnetArrival>& arrivals() const { return arrivals_; }

 private:
  int max_train_;
  int place_;
  int lanes_;
  std::vector<Time> holds_;
  std::vector<SubnetArrival> arrivals_;
};

/// What a subnet is made of.
struct Subnet {
  infiniband::LinkConfig link = {};
  infiniband::SwitchConfig device = {};
  SubnetPortConfig port = {};
  Subnet lanes(int n) const {
    Subnet s = *this;
    s.link.virtual_lanes = s.device.virtual_channels = s.port.virtual_lanes = n;
    return s;
  }
  topo::NetworkParts parts() const {
    return {{any_of("subnet_port", port)}, any_of("infiniband_switch", device), any_of("infiniband", link), {}};
  }
};

inline topo::Graph crossbar_of(int terminals, const Subnet& s) {
  return topo::build(any_of("crossbar", topo::CrossbarConfig{terminals, s.parts()}));
}
inline topo::Graph fat_tree_of(int radix, int levels, const Subnet& s) {
  topo::FatTreeConfig c;
  c.radix = radix;
  c.levels = levels;
  c.parts = s.parts();
  return topo::build(any_of("fat_tree", c));
}

class InfiniBandBench {
 public:
  explicit InfiniBandBench(topo::Graph graph, int max_train = 1, const std::string& findings = {}) {
    ModelCatalog catalog = model_catalog();
    catalog.devices.push_back({config::kind<SubnetPortConfig>("subnet_port", "a test's terminal"),
                               [](DeviceArgs args, const config::AnyConfig& c) {
                                 return std::make_unique<SubnetPort>(std::move(args), c.as<SubnetPortConfig>());
                               }});
    machine_ = std::make_unique<Machine>(sim_, std::move(graph), catalog, 1, max_train, findings);
    if (max_train > 1) return;
    history_ = std::make_unique<explain::History>(machine_->channels());
    machine_->listen(*history_);
  }
  SubnetPort& port(int i) { return machine_->get<SubnetPort>("terminal" + std::to_string(i)); }
  Machine& machine() { return *machine_; }
  const explain::History& history() const { return *history_; }
  /// From a port to its switch, or on: channels of the wire that the device's port is at.
  const net::Channel& channel(const std::string& device, int port) {
    return machine_->get<net::Device>(device).ports()[static_cast<std::size_t>(port)].channel();
  }
  void at(Time t, std::function<void()> f) {
    sim_.spawn("at", [t, f = std::move(f)](Fiber& fiber) {
      fiber.wait_until(t);
      f();
    });
  }
  /// Packets, credits and device state are home then, and every wait is explained.
  void run() {
    REQUIRE(sim_.run(1_s));  // not CHECK: of a child process nobody would hear that
    expect_all_home();
  }
  /// The same in trains. What the machine found out about its own foresight, if that was wrong: the run is then to be
  /// done again with it.
  std::string attempt() {
    try {
      sim_.run(1_s);
    } catch (...) {  // what a wrong foresight leads to does not count
      if (!machine_->foresight().refuted()) throw;
    }
    if (machine_->foresight().refuted()) return machine_->foresight().findings();
    expect_all_home();
    return {};
  }

 private:
  void expect_all_home() {
    REQUIRE(machine_->leftovers() == std::vector<std::string>{});
    if (history_ != nullptr) REQUIRE(unexplained(*history_) == "");
  }
  sim::Simulation sim_;
  std::unique_ptr<explain::History> history_;
  std::unique_ptr<Machine> machine_;
};

}  // namespace tsunagi::test
