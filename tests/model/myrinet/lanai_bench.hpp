// SPDX-License-Identifier: Apache-2.0
// Nodes with a core, memory and a LANai card each, two on a cable or several at a crossbar; programs drive the cards by
// hand. Quiet Gen2 x8 links, buses that take no time but their flight.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/libraries/myrinet/lanai_node.hpp"
#include "models/myrinet/crossbar.hpp"
#include "models/myrinet/link.hpp"
#include "support/bench.hpp"
#include "support/explained.hpp"
#include "support/grid_bench.hpp"
#include "topo/graphs/explicit.hpp"
#include "topo/routes/catalog.hpp"

namespace tsunagi::test {

constexpr Time lanai_flight = 1_ns;  // of every wire but the network's

struct LanaiParts {
  myrinet::LanaiConfig card = {};
  myrinet::LinkConfig cable = {};
  myrinet::CrossbarConfig crossbar = {};
  pcie::LinkConfig slot = quiet(gen2_x8());
  host::CoreConfig core = {};
  host::RootComplexConfig rc = {};
  host::MemoryConfig memory = {};
  libraries::LanaiNodeConfig node = {};
  LanaiParts() {
    cable.stop = 160_B;
    cable.go = 120_B;
    slot.flight = lanai_flight;
    memory.record = true;
    core.clock = Frequency(2'500'000'000);
    core.write_combining_buffers = 64;
  }
};

class LanaiBench {
 public:
  /// Two on a cable, or more at a crossbar.
  explicit LanaiBench(const LanaiParts& p, int nodes = 2, int max_train = 1, const std::string& findings = {}) {
    topo::ExplicitConfig c;
    host::OnChipConfig bus;
    bus.bandwidth = Rate::infinite();
    bus.flight = lanai_flight;
    host::RootComplexConfig rc = p.rc;
    rc.slots.push_back({"slot0", p.card.bar_base, p.card.window});
    const auto add = [&c](const std::string& name, config::AnyConfig d) { c.all.devices.emplace_back(name, d); };
    const auto wire = [&c](std::string a, std::string b, config::AnyConfig w) {
      topo::LinkConfig l;
      l.ends = {std::move(a), std::move(b)};
      l.wire = std::move(w);
      c.all.links.push_back(l);
    };
    if (nodes > 2) add("crossbar", any_of("myrinet_crossbar", p.crossbar));
    for (int i = 0; i < nodes; ++i) {
      const std::string n = "node" + std::to_string(i) + "_";
      add(n + "core0", any_of("core", p.core));
      add(n + "rc", any_of("root_complex", rc));
      add(n + "memory", any_of("memory", p.memory));
      add(n + "lanai", any_of("lanai_card", p.card));
      wire(n + "core0.bus", n + "rc.core0", any_of("on_chip", bus));
      wire(n + "rc.memory", n + "memory.bus", any_of("on_chip", bus));
      wire(n + "rc.slot0", n + "lanai.pcie", any_of("pcie", p.slot));
      if (nodes > 2) wire("crossbar.p" + std::to_string(i), n + "lanai.net", any_of("myrinet", p.cable));
    }
    if (nodes == 2) wire("node0_lanai.net", "node1_lanai.net", any_of("myrinet", p.cable));
    if (nodes > 2) c.networks.push_back({"net", {"crossbar"}, any_of("shortest", topo::ShortestConfig{})});
    machine_ =
        std::make_unique<Machine>(sim_, topo::build(any_of("explicit", c)), model_catalog(), 1, max_train, findings);
    if (max_train == 1) {
      history_ = std::make_unique<explain::History>(machine_->channels());
      machine_->listen(*history_);
    }
    for (int i = 0; i < nodes; ++i) nodes_.emplace_back(p.node, *machine_, "node" + std::to_string(i) + "_");
    for (libraries::LanaiNode& n : nodes_) n.close();
  }
  libraries::LanaiNode& node(int i) { return nodes_[i]; }
  myrinet::LanaiCard& card(int i) { return nodes_[i].card(); }
  Machine& machine() { return *machine_; }
  sim::Simulation& sim() { return sim_; }
  std::uint64_t user(int i, std::uint64_t offset = 0) { return nodes_[i].user_base() + offset; }
  void program(int i, std::function<void(Fiber&)> f, const std::string& what = "program") {
    node(i).core().add_program();
    sim_.spawn("node" + std::to_string(i) + "_" + what, std::move(f));
  }
  /// What node `i` has seen of writes to the `n` bytes from `address` on.
  std::vector<host::Extent> seen(int i, std::uint64_t address, Bytes n) {
    std::vector<host::Extent> out;
    for (const host::Extent& e : nodes_[i].memory().extents())
      if (e.address - address < static_cast<std::uint64_t>(n.count())) out.push_back(e);
    return out;
  }
  std::string attempt() {
    try {
      sim_.run(1_s);
    } catch (...) {  // what a wrong foresight leads to does not count
      if (!machine_->foresight().refuted()) throw;
    }
    return machine_->foresight().refuted() ? machine_->foresight().findings() : std::string();
  }
  void run() {
    REQUIRE(sim_.run(1_s));
    for (const sim::Stuck& s : sim_.unfinished()) FAIL(s.who + " waits for " + s.waits_for);
    REQUIRE(machine_->leftovers() == std::vector<std::string>{});
    if (history_ != nullptr) REQUIRE(unexplained(*history_) == "");
  }

 private:
  sim::Simulation sim_;
  std::unique_ptr<explain::History> history_;
  std::unique_ptr<Machine> machine_;
  comm::ByRank<libraries::LanaiNode> nodes_;
};

}  // namespace tsunagi::test
