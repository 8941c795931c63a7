// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "machine/machine.hpp"
#include "models/host/core.hpp"
#include "models/host/memory.hpp"
#include "models/infiniband/hca.hpp"
#include "models/libraries/memory_plan.hpp"
#include "models/libraries/verbs/verbs_config.hpp"

namespace tsunagi::libraries {

/// One end of a queue pair, as its program knows it.
struct QueueEnd {
  int number = -1;  // of the queue pair
  infiniband::QueueMemory sends;
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

/// The user library of verbs on one node: a core that writes work requests into rings in its memory, tells the card,
/// and polls completion queues (linux-rdma, providers/mlx4). What sets queues up takes no time: before the run.
class VerbsNode {
 public:
  /// Throws config::ConfigError if the node lacks a part, or the parts do not reach each other.
  VerbsNode(const VerbsConfig& c, Machine& m, infiniband::Hca& card);

  // Before the run:
  CompletionEnd make_completions(int entries);
  ReceiveEnd make_receives(int entries);
  /// A queue pair whose peer is told by `connect`; its number is known now.
  QueueEnd make_sends();
  void connect(QueueEnd& q, const VerbsNode& peer, int peer_number, const CompletionEnd& sends,
               const CompletionEnd& receives, const ReceiveEnd& posted);
  /// Posts a receive before time 0.
  void preset_receive(ReceiveEnd& r, std::uint64_t address, Bytes n);
  Area take(const std::string& name, Bytes size) { return plan_.take(name, size); }
  /// Nothing more is taken: throws config::ConfigError if what was taken does not fit.
  void close();

  // A program's steps:
  /// ibv_post_send. `last`: what the last bytes of the data say, which the core has just stored and which may be in no
  /// memory yet. Throws std::runtime_error if the send queue is full.
  void post(comm::Fiber& f, QueueEnd& q, infiniband::WorkRequest w, flow::ByteView last = {});
  /// ibv_post_recv.
  void post_receive(comm::Fiber& f, ReceiveEnd& r, std::uint64_t address, Bytes n);
  /// ibv_poll_cq, until there is an entry. Throws std::runtime_error if it tells an error.
  infiniband::Completion poll(comm::Fiber& f, CompletionEnd& c);
  /// Whether there is an entry, without time.
  bool any(const CompletionEnd& c) const;
  /// What `poll_any` of a core looks for: the next entry.
  host::Core::Polled next_entry(const CompletionEnd& c) const;

  host::Core& core() const { return *core_; }
  host::Memory& memory() const { return *memory_; }
  infiniband::Hca& card() const { return *card_; }
  const VerbsConfig& config() const { return config_; }
  /// Programs' memory: from here on, so many bytes.
  std::uint64_t user_base() const { return user_base_; }
  Bytes user_memory() const { return Bytes(static_cast<std::int64_t>(plan_.lowest() - user_base_)); }

 private:
  Bytes entry_size() const;
  VerbsConfig config_;
  host::Core* core_;
  host::Memory* memory_;
  infiniband::Hca* card_;
  MemoryPlan plan_;
  std::uint64_t user_base_ = 0;
  int half_ = 0;  // of the BlueFlame register, which is next
};

}  // namespace tsunagi::libraries
