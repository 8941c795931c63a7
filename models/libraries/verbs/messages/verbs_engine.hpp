// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "comm/buffer.hpp"
#include "comm/steps.hpp"
#include "models/libraries/verbs/messages/fast_path.hpp"
#include "models/libraries/verbs/messages/message_memory.hpp"
#include "models/libraries/verbs/verbs_rails.hpp"

namespace tsunagi::libraries {

/// What moves two-sided messages over verbs: headers, with bytes in front of them or none, and work requests that tell
/// when they are done. A header is copied into a registered buffer behind its bytes, and sent into one of the receives
/// that each rank has posted for all of its peers (a shared receive queue). Short ones of a peer that has sent some
/// already go into slots that are polled (FastPath). What each means is the callers' affair, but slots given back.
class VerbsEngine {
 public:
  using Then = VerbsRails::Then;
  /// A header that has come. `handle`: of its place, until it is given back.
  struct Arrived {
    MessageHeader header;
    std::uint64_t handle = 0;
    Time at;       // when its last byte was there
    int peer = 0;  // who sent it
  };

  /// All outlive this. Takes its buffers and queues; `connect` joins the queue pairs when all nodes have theirs.
  VerbsEngine(std::vector<VerbsNode>& nodes, const MessageMemory& memory, const VerbsMessagesConfig& c,
              const comm::Steps& step);
  /// `first`: the number that the first queue pair made for this has at each card.
  void connect(int first) { rails_.connect(first); }

  VerbsNode& node(int rank) const { return nodes_[static_cast<std::size_t>(rank)]; }
  const comm::Steps& step() const { return step_; }
  Bytes buffer_size() const;
  /// Bytes that can be sent in front of a header.
  Bytes most_sent() const { return buffer_size() - config_.header; }
  /// The longest message that goes by a slot of the fast path with a whole header; negative: none does.
  Bytes most_in_slot() const { return FastPath::largest(config_.fast_path) - config_.header; }
  int rails() const { return rails_.rails(); }
  /// Whether a header to `to` can leave now, by the rail whose turn it is.
  bool room(int from, int to) const { return room(from, to, rails_.by_turn(from), 1, 1); }
  /// Whether so many work requests can be posted to a rail's queue pair with `to`, and have so many buffers.
  bool room(int from, int to, int rail, int requests, int buffers) const {
    return static_cast<int>(state(from).free.size()) >= buffers && rails_.room(from, to, rail, requests);
  }
  /// Whether `n` bytes of a long message are cut over all rails.
  bool cut(Bytes n) const { return n > config_.stripe_above && rails() > 1; }
  /// A part of them.
  struct Share {
    int rail = 0;
    Bytes from;
    Bytes size;
  };
  /// How they go: cut evenly, the last rail has what is left; if they are not cut all by `rail`.
  std::vector<Share> shares(Bytes n, int rail) const;
  /// The rail of the next message that one is enough for.
  int by_turn(int rank) const { return rails_.by_turn(rank); }
  int take_turn(int rank) { return rails_.take_turn(rank); }
  /// Sends the header behind the bytes of `b`, which it copies; null: alone. There is room.
  void send(Fiber& f, int from, int to, MessageHeader h, const comm::Buffer* b = nullptr, Then then = {});
  /// Sends a header behind what was posted to that rail. There is room, and a buffer.
  void send_behind(Fiber& f, int from, int to, int rail, MessageHeader h, Then then);
  /// Posts a work request to a rail's queue pair with `to`, by a step of that name. There is room. `last`: as
  /// VerbsNode::post.
  void post(Fiber& f, int from, int to, int rail, const char* name, const infiniband::WorkRequest& w, Then then,
            flow::ByteView last = {});
  /// Takes the completions that are there of what was posted.
  void complete(Fiber& f, int rank);
  /// Looks whether a header has come.
  std::optional<Arrived> next(Fiber& f, int rank);
  /// Returns when there may be something new for `complete` or `next`, or a word says what the rank waits for beside.
  void wait(Fiber& f, int rank);
  /// Returns when there is one of those, or, with `run_out`, when a card of the rank has no receive left; or when
  /// `told` was notified and it is `over`. Takes no time of the core: its program makes no calls.
  void attend(Fiber& f, int rank, bool run_out, Event& told, const std::function<bool()>& over) const;
  /// All headers that were sent have been taken, and all completions of work requests.
  bool quiet() const { return headers_ == 0 && rails_.under_way() == 0; }
  /// What it waits for beside, until the next call.
  void await(int rank, std::vector<host::Core::Polled> words) { state(rank).awaited = std::move(words); }
  /// Whether the polling loop ended with the one of those that ends at `end`, and has its line. Asked once.
  bool fetched(int rank, std::uint64_t end) { return std::exchange(state(rank).found, 0) == end; }
  /// Where the bytes are that came with a header.
  std::uint64_t place_of(int rank, std::uint64_t handle) const;
  /// Whether that is the buffer of a posted receive, which is one less until it is given back.
  static bool takes_receive(std::uint64_t handle);
  /// Whether a card of the rank has no receive left, as far as is known.
  bool ran_out(int rank) const { return rails_.ran_out(rank); }
  /// The place is needed no more. `tell`: the peer, if many of its slots are free; not of those that told this rank so,
  /// or it would never end.
  void give_back(Fiber& f, int rank, std::uint64_t handle, bool tell = true);

 private:
  struct State {
    explicit State(FastPath p) : fast(std::move(p)) {}
    process::Area incoming;  // a buffer a receive, those of a card behind those of the one before
    process::Area outgoing;
    std::vector<int> free;  // outgoing buffers
    FastPath fast;
    std::vector<int> polled_peers;  // by their slots, in the order in which they began
    int fetched = -1;               // of them, whose slot the polling loop found
    std::size_t looked = 0;         // at which of them last
    bool polled = false;
    std::vector<host::Core::Polled> awaited;  // beside all that
    std::uint64_t found = 0;                  // of them, the end of the word that the polling loop found
  };
  State& state(int rank) { return *states_[static_cast<std::size_t>(rank)]; }
  const State& state(int rank) const { return *states_[static_cast<std::size_t>(rank)]; }
  std::uint64_t buffer(const process::Area& a, int i) const {
    return a.base + unsigned_of(buffer_size()) * static_cast<unsigned>(i);
  }
  /// By a slot that is polled there.
  void send_fast(Fiber& f, int from, int to, const MessageHeader& h, Bytes header, const comm::Buffer* b, Then then);
  /// By a buffer and a rail.
  void send_plain(Fiber& f, int from, int to, int rail, const MessageHeader& h, const comm::Buffer* b, Then then);
  /// Says what the receiver has to know of slots, and spends what a header costs.
  void prepare(Fiber& f, int from, int to, MessageHeader& h);
  void completed(Fiber& f, int rank);
  /// Whose slot has a message; -1: nobody's.
  int fast_arrival(int rank);
  host::Core::Polled fast_word(int rank, int peer) const;
  /// By which words all that comes can be seen, those of slots first.
  std::vector<host::Core::Polled> words(int rank) const;
  Arrived receive_fast(Fiber& f, int rank, int peer);
  Arrived receive(Fiber& f, int rank);
  void give_slot_back(Fiber& f, int rank, std::uint64_t handle, bool tell);
  void post_again(Fiber& f, int rank, int buffer);

  /// What a header takes that does not repeat the one before.
  Bytes size_of(const MessageHeader& h) const;

  std::vector<VerbsNode>& nodes_;
  const MessageMemory& memory_;
  VerbsMessagesConfig config_;
  const comm::Steps& step_;
  VerbsRails rails_;
  std::vector<std::unique_ptr<State>> states_;
  std::int64_t headers_ = 0;  // on their way, of all ranks
};

}  // namespace tsunagi::libraries
