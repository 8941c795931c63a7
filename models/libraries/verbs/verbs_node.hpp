// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "machine/machine.hpp"
#include "models/host/core.hpp"
#include "models/host/memory/memory.hpp"
#include "models/infiniband/adapter.hpp"
#include "models/libraries/verbs/verbs_config.hpp"
#include "models/process/host_process.hpp"

namespace tsunagi::libraries {

/// A rail as a configuration names it: "hca.port1".
struct RailName {
  std::string card;
  int port = 1;
};
/// None if it is no such name.
std::optional<RailName> parse_rail(const std::string& name);

/// One end of a queue pair, as its program knows it.
struct QueueEnd {
  int number = -1;  // of the queue pair
  int rail = 0;
  std::uint32_t peer_lid = 0;
  std::uint32_t peer = 0;  // queue pair
  infiniband::QueueMemory sends;
  std::uint64_t record = 0;  // address of the doorbell record, where the provider has them
  std::uint64_t posted = 0;
  std::uint64_t completed = 0;
};

/// A receive queue as its program knows it.
struct ReceiveEnd {
  int number = -1;
  infiniband::QueueMemory memory;
  std::uint64_t posted = 0;
};

/// A completion queue as its program knows it.
struct CompletionEnd {
  int number = -1;
  infiniband::QueueMemory memory;
  std::uint64_t polled = 0;
};

/// The user library of verbs on one node: a core that writes work requests into rings in its memory, tells a card,
/// and polls completion queues (linux-rdma, providers/mlx4 and providers/mlx5). What sets queues up takes no time:
/// before the run. Rails are ports of the node's cards, numbered from 0 on as the configuration names them.
class VerbsNode : public process::HostProcess {
 public:
  /// `prefix`: what the names of the node's devices begin with. Throws config::ConfigError if it lacks a part, or the
  /// parts do not reach each other.
  VerbsNode(const VerbsNodeConfig& c, Machine& m, const std::string& prefix);

  // Before the run. Queues belong to the card of a rail.
  CompletionEnd make_completions(int entries, int rail = 0);
  ReceiveEnd make_receives(int entries, int rail = 0);
  /// The same in memory that has been taken, of `receive_queue_size`.
  ReceiveEnd make_receives_at(std::uint64_t base, int entries, int rail = 0);
  Bytes receive_queue_size(int entries, int rail = 0) const { return card(rail).form().receive_entry * entries; }
  /// A queue pair whose peer is told by `connect`; its number is known then.
  QueueEnd make_sends(int rail = 0);
  /// The same in memory that has been taken, of `send_queue_size`.
  QueueEnd make_sends_at(std::uint64_t base, int rail = 0) const;
  Bytes send_queue_size(int rail = 0) const { return entry_size(rail) * config_.depth + record_size(); }
  /// `number`: of the queue pair on its card; -1: the next one.
  void connect(QueueEnd& q, const VerbsNode& peer, int peer_number, const CompletionEnd& sends,
               const CompletionEnd& receives, const ReceiveEnd& posted, int number = -1);
  /// Posts a receive before time 0.
  void preset_receive(ReceiveEnd& r, std::uint64_t address, Bytes n);
  process::Area take(const std::string& name, Bytes size) { return areas().take(name, size); }
  /// The same of memory that peers access by any card.
  process::Area take_for_peers(const std::string& name, Bytes size);
  /// Nothing more is taken: throws config::ConfigError if what was taken does not fit.
  void close();

  // A program's steps:
  /// ibv_post_send. `last`, `first`: what the last and the first bytes of the data say, which the core has just stored
  /// and which may be in no memory yet. Throws std::runtime_error if the send queue is full.
  void post(Fiber& f, QueueEnd& q, infiniband::WorkRequest w, flow::ByteView last = {}, flow::ByteView first = {});
  /// ibv_post_recv.
  void post_receive(Fiber& f, ReceiveEnd& r, std::uint64_t address, Bytes n);
  /// ibv_poll_cq, until there is an entry. Throws std::runtime_error if it tells an error.
  infiniband::Completion poll(Fiber& f, CompletionEnd& c);
  /// Whether there is an entry, without time.
  bool any(const CompletionEnd& c) const { return says(next_entry(c)); }
  /// What `poll_any` of a core looks for: the next entry, or the one so many behind it.
  host::Core::Polled next_entry(const CompletionEnd& c, std::uint64_t behind = 0) const;

  int rails() const { return static_cast<int>(rails_.size()); }
  infiniband::Adapter& card(int rail = 0) const { return *rails_[static_cast<std::size_t>(rail)].card; }
  const net::Port& port(int rail = 0) const {
    return card(rail).ports()[static_cast<std::size_t>(rails_[static_cast<std::size_t>(rail)].port)];
  }
  std::uint32_t lid(int rail = 0) const { return card(rail).lid(rails_[static_cast<std::size_t>(rail)].port); }
  const topo::Network* network(int rail = 0) const {
    return card(rail).network(rails_[static_cast<std::size_t>(rail)].port);
  }
  /// Rails before this one that are ports of its card.
  int earlier_on_card(int rail) const { return rails_[static_cast<std::size_t>(rail)].earlier; }
  /// Rails that are ports of its card.
  int rails_on_card(int rail) const;
  const VerbsNodeConfig& config() const { return config_; }

 private:
  struct Rail {
    infiniband::Adapter* card = nullptr;
    int port = 1;
    int earlier = 0;  // rails that are ports of the same card; it writes to the page of that number
    int half = 0;     // of the BlueFlame register, which is next
  };
  /// A line of its own behind each send queue.
  Bytes record_size() const { return config_.provider == Provider::mlx5 ? host::Core::line : Bytes::zero(); }
  /// Whether the provider writes a request into a card that takes so large ones, beside into the queue.
  bool writes_into_card(const infiniband::WorkRequest& w) const;
  /// Of the send queues at a rail's card. Throws config::ConfigError if that takes no request with so much inline data.
  Bytes entry_size(int rail) const;
  bool in_memory(std::uint64_t address) const {
    const std::uint64_t base = unsigned_of(memory().config().base);
    return address >= base && address - base < unsigned_of(memory().config().size);
  }
  void add_rail(Machine& m, const std::string& prefix, const RailName& name);
  Rail& rail(int i) { return rails_[static_cast<std::size_t>(i)]; }
  VerbsNodeConfig config_;
  std::vector<Rail> rails_;
};

}  // namespace tsunagi::libraries
