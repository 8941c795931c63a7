// SPDX-License-Identifier: Apache-2.0
// Two nodes with a core, memory and a host channel adapter each, the cards cabled to each other; programs post work
// requests by hand to queue pairs of any number. Quiet Gen2 x8 links, buses that take no time but their flight.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/infiniband/hca.hpp"
#include "models/libraries/verbs/verbs_node.hpp"
#include "support/bench.hpp"
#include "support/explained.hpp"
#include "support/grid_bench.hpp"
#include "support/order.hpp"

namespace tsunagi::test {

constexpr Time hca_flight = 1_ns;  // of every wire

/// What two nodes are made of.
struct HcaParts {
  infiniband::HcaConfig hca = {};
  infiniband::LinkConfig cable = {};
  pcie::LinkConfig slot = quiet(gen2_x8());
  host::CoreConfig core = {};
  host::RootComplexConfig rc = {};
  host::MemoryConfig memory = {};
  libraries::VerbsConfig verbs = {};
  std::uint64_t seed = 1;
  HcaParts() {
    cable.flight = slot.flight = hca_flight;
    cable.credit_updates = false;
    hca.lane_blocks = 100'000;
    memory.record = true;
    core.clock = Frequency(2'500'000'000);
    core.write_combining_buffers = 64;
  }
};

class HcaBench {
 public:
  explicit HcaBench(const HcaParts& p, int pairs = 1, int max_train = 1, bool shared_receives = false,
                    int receive_entries = 64)
      : parts_(p) {
    for (const char* n : {"node0.", "node1."}) add_node(n);
    connect("node0.hca.port1", "node1.hca.port1", any_of("infiniband", p.cable));
    machine_ = std::make_unique<Machine>(sim_, graph_, model_catalog(), p.seed, max_train, "");
    if (max_train == 1) {
      history_ = std::make_unique<explain::History>(machine_->channels());
      machine_->listen(*history_);
    }
    for (int i = 0; i < 2; ++i) {
      nodes_.emplace_back(p.verbs, *machine_, name(i));
      done_.push_back(nodes_.back().make_completions(1024));
      received_.push_back(nodes_.back().make_completions(1024));
    }
    for (int i = 0; i < 2; ++i)
      for (int q = 0; q < pairs; ++q) {
        ends_[i].push_back(nodes_[at(i)].make_sends());
        if (q == 0 || !shared_receives) receives_[i].push_back(nodes_[at(i)].make_receives(receive_entries));
        nodes_[at(i)].connect(ends_[i].back(), nodes_[at(1 - i)], q, done_[at(i)], received_[at(i)],
                              receives_[i].back());
      }
    for (libraries::VerbsNode& n : nodes_) n.close();
  }

  sim::Simulation& sim() { return sim_; }
  libraries::VerbsNode& node(int i) { return nodes_[at(i)]; }
  infiniband::Hca& card(int i) { return nodes_[at(i)].card(); }
  host::Memory& memory(int i) { return nodes_[at(i)].memory(); }
  libraries::QueueEnd& queue(int i, int q = 0) { return ends_[i][at(q)]; }
  libraries::ReceiveEnd& receives(int i, int q = 0) { return receives_[i][at(q)]; }
  /// Of programs' memory of a node.
  std::uint64_t user(int i, std::uint64_t offset = 0) { return nodes_[at(i)].user_base() + offset; }
  void program(int i, std::function<void(comm::Fiber&)> f) {
    node(i).core().add_program();
    sim_.spawn(name(i) + "program", std::move(f));
  }
  void post(comm::Fiber& f, int i, const infiniband::WorkRequest& w, int q = 0) { node(i).post(f, queue(i, q), w); }
  /// The next completion of a send, or a receive, of a node.
  infiniband::Completion done(comm::Fiber& f, int i) { return counted(i, node(i).poll(f, done_[at(i)])); }
  infiniband::Completion received(comm::Fiber& f, int i) { return node(i).poll(f, received_[at(i)]); }
  /// Runs until nothing moves; everything is home then.
  void run(Time limit = 10_s) {
    REQUIRE(sim_.run(limit));
    REQUIRE(machine_->leftovers() == std::vector<std::string>{});
    if (history_ == nullptr) return;
    CHECK(unexplained(*history_) == "");
    CHECK(wrong_order(*history_) == "");
  }
  /// Writes that begin within so many bytes from an address on, as the node's memory saw them.
  std::vector<host::Extent> seen(int i, std::uint64_t address, Bytes n) {
    std::vector<host::Extent> out;
    for (const host::Extent& e : memory(i).extents())
      if (e.address - address < static_cast<std::uint64_t>(n.count())) out.push_back(e);
    return out;
  }
  /// Every byte of a message was written once, from the byte of the source at `first` on that it belongs to.
  void expect_once(int i, std::uint64_t address, Bytes n, std::uint64_t first = 0) {
    std::map<std::uint64_t, host::Extent> all;
    Bytes sum;
    for (const host::Extent& e : seen(i, address, n)) {
      CHECK(e.origin_offset - first == e.address - address);
      CHECK(all.emplace(e.address, e).second);
      sum += e.length;
    }
    CHECK(sum == n);
    std::uint64_t next = address;
    for (const auto& [begin, e] : all) {
      CHECK(begin == next);
      next = begin + unsigned_of(e.length);
    }
  }

 private:
  static std::string name(int i) { return "node" + std::to_string(i) + "."; }
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  infiniband::Completion counted(int i, infiniband::Completion c) {
    ++ends_[i][c.queue_pair].completed;
    return c;
  }
  void add_node(const std::string& n) {
    host::RootComplexConfig rc = parts_.rc;
    const Bytes registers = 4_KiB * parts_.hca.pages;
    rc.slots.push_back({"slot0", parts_.hca.bar_base, registers});
    host::OnChipConfig bus;
    bus.bandwidth = Rate::infinite();
    bus.flight = hca_flight;
    add(n + "core0", "core", parts_.core);
    add(n + "rc", "root_complex", rc);
    add(n + "memory", "memory", parts_.memory);
    add(n + "hca", "hca", parts_.hca);
    connect(n + "core0.bus", n + "rc.core0", any_of("on_chip", bus));
    connect(n + "rc.memory", n + "memory.bus", any_of("on_chip", bus));
    connect(n + "rc.slot0", n + "hca.pcie", any_of("pcie", parts_.slot));
  }
  template <class C>
  void add(const std::string& device, const char* kind, C c) {
    graph_.nodes.push_back({device, any_of(kind, std::move(c)), "/devices/" + device});
  }
  topo::End end(const std::string& text) const {
    const auto dot = text.rfind('.');
    std::uint32_t i = 0;
    while (graph_.nodes.at(i).name != text.substr(0, dot)) ++i;
    return {i, text.substr(dot + 1)};
  }
  void connect(const std::string& a, const std::string& b, config::AnyConfig wire) {
    graph_.links.push_back({{std::move(wire), "/links/" + std::to_string(graph_.links.size())}, end(a), end(b)});
  }

  HcaParts parts_;
  sim::Simulation sim_;
  topo::Graph graph_;
  std::unique_ptr<explain::History> history_;
  std::unique_ptr<Machine> machine_;
  std::vector<libraries::VerbsNode> nodes_;
  std::vector<libraries::CompletionEnd> done_;
  std::vector<libraries::CompletionEnd> received_;
  std::vector<libraries::QueueEnd> ends_[2];
  std::vector<libraries::ReceiveEnd> receives_[2];
};

}  // namespace tsunagi::test
