// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "comm/numbers.hpp"
#include "comm/processor.hpp"
#include "comm/steps.hpp"
#include "comm/transport.hpp"
#include "flow/ring.hpp"
#include "models/libraries/verbs/fast_path.hpp"
#include "models/libraries/verbs/verbs_node.hpp"

namespace tsunagi::libraries {

/// Two-sided messages over verbs. A short one is copied into a registered buffer, its envelope behind it, and sent into
/// one of the receives that each rank has posted for all of its peers (a shared receive queue); what arrives there is
/// copied to where a receive wants it, or aside, and posted again. Short ones of a peer that has sent some already go
/// into slots that are polled (FastPath). Of a longer one the envelope comes alone; the receiver says where the bytes
/// go to, and an RDMA write brings them there, a send with an envelope behind it.
class VerbsMessages final : public comm::Transport {
 public:
  /// All outlive this. Takes its buffers and queues; `connect` joins the queue pairs when all nodes have theirs.
  VerbsMessages(std::vector<VerbsNode>& nodes, const VerbsMessagesConfig& c, const comm::Steps& step);
  /// `first`: the number that the first queue pair made for this has at each node.
  void connect(int first);

  Bytes eager_limit() const override { return config_.eager_limit; }
  bool eager_from(const comm::Buffer& b) const override { return is_host(b.place); }
  bool room(int from, int to) const override;
  void post(comm::Fiber& f, int from, int to, const comm::Envelope& e, const comm::Buffer* b,
            const comm::Request* request) override;
  std::uint64_t expose(comm::Fiber& f, int rank, const comm::Buffer& b) override;
  void put(comm::Fiber& f, int from, int to, const comm::Buffer& b, std::uint64_t target, const comm::Envelope& last,
           const comm::Request& request) override;
  std::optional<comm::Arrival> next(comm::Fiber& f, int rank) override;
  void wait(comm::Fiber& f, int rank, const std::vector<comm::Event*>& events, Time until) override;
  void take(comm::Fiber& f, int rank, const comm::Arrival& a, const comm::Buffer& b) override;
  void set_aside(comm::Fiber& f, int rank, comm::Arrival& a) override;
  void visit(comm::Fiber& f, int rank, Queue q, const std::vector<std::uint32_t>& entries) override;

 private:
  /// What a send queue has posted and not completed.
  struct Posted {
    int buffer = -1;        // that it is sent from; -1: none
    comm::Request request;  // of the message that has left with it, if it is valid
  };
  struct Pair {
    QueueEnd queue;
    flow::Ring<Posted> posted;
  };
  /// Bytes that wait for room in a send queue.
  struct Job {
    int to = 0;
    comm::Buffer what;
    std::uint64_t target = 0;
    comm::Envelope last;
    comm::Request request;
  };
  struct State {
    explicit State(FastPath p) : fast(std::move(p)) {}
    CompletionEnd sends;
    CompletionEnd receives;
    ReceiveEnd shared;
    Area incoming;  // a buffer a receive
    Area outgoing;
    Area unexpected;
    Area queues;                                       // entries of matching queues
    std::unordered_map<std::uint16_t, int> buffer_of;  // by index of the posted receive; looked up only
    std::vector<int> free;                             // outgoing buffers
    std::vector<Pair> pairs;                           // by peer
    std::deque<Job> jobs;
    FastPath fast;
    std::vector<int> polled_peers;          // by their slots, in the order in which they began
    int fetched = -1;                       // of them, whose slot the polling loop found
    std::size_t looked = 0;                 // at which of them last
    std::vector<std::uint64_t> registered;  // pages of memory that a card may access, in order
    comm::Numbers aside;
    int under_way = 0;  // in the send queues
    bool polled = false;
  };
  static bool is_host(const std::string& place) { return place.empty() || place == "host"; }
  const VerbsNodeConfig& node_config() const { return nodes_.front().config(); }
  VerbsNode& node(int rank) const { return nodes_[static_cast<std::size_t>(rank)]; }
  State& state(int rank) { return *states_[static_cast<std::size_t>(rank)]; }
  const State& state(int rank) const { return *states_[static_cast<std::size_t>(rank)]; }
  Pair& pair(int rank, int peer) { return state(rank).pairs[static_cast<std::size_t>(peer)]; }
  Bytes buffer_size() const;
  std::uint64_t buffer(const Area& a, int i) const {
    return a.base + unsigned_of(buffer_size()) * static_cast<unsigned>(i);
  }
  std::uint64_t user(int rank, const comm::Buffer& b) const { return node(rank).user_base() + unsigned_of(b.offset); }
  int peer_of(int rank, std::uint32_t queue_pair) const;
  void send(comm::Fiber& f, int from, int to, MessageHeader h, std::uint64_t data, Bytes n);
  /// By a slot that is polled there.
  void send_fast(comm::Fiber& f, int from, int to, const MessageHeader& h, Bytes header, std::uint64_t data, Bytes n);
  void post_send(comm::Fiber& f, int from, int to, const infiniband::WorkRequest& w, int buffer, flow::ByteView last,
                 flow::ByteView first);
  /// Whose slot has a message; -1: nobody's.
  int fast_arrival(int rank);
  host::Core::Polled fast_word(int rank, int peer) const;
  comm::Arrival receive_fast(comm::Fiber& f, int rank, int peer, MessageHeader& h);
  comm::Arrival receive(comm::Fiber& f, int rank, MessageHeader& h);
  void give_slot_back(comm::Fiber& f, int rank, std::uint64_t handle);
  /// Memory that a card is to access.
  void register_memory(comm::Fiber& f, int rank, std::uint64_t address, Bytes n);
  void start_jobs(comm::Fiber& f, int rank);
  void completed(comm::Fiber& f, int rank);
  void post_again(comm::Fiber& f, int rank, int buffer);
  std::uint64_t place_of(int rank, const comm::Arrival& a) const;
  void check(int rank, const char* call, const comm::Buffer& b) const;

  std::vector<VerbsNode>& nodes_;
  VerbsMessagesConfig config_;
  const comm::Steps& step_;
  std::vector<std::unique_ptr<State>> states_;
  int first_pair_ = 0;
};

/// The core of each node computes for its rank.
class VerbsProcessor final : public comm::Processor {
 public:
  explicit VerbsProcessor(const std::vector<VerbsNode>& nodes) : nodes_(nodes) {}
  void compute(comm::Fiber& f, int rank, Time t) override;
  void compute(comm::Fiber& f, int rank, const comm::Work& w, const std::string& place) override;
  void copy(comm::Fiber& f, int rank, const comm::Buffer& to, const comm::Buffer& from) override;
  void combine(comm::Fiber& f, int rank, Bytes n) override;

 private:
  const VerbsNode& node(int rank) const { return nodes_[static_cast<std::size_t>(rank)]; }
  const std::vector<VerbsNode>& nodes_;
};

}  // namespace tsunagi::libraries
