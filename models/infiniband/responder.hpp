// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>

#include "flow/ring.hpp"
#include "models/infiniband/header.hpp"
#include "models/infiniband/queue_pair.hpp"
#include "models/infiniband/receive_queue.hpp"
#include "models/infiniband/saved_context.hpp"
#include "models/infiniband/send_engine.hpp"

namespace tsunagi::infiniband {

/// Memory that peers may access, in bytes of the host's addresses.
class Registrations {
 public:
  void add(std::uint64_t base, Bytes size) { all_.push_back({base, base + unsigned_of(size)}); }
  bool cover(std::uint64_t address, Bytes n) const {
    for (const Range& r : all_)
      if (address >= r.begin && address + unsigned_of(n) <= r.end) return true;
    return false;
  }

 private:
  struct Range {
    std::uint64_t begin;
    std::uint64_t end;
  };
  std::vector<Range> all_;
};

/// The receiving side of a queue pair: takes packets in their order, brings data to host memory, completes receives,
/// reads for its peer, and acknowledges; several acknowledgements that wait for the wire become one (InfiniBand
/// Architecture Specification, volume 1, 9.7.5).
class Responder final : private PacketSource,
                        private dma::Port::Reader,
                        private ReceiveQueue::User,
                        private AtomicWords::User {
 public:
  Responder(CardParts& parts, const QueuePairConfig& c, std::uint32_t lid, int writer, CompletionQueue& completions,
            ReceiveQueue* receives, const Registrations& registered);

  /// A request's packet, which has come at `by`.
  void requested(net::Delivery d, const net::Cause& by);
  bool busy() const { return !waiting_.empty() || !answers_.empty(); }
  /// Datagrams that found no receive.
  std::int64_t dropped() const { return dropped_; }

  // Of a connection, when it is not busy:
  void save(SavedContext& c) const { c.word[3] = context_.expected; }
  void restore(const SavedContext& c) {
    context_ = {};
    while (!atomics_.empty()) atomics_.pop_front();  // nobody asks for them again
    context_.expected = static_cast<std::uint32_t>(c.word[3]);
  }

 private:
  /// What goes back: an acknowledgement, or data.
  struct Answer {
    Opcode code = Opcode::acknowledge;  // read_response_only: of any number of packets
    std::uint32_t sequence = 0;
    Syndrome syndrome = acknowledged;
    std::uint64_t from = 0;
    Bytes length;
    std::uint32_t packets = 1;
    std::uint32_t sent = 0;
    std::uint64_t value = 0;  // that an atomic operation found
    net::Cause by;
    std::uint32_t lid = 0;  // whom it is for
    std::uint32_t queue_pair = 0;
  };
  struct Waiting {
    net::Delivery packet;
    net::Cause by;
  };
  /// The message that is arriving.
  struct Message {
    ReceiveQueue::Taken receive;
    Bytes came;
    bool open = false;
  };
  /// What is known of who sends: one, or of datagrams any number.
  struct Context {
    Message message;
    std::uint32_t expected = 0;
    bool refused = false;  // and told so
  };
  enum class Handled : std::uint8_t { done, waits };

  bool next(Outgoing& out) override;
  void left(std::uint32_t, net::Cause) override {}
  void data_came(std::uint64_t token, flow::Contents bytes, net::Cause last) override;
  void receives_fetched(net::Cause last, bool any) override;
  void word_taken(net::Cause by) override;
  void process();
  Handled handle(Waiting& w);
  Handled handle_send(Waiting& w);
  void handle_write(Waiting& w);
  void handle_read(Waiting& w);
  Handled handle_atomic(Waiting& w);
  void read_word(const net::Wait& ready);
  void again(Waiting& w);
  void forget_answers(std::uint32_t from);
  /// Data of the packet to host memory.
  void store(Waiting& w, std::uint64_t address);
  void accept(const Waiting& w, std::uint32_t packets = 1);
  void refuse(Waiting& w, Syndrome why);
  /// Goes to who sent what `w` has.
  void answer(Answer a, const Waiting& w);
  Context& context(const Waiting& w);
  /// It takes space until now: it may have waited for the host.
  void drop(Waiting& w) { w.packet.slot.release(net::Schedule::at(std::max(w.by.when, now()))); }
  bool reliable() const { return config_.service != Service::unreliable_datagram; }
  Time now() const { return parts_.card.simulation().now(); }

  CardParts& parts_;
  QueuePairConfig config_;
  std::uint32_t number_;
  std::uint32_t lid_;
  int writer_;
  CompletionQueue& completions_;
  ReceiveQueue* receives_;
  const Registrations& registered_;
  int stream_;
  flow::Ring<Waiting> waiting_;  // packets that have come
  bool held_ = false;            // they wait for the host
  bool asked_ = false;           // receives were asked for in vain
  flow::Ring<Answer> answers_;
  Context context_;                                      // of a connection
  std::unordered_map<std::uint32_t, Context> contexts_;  // of datagrams, by LID
  flow::Ring<Answer> atomics_;                           // the last ones, which may be asked for again
  std::int64_t dropped_ = 0;
};

}  // namespace tsunagi::infiniband
