// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "comm/by_rank.hpp"
#include "comm/facets/work_queues.hpp"
#include "comm/request.hpp"
#include "comm/steps.hpp"
#include "flow/ring.hpp"
#include "models/libraries/marks.hpp"
#include "models/libraries/verbs/verbs_arrivals.hpp"
#include "models/libraries/verbs/verbs_node.hpp"

namespace tsunagi::libraries {

/// The queue pairs of transfers that ranks post themselves, one for each two ranks and rail. Memory of programs is half
/// what they send, and behind it what arrives.
class VerbsQueues final : public comm::WorkQueues {
 public:
  /// All outlive this. Takes memory for its queues.
  VerbsQueues(comm::ByRank<VerbsNode>& nodes, const comm::Steps& step);
  /// Where the card of a rank finds `b` of a GPU of its node, which is registered with it. Throws config::ConfigError
  /// if it does not. None: all lies in host memory.
  using Windows = std::function<std::uint64_t(int rank, const std::string& place, const comm::Buffer& b)>;
  void set_windows(Windows w) { windows_ = std::move(w); }
  /// When all memory is taken: before that nobody knows what is largest.
  void close();

  std::vector<std::string> methods() const override;
  int queues() const override { return nodes_.front().rails(); }
  int depth() const override { return config().depth; }
  bool reliable() const override { return config().service == infiniband::Service::reliable_connection; }
  void check(int rank, int peer, const comm::Buffer& b) const override;
  void post(Fiber& f, int rank, int peer, const comm::PostedTransfer& t) override;
  Done poll(Fiber& f, int rank) override;

  /// Posts to the rail whose turn it is, and polls until that is done.
  void run(Fiber& f, int rank, int peer, comm::PostedTransfer t);
  /// Returns when the next message of rank `from` that is awaited is there.
  void receive(Fiber& f, int to, int from, const comm::Buffer& b);
  /// Starts a write that nobody waits for, to a place at the peer that each sender has alone; polls first while the
  /// queue is full. The request says when it is delivered, too, as instruments see it.
  comm::Request start(Fiber& f, int from, int to, const comm::Buffer& b);
  Bytes largest() const { return least_; }
  /// Of a message that `start` takes.
  Bytes largest_started() const { return Bytes(least_.count() / ((ranks() - 1) * rails())); }
  /// Throws config::ConfigError if `start` does not take it.
  void check_start(const comm::Buffer& b) const;

 private:
  /// A rank's side of the queue pair with a peer on a rail.
  struct Side {
    QueueEnd queue;
    ReceiveEnd receives;
    flow::Ring<comm::Request> told;  // of the transfers under way, the oldest first; of most nobody wants to know
  };
  /// One end of a pair of ranks.
  struct Pair {
    std::vector<Side> rails;
    std::uint64_t turns = 0;  // of rails
    flow::Ring<int> came;     // rails of sends that nobody has received
    Marks sent;               // what peers' buffers are told by writes
    Marks marked;
  };
  /// Completion queues of the rails, of one kind.
  struct Completions {
    std::vector<CompletionEnd> rails;
    std::size_t last = 0;  // rail that was polled
  };
  struct Ends {
    Completions sends;
    Completions receives;
    comm::ByRank<Pair> pairs;  // by peer
  };
  /// An entry of a completion queue.
  struct Entry {
    infiniband::Completion what;
    int peer = 0;
    int rail = 0;
  };
  const VerbsNodeConfig& config() const { return nodes_.front().config(); }
  int ranks() const { return static_cast<int>(nodes_.size()); }
  int rails() const { return nodes_.front().rails(); }
  Pair& pair(int rank, int peer) { return ends_[rank].pairs[peer]; }
  Bytes half(int rank) const {
    return process::MemoryPlan::page * (nodes_[rank].user_memory() / (process::MemoryPlan::page * 2));
  }
  std::uint64_t address(int rank, const comm::Buffer& b) const {
    return nodes_[rank].user_base() + unsigned_of(b.offset);
  }
  std::uint64_t arriving(int rank, Bytes offset = {}) const {
    return nodes_[rank].user_base() + unsigned_of(half(rank) + offset);
  }
  void connect(int rank, int rail);
  int receive_depth() const { return config().receive_depth == 0 ? depth() : config().receive_depth; }
  /// Of a rank for sends of that peer, as it has done before the run; written down when the first one is sent.
  void preset_receives(int rank, int peer);
  /// Posts a receive for sends to rank `rank`, before the run (null) or as a step.
  void post_receive(Fiber* f, int rank, Side& side);
  int next_rail(int rank, int peer) {
    return static_cast<int>(pair(rank, peer).turns++ % static_cast<unsigned>(rails()));
  }
  void post(Fiber& f, int rank, Side& side, const infiniband::WorkRequest& w, flow::ByteView last,
            const comm::Request& request);
  /// The next entry of any of them.
  Entry next(Fiber& f, int rank, Completions& c) const;

  Windows windows_;
  comm::ByRank<VerbsNode>& nodes_;
  const comm::Steps& step_;
  comm::ByRank<Ends> ends_;
  comm::RequestPool requests_;
  Bytes least_;                                            // half of any rank
  comm::ByRank<std::unique_ptr<VerbsArrivals>> arrivals_;  // by rank; null: nobody has started anything to it
};

}  // namespace tsunagi::libraries
