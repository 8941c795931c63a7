// SPDX-License-Identifier: Apache-2.0
// Myrinet crossbars with a plain device at each terminal, which sends packets as the test says and can keep its slack
// buffer full:
//
//   MyrinetBench b(row(3));
//   b.at(0_ns, [&] { b.host(0).send_to(2, 100_B); });
//   b.run();
//   CHECK(b.host(2).arrivals() == ...);
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/catalog.hpp"
#include "models/myrinet/crossbar.hpp"
#include "models/myrinet/link.hpp"
#include "models/myrinet/routes.hpp"
#include "models/myrinet/worm.hpp"
#include "support/catch.hpp"
#include "support/explained.hpp"
#include "support/print.hpp"
#include "topo/edge_list.hpp"
#include "topo/graph.hpp"
#include "topo/grid_topologies.hpp"
#include "topo/routes/catalog.hpp"

namespace tsunagi::test {

struct HostConfig {
  Bytes slack = 4_KiB;
};
inline void describe(HostConfig&, config::Describer&) {}

/// A packet that has come: its type, its first byte's and its last byte's time.
struct PacketCame {
  std::uint32_t type = 0;
  Bytes size;
  Time head;
  Time tail;
};

/// A terminal.
class MyrinetHost final : public net::Device {
 public:
  MyrinetHost(DeviceArgs args, const HostConfig& c)
      : Device(args.sim, args.pool, args.name),
        place_(args.places.at(0).number),
        network_(args.places.at(0).network),
        max_train_(args.max_train) {
    net::PortSpec p;
    p.name = "net";
    p.protocol = "myrinet";
    p.rx.store_and_forward = false;
    p.rx.trains = true;
    p.rx.buffers = {flow::Credits::of(flow::Credits::infinite, c.slack.count())};
    add_port(std::move(p));
  }
  const myrinet::LinkFraming& framing() const {
    return static_cast<const myrinet::LinkFraming&>(*ports().front().channel().wire().framing);
  }
  void send_to(int to, Bytes n, std::uint32_t type = 0) { send(myrinet::source_route(*network_, place_, to), n, type); }
  void send(const myrinet::SourceRoute& route, Bytes n, std::uint32_t type = 0) {
    myrinet::Worm worm(route, type, n, framing(), max_train_);
    while (!worm.done()) {
      net::Delivery d;
      d.packet = pool().make();
      worm.next(*d.packet);
      d.schedule = net::Schedule::at(now(), d.packet->count);
      port(0).send(0, std::move(d));
    }
  }
  /// What comes from now on stays in the buffer until `t` at least.
  void hold_until(Time t) { hold_ = t; }
  void receive(int, net::Delivery&& d) override {
    const myrinet::Header& h = d.packet->header<myrinet::Header>();
    if (h.head != 0) REQUIRE(h.left() == 0);
    if (h.head != 0) arrivals_.push_back({h.type, 0_B, d.schedule.front().head, {}});
    arrivals_.back().size += d.packet->total_payload();
    arrivals_.back().tail = d.schedule.back().tail;
    if (h.tail != 0) ++whole_;
    for (std::int32_t i = 0; i < d.packet->count; ++i) held_ += framing().cost(*d.packet, d.packet->payload_of(i)).data;
    net::Schedule leaves;
    for (const net::Span& s : d.schedule) leaves.push_back({std::max(s.tail, hold_), std::max(s.tail, hold_)});
    d.slot.release(leaves);
  }
  const std::vector<PacketCame>& arrivals() const { return arrivals_; }
  /// Packets that have come to their end.
  std::size_t whole() const { return whole_; }
  /// Bytes that have come.
  std::int64_t held() const { return held_; }
  int place() const { return place_; }

 private:
  int place_;
  std::shared_ptr<const topo::Network> network_;
  int max_train_;
  Time hold_;
  std::vector<PacketCame> arrivals_;
  std::size_t whole_ = 0;
  std::int64_t held_ = 0;
};

/// What a network is made of: 4 ns a byte.
struct MyrinetParts {
  myrinet::CrossbarConfig crossbar = [] {
    myrinet::CrossbarConfig c;
    c.ports = 32;
    c.latency = 50_ns;
    c.slack = 4_KiB;
    return c;
  }();
  myrinet::LinkConfig link = [] {
    myrinet::LinkConfig c;
    c.flight = 30_ns;
    c.transceivers = 0_ns;
    c.stop = 1000_B;
    c.go = 500_B;
    c.max_payload = 64_KiB;
    return c;
  }();
  HostConfig host = {};

  template <class C>
  static config::AnyConfig any_of(const char* kind, C c) {
    auto holder = std::make_shared<config::ConfigHolder<C>>();
    holder->value = std::move(c);
    return {kind, std::move(holder)};
  }
  topo::NetworkParts parts() const {
    return {{any_of("host", host)}, any_of("myrinet_crossbar", crossbar), any_of("myrinet", link), {}};
  }
  topo::Graph one_crossbar(int hosts) const {
    return topo::build(any_of("crossbar", topo::CrossbarConfig{hosts, parts()}));
  }
  /// Crossbars in a row, with `hosts` at each.
  topo::Graph row(int crossbars, int hosts = 1) const {
    return topo::build(any_of("mesh", topo::GridConfig{{crossbars}, hosts, {}, parts()}));
  }
  topo::Graph edges(std::vector<std::string> edges, int hosts, config::AnyConfig routes) const {
    topo::EdgeListConfig c;
    c.edges = std::move(edges);
    c.terminals = hosts;
    c.routes = std::move(routes);
    c.parts = parts();
    return topo::build(any_of("edge_list", c));
  }
  Time byte() const { return link.bandwidth.time(1_B); }
};

class MyrinetBench {
 public:
  explicit MyrinetBench(topo::Graph graph, int max_train = 1, const std::string& findings = {}) {
    ModelCatalog catalog = model_catalog();
    catalog.devices.push_back(
        {config::kind<HostConfig>("host", "a test's terminal"), [](DeviceArgs args, const config::AnyConfig& c) {
           return std::make_unique<MyrinetHost>(std::move(args), c.as<HostConfig>());
         }});
    machine_ = std::make_unique<Machine>(sim_, std::move(graph), catalog, 1, max_train, findings);
    for (MyrinetHost* h : machine_->all<MyrinetHost>()) hosts_.push_back(h);
    std::sort(hosts_.begin(), hosts_.end(),
              [](const MyrinetHost* a, const MyrinetHost* b) { return a->place() < b->place(); });
    if (max_train > 1) return;
    history_ = std::make_unique<explain::History>(machine_->channels());
    machine_->listen(*history_);
  }
  MyrinetHost& host(int i) { return *hosts_[static_cast<std::size_t>(i)]; }
  int hosts() const { return static_cast<int>(hosts_.size()); }
  Machine& machine() { return *machine_; }
  sim::Simulation& simulation() { return sim_; }
  void at(Time t, std::function<void()> f) {
    sim_.spawn("at", [t, f = std::move(f)](Fiber& fiber) {
      fiber.wait_until(t);
      f();
    });
  }
  /// Runs until nothing moves. What it found out about its own foresight, if that was wrong.
  std::string attempt() {
    try {
      sim_.run(1_s);
    } catch (...) {  // what a wrong foresight leads to does not count
      if (!machine_->foresight().refuted()) throw;
    }
    return machine_->foresight().refuted() ? machine_->foresight().findings() : std::string();
  }
  /// Runs until nothing moves; everything must be home then.
  void run() {
    REQUIRE(sim_.run(1_s));
    REQUIRE(machine_->leftovers() == std::vector<std::string>{});
    if (history_ != nullptr) REQUIRE(unexplained(*history_) == "");
  }

 private:
  sim::Simulation sim_;
  std::unique_ptr<explain::History> history_;
  std::unique_ptr<Machine> machine_;
  std::vector<MyrinetHost*> hosts_;
};

}  // namespace tsunagi::test
