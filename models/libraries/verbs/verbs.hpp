// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "comm/communicator.hpp"
#include "models/libraries/marks.hpp"
#include "models/libraries/verbs/verbs_messages.hpp"
#include "models/libraries/verbs/verbs_node.hpp"

namespace tsunagi::libraries {

/// InfiniBand verbs, by a rank's own steps: a rank a node with a host channel adapter, in the order of their LIDs. By
/// "write" a message is an RDMA write, whose last word the receiver polls in its memory; by "send" it is a send into
/// a receive that was posted, whose completion the receiver polls. Both senders poll the completion of what they
/// posted before they go on, as the latency tests of perftest do.
class Verbs final : public comm::Communicator {
 public:
  Verbs(const VerbsConfig& c, Machine& m);
  std::string place(int rank) const override { return node(rank).core().name(); }
  int ranks() const override { return static_cast<int>(nodes_.size()); }
  std::vector<std::string> methods() const override { return {"write", "send"}; }
  std::vector<comm::Ceiling> ceilings(int from, int to, const comm::Buffer& b) const override;
  Bytes largest_message() const override { return half(0); }
  void send(comm::Fiber& f, int from, int to, const comm::Buffer& b) override;
  void recv(comm::Fiber& f, int to, int from, const comm::Buffer& b) override;
  void check(int from, int to, const comm::Buffer& b) const override;
  comm::Transport* transport() override { return &two_sided_; }
  comm::Processor& processor() override { return processor_; }
  bool gets() const override { return true; }
  void check_get(int rank, int peer, const comm::Buffer& b) const override { check(rank, peer, b); }
  void get(comm::Fiber& f, int rank, int peer, const comm::Buffer& b) override;

 private:
  /// One end of a pair of ranks.
  struct Pair {
    QueueEnd queue;
    ReceiveEnd receives;
    std::uint64_t came = 0;  // sends that nobody has received
    Marks sent;              // what peers' buffers are told by writes
    Marks received;
  };
  struct Ends {
    CompletionEnd sends;
    CompletionEnd receives;
    std::vector<Pair> pairs;  // by peer
  };
  const VerbsNode& node(int rank) const { return nodes_[static_cast<std::size_t>(rank)]; }
  VerbsNode& node(int rank) { return nodes_[static_cast<std::size_t>(rank)]; }
  Pair& pair(int rank, int peer) { return ends_[static_cast<std::size_t>(rank)].pairs[static_cast<std::size_t>(peer)]; }
  void connect();
  /// Memory of programs is half what they send, and behind it what arrives by `send`.
  Bytes half(int rank) const { return MemoryPlan::page * (node(rank).user_memory() / (MemoryPlan::page * 2)); }
  std::uint64_t address(int rank, const comm::Buffer& b) const {
    return node(rank).user_base() + unsigned_of(b.offset);
  }
  std::uint64_t arriving(int rank, const comm::Buffer& b) const { return address(rank, b) + unsigned_of(half(rank)); }
  /// Posts and polls its completion.
  void run(comm::Fiber& f, int rank, int peer, infiniband::WorkRequest w, flow::ByteView last);

  std::vector<VerbsNode> nodes_;
  std::vector<Ends> ends_;
  VerbsMessages two_sided_;
  VerbsProcessor processor_;
};

std::unique_ptr<comm::Communicator> make_verbs(const config::AnyConfig& c, Machine& m);

}  // namespace tsunagi::libraries
