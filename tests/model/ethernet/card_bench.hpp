// SPDX-License-Identifier: Apache-2.0
// Two nodes with a core, memory and an Ethernet card each, on quiet buses; the cards are cabled to each other. Rings
// lie where the test says; software is a program that writes registers.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/ethernet/card/card.hpp"
#include "support/bench.hpp"
#include "support/child.hpp"
#include "support/explained.hpp"
#include "support/grid_bench.hpp"
#include "support/order.hpp"

namespace tsunagi::test {

class EthernetCardBench {
 public:
  struct Parts {
    ethernet::CardConfig card = {};
    ethernet::LinkConfig cable = {};
    pcie::LinkConfig slot = quiet(gen2_x8());
    int receiver_lanes = 8;  // of node 1's
    int ring = 128;          // entries of each ring
    int receives = 127;      // descriptors that node 1 gives
    Parts() {
      slot.flight = 1_ns;
      cable.flight = 10_ns;
    }
  };
  // Addresses in each node's memory.
  static constexpr std::uint64_t transmit_ring = 0x10'0000, receive_ring = 0x20'0000, interrupt_at = 0x30'0000;
  static std::uint64_t transmit_buffer(int k) { return 0x100'0000 + 2048 * static_cast<std::uint64_t>(k); }
  static std::uint64_t receive_buffer(int k) { return 0x200'0000 + 2048 * static_cast<std::uint64_t>(k); }

  explicit EthernetCardBench(const Parts& p = {}, int max_train = 1) : parts_(p) {
    for (const char* n : {"node0.", "node1."}) add_node(n);
    connect("node0.nic.net", "node1.nic.net", any_of("ethernet", p.cable));
    machine_ = std::make_unique<Machine>(sim_, graph_, model_catalog(), 1, max_train);
    if (max_train == 1) {
      history_ = std::make_unique<explain::History>(machine_->channels());
      machine_->listen(*history_);
    }
    for (int i = 0; i < 2; ++i) {
      card(i).set_transmit_ring({transmit_ring, p.ring});
      card(i).set_receive_ring({receive_ring, p.ring});
      card(i).set_interrupt_address(interrupt_at);
    }
    std::vector<ethernet::Descriptor> given;
    for (int k = 0; k < p.receives; ++k) {
      ethernet::Descriptor d;
      d.address = receive_buffer(k);
      const auto bytes = d.encoded();
      memory(1).preset(receive_ring + 16 * static_cast<std::uint64_t>(k), {bytes.data(), bytes.size()});
      given.push_back(d);
    }
    card(1).preset_receives(given);
  }

  ethernet::Card& card(int i) { return machine_->get<ethernet::Card>(name(i) + "nic"); }
  host::Memory& memory(int i) { return machine_->get<host::Memory>(name(i) + "memory"); }
  host::Core& core(int i) { return machine_->get<host::Core>(name(i) + "core0"); }
  Machine& machine() { return *machine_; }
  sim::Simulation& sim() { return sim_; }

  /// Descriptor and first bytes of frame `k` of node 0, with a payload of `n`: before the run. The payload begins with
  /// the number k + 1.
  void frame(int k, Bytes n, std::uint8_t command = ethernet::Descriptor::report, std::uint32_t to = 1) {
    ethernet::Descriptor d;
    d.address = transmit_buffer(k);
    d.length = static_cast<std::uint16_t>((ethernet::frame_header + n).count());
    d.command = command;
    const auto bytes = d.encoded();
    memory(0).preset(transmit_ring + 16 * static_cast<std::uint64_t>(k), {bytes.data(), bytes.size()});
    std::uint8_t head[22] = {};
    flow::write_word(head, to, 4);
    flow::write_word(head + 14, static_cast<std::uint64_t>(k) + 1, 8);
    memory(0).preset(transmit_buffer(k), {head, n < 8_B ? 14u : 22u});
  }
  void write_register(Fiber& f, int i, std::uint64_t offset, std::uint64_t value) {
    core(i).store(f, card(i).register_at(offset), 4_B, value, 0);
  }
  /// Node 0 tells its card at 0 that there are `n` frames.
  void send(int n) {
    program(
        0, [this, n](Fiber& f) { write_register(f, 0, ethernet::Card::transmit_tail, static_cast<std::uint64_t>(n)); });
  }
  void program(int i, std::function<void(Fiber&)> f) { sim_.spawn(name(i) + "program", std::move(f)); }
  /// Runs until nothing moves; everything is home then, and explained.
  void run(Time limit = 1_s) {
    REQUIRE(sim_.run(limit));
    REQUIRE(machine_->leftovers() == std::vector<std::string>{});
    if (history_ == nullptr) return;
    REQUIRE(unexplained(*history_) == "");
    REQUIRE(wrong_order(*history_) == "");
  }
  /// Writes to node i's memory that begin within `n` bytes from `at` on.
  std::vector<host::Extent> seen(int i, std::uint64_t at, Bytes n) {
    std::vector<host::Extent> out;
    for (const host::Extent& e : memory(i).extents())
      if (e.address - at < unsigned_of(n)) out.push_back(e);
    return out;
  }
  /// Interrupts of node i, and the descriptors that its card has written back.
  std::vector<host::Extent> interrupts(int i) { return seen(i, interrupt_at, 8_B); }
  std::vector<host::Extent> written_back(int i) {
    return seen(i, i == 0 ? transmit_ring : receive_ring, 16_B * parts_.ring);
  }

 private:
  static std::string name(int i) { return "node" + std::to_string(i) + "."; }
  void add_node(const std::string& n) {
    host::RootComplexConfig rc;
    rc.slots.push_back({"slot0", parts_.card.bar_base, parts_.card.bar_size});
    host::MemoryConfig memory;
    memory.record = true;
    host::OnChipConfig bus;
    bus.bandwidth = Rate::infinite();
    bus.flight = 1_ns;
    add(n + "core0", "core", host::CoreConfig{});
    add(n + "rc", "root_complex", rc);
    add(n + "memory", "memory", memory);
    add(n + "nic", "ethernet_card", parts_.card);
    connect(n + "core0.bus", n + "rc.core0", any_of("on_chip", bus));
    connect(n + "rc.memory", n + "memory.bus", any_of("on_chip", bus));
    pcie::LinkConfig slot = parts_.slot;
    if (n == name(1)) slot.lanes = parts_.receiver_lanes;
    connect(n + "rc.slot0", n + "nic.pcie", any_of("pcie", slot));
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

  Parts parts_;
  sim::Simulation sim_;
  topo::Graph graph_;
  std::unique_ptr<explain::History> history_;
  std::unique_ptr<Machine> machine_;
};

}  // namespace tsunagi::test
