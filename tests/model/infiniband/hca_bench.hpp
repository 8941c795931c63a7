// SPDX-License-Identifier: Apache-2.0
// Two nodes with a core, memory and a host channel adapter each, the cards cabled to each other; programs post work
// requests by hand to queue pairs of any number. Quiet Gen2 x8 links, buses that take no time but their flight.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/infiniband/hca_tap.hpp"
#include "models/infiniband/firmware/firmware_hca.hpp"
#include "models/infiniband/hca.hpp"
#include "models/libraries/pm/card_commands.hpp"
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
  std::optional<infiniband::FirmwareHcaConfig> firmware = {};  // in the place of that; ports and registers are `hca`'s
  infiniband::LinkConfig cable = {};
  pcie::LinkConfig slot = quiet(gen2_x8());
  host::CoreConfig core = {};
  host::RootComplexConfig rc = {};
  host::MemoryConfig memory = {};
  libraries::VerbsConfig verbs = {};
  std::uint64_t seed = 1;
  bool last_first = false;                   // queue pairs are made from the last to the first
  int service_levels = 1;                    // which queue pairs have in turns
  std::function<bool(const Tapped&)> loses;  // if any: what a tap in the middle of the cable takes away
  HcaParts() {
    cable.flight = slot.flight = hca_flight;
    cable.credit_updates = false;
    hca.lane_blocks = 100'000;
    memory.record = true;
    core.clock = Frequency(2'500'000'000);
    core.write_combining_buffers = 64;
  }
};

/// Cards with a tap between them, whose timer would take four seconds unless another code is given; requests of 64 B,
/// many at a time.
inline HcaParts tapped(std::function<bool(const Tapped&)> loses, int timeout_code = 20) {
  HcaParts p;
  p.verbs.timeout_code = timeout_code;
  p.verbs.inline_limit = 28_B;
  p.hca.request_fetch = 4_KiB;
  p.loses = std::move(loses);
  return p;
}
inline bool loses_none(const Tapped&) { return false; }

inline infiniband::WorkRequest work_request(infiniband::Operation o, Bytes n, std::uint64_t local,
                                            std::uint64_t remote = 0) {
  infiniband::WorkRequest w;
  w.operation = o;
  w.length = n;
  w.local = local;
  w.remote = remote;
  return w;
}

class HcaBench {
 public:
  explicit HcaBench(const HcaParts& p, int pairs = 1, int max_train = 1, bool shared_receives = false,
                    int receive_entries = 64, const std::string& findings = {})
      : parts_(p) {
    for (const char* n : {"node0.", "node1."}) add_node(n);
    wire_cards();
    machine_ = std::make_unique<Machine>(sim_, graph_, catalog(), p.seed, max_train, findings);
    if (max_train == 1) {
      history_ = std::make_unique<explain::History>(machine_->channels());
      machine_->listen(*history_);
    }
    for (int i = 0; i < 2; ++i) {
      libraries::VerbsNode& node = nodes_.emplace_back(p.verbs, *machine_, name(i));
      done_.push_back(node.make_completions(1024));
      received_.push_back(node.make_completions(1024));
    }
    for (int i = 0; i < 2; ++i)
      for (int q = 0; q < pairs; ++q) {
        ends_[i].push_back(nodes_[i].make_sends());
        if (q == 0 || !shared_receives) receives_[i].push_back(nodes_[i].make_receives(receive_entries));
      }
    for (int i = 0; i < 2; ++i)
      for (int q = 0; q < pairs; ++q) connect_pair(i, p.last_first ? pairs - 1 - q : q);
    if (p.firmware)
      for (libraries::VerbsNode& n : nodes_) commands_.push_back(libraries::CardCommands(n, pairs + 2, 0));
    for (libraries::VerbsNode& n : nodes_) n.close();
  }

  sim::Simulation& sim() { return sim_; }
  const HcaParts& parts() const { return parts_; }
  libraries::VerbsNode& node(int i) { return nodes_[i]; }
  infiniband::Adapter& card(int i) { return nodes_[i].card(); }
  /// Of a card with firmware, for two queues more than there are pairs.
  libraries::CardCommands& commands(int i) { return commands_[i]; }
  host::Memory& memory(int i) { return nodes_[i].memory(); }
  libraries::QueueEnd& queue(int i, int q = 0) { return ends_[i][at(q)]; }
  const HcaTap& tap() { return machine_->get<HcaTap>("node0.tap"); }
  /// Packets of an operation that came to the tap, in their order.
  std::vector<Tapped> tapped(infiniband::Opcode code) {
    std::vector<Tapped> out;
    for (const Tapped& t : tap().seen())
      if (t.code == code) out.push_back(t);
    return out;
  }
  libraries::ReceiveEnd& receives(int i, int q = 0) { return receives_[i][at(q)]; }
  /// Of programs' memory of a node.
  std::uint64_t user(int i, std::uint64_t offset = 0) { return nodes_[i].user_base() + offset; }
  void program(int i, std::function<void(Fiber&)> f, const std::string& what = "program") {
    node(i).core().add_program();
    sim_.spawn(name(i) + what, std::move(f));
  }
  void post(Fiber& f, int i, const infiniband::WorkRequest& w, int q = 0) { node(i).post(f, queue(i, q), w); }
  /// The next completion of a send, or a receive, of a node.
  infiniband::Completion done(Fiber& f, int i) { return counted(i, node(i).poll(f, done_[at(i)])); }
  /// Posts all and waits until they are done, in their order.
  void post_all(Fiber& f, int i, const std::vector<infiniband::WorkRequest>& all) {
    for (const infiniband::WorkRequest& w : all) post(f, i, w);
    for (std::size_t n = 0; n < all.size(); ++n) CHECK(done(f, i).index == n);
  }
  infiniband::Completion received(Fiber& f, int i) { return node(i).poll(f, received_[at(i)]); }
  /// Until there is a completion of a send, or of a receive: without the core, which several programs would share.
  void await_done(Fiber& f, int i) { await(f, i, done_[at(i)]); }
  void await_received(Fiber& f, int i) { await(f, i, received_[at(i)]); }
  /// Where the next entry of its completion queue of sends, or of receives, goes to.
  std::uint64_t next_done(int i) const { return next_entry(done_[at(i)]); }
  std::uint64_t next_received(int i) const { return next_entry(received_[at(i)]); }
  /// Runs until nothing moves; everything is home then.
  void run(Time limit = 10_s) { REQUIRE(ended(limit) == ""); }
  /// The same for who cannot check (a child): empty, or what is not as it has to be.
  std::string ended(Time limit = 10_s) {
    if (!sim_.run(limit)) return "it has not ended";
    std::string out;
    for (const sim::Stuck& s : sim_.unfinished()) out += s.who + " waits for " + s.waits_for + "\n";
    for (const std::string& l : machine_->leftovers()) out += l + "\n";
    if (history_ == nullptr || !out.empty()) return out;
    return unexplained(*history_) + wrong_order(*history_);
  }
  /// In trains: what the machine found out about its own foresight, if that was wrong; the run is then to be done again
  /// with it, and says nothing.
  std::string findings() const {
    return machine_->foresight().refuted() ? machine_->foresight().findings() : std::string();
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
    CHECK(once(i, address, n, first) == "");
  }
  /// The same: empty, or what is not so. `origin`: number of the message; 0: any.
  std::string once(int i, std::uint64_t address, Bytes n, std::uint64_t first, std::uint32_t origin = 0) {
    std::map<std::uint64_t, Bytes> all;
    for (const host::Extent& e : seen(i, address, n)) {
      if (e.origin_offset - first != e.address - address) return "bytes of another place came";
      if (origin != 0 && e.origin != origin) return "bytes of another message came";
      if (!all.emplace(e.address, e.length).second) return "bytes came twice";
    }
    std::uint64_t next = address;
    for (const auto& [begin, length] : all) {
      if (begin != next) return begin < next ? "bytes came twice" : "bytes are missing";
      next = begin + unsigned_of(length);
    }
    return next == address + unsigned_of(n) ? "" : "bytes are missing";
  }
  /// The entry at `entry` came to the node's memory behind the last byte of the message: empty, or that it did not.
  std::string first_behind(int i, std::uint64_t address, Bytes n, std::uint64_t entry) {
    bool told = false;
    for (const host::Extent& e : memory(i).extents()) {
      told = told || e.address == entry;
      if (told && e.address - address < unsigned_of(n)) return "it was told before it was there";
    }
    return "";
  }

 private:
  static std::string name(int i) { return "node" + std::to_string(i) + "."; }
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  infiniband::Completion counted(int i, infiniband::Completion c) {
    ++ends_[i][c.queue_pair].completed;
    return c;
  }
  void await(Fiber& f, int i, const libraries::CompletionEnd& c) {
    while (!node(i).any(c)) f.wait(memory(i).word_ending_at(node(i).next_entry(c).end).changed, "a completion");
  }
  static std::uint64_t next_entry(const libraries::CompletionEnd& c) { return c.memory.at(c.polled); }
  static ModelCatalog catalog() {
    ModelCatalog c = model_catalog();
    c.devices.push_back({config::kind<HcaTapConfig>("hca_tap", "loses what a test says"),
                         [](DeviceArgs args, const config::AnyConfig& any) {
                           return std::make_unique<HcaTap>(std::move(args), any.as<HcaTapConfig>());
                         }});
    return c;
  }
  /// Queue pair q of a node to that of the other one; ports and service levels in turns.
  void connect_pair(int i, int q) {
    const libraries::VerbsConfig& v = parts_.verbs;
    infiniband::QueuePairConfig c;
    libraries::QueueEnd& end = ends_[i][at(q)];
    c.number = q;
    c.port = 1 + q % parts_.hca.ports;
    c.peer_lid = card(1 - i).lid(c.port);
    c.peer = static_cast<std::uint32_t>(q);
    c.mtu = v.mtu;
    c.service_level = q / parts_.hca.ports % parts_.service_levels;
    c.sends = end.sends;
    c.send_completions = done_[at(i)].number;
    c.receive_completions = received_[at(i)].number;
    c.receives = receives_[i][std::min(at(q), receives_[i].size() - 1)].number;
    c.retries.timeout_code = v.timeout_code;
    c.retries.count = v.retry_count;
    c.retries.receiver_not_ready_count = v.rnr_retry_count;
    end.number = card(i).make_queue_pair(c);
  }
  void wire_cards() {
    const config::AnyConfig cable = any_of("infiniband", parts_.cable);
    if (parts_.hca.ports == 2) connect("node0.hca.port2", "node1.hca.port2", cable);
    if (!parts_.loses) return connect("node0.hca.port1", "node1.hca.port1", cable);
    // Its name lies between theirs, so that each takes the other's place in a subnet of two.
    add("node0.tap", "hca_tap", HcaTapConfig{parts_.cable.virtual_lanes, parts_.loses});
    connect("node0.hca.port1", "node0.tap.node0", cable);
    connect("node0.tap.node1", "node1.hca.port1", cable);
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
    if (parts_.firmware) {
      static_cast<infiniband::AdapterConfig&>(*parts_.firmware) = parts_.hca;
      add(n + "hca", "firmware_hca", *parts_.firmware);
    } else {
      add(n + "hca", "hca", parts_.hca);
    }
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
  comm::ByRank<libraries::VerbsNode> nodes_;
  comm::ByRank<libraries::CardCommands> commands_;
  std::vector<libraries::CompletionEnd> done_;
  std::vector<libraries::CompletionEnd> received_;
  std::vector<libraries::QueueEnd> ends_[2];
  std::vector<libraries::ReceiveEnd> receives_[2];
};

}  // namespace tsunagi::test
