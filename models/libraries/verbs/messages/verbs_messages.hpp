// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/facets/processor.hpp"
#include "comm/facets/protocols.hpp"
#include "comm/messages/transport.hpp"
#include "comm/steps.hpp"
#include "models/libraries/verbs/messages/message_memory.hpp"
#include "models/libraries/verbs/messages/verbs_engine.hpp"
#include "models/libraries/verbs/messages/verbs_pieces.hpp"
#include "models/libraries/verbs/messages/verbs_rendezvous.hpp"
#include "models/protocols/matching_queues.hpp"
#include "models/protocols/unexpected_queue.hpp"

namespace tsunagi::libraries {

/// Two-sided messages over verbs. A short one is sent with its envelope behind it (VerbsEngine), and copied to where a
/// receive wants it, or aside. Of a longer one the envelope comes alone (VerbsRendezvous, VerbsPieces).
class VerbsMessages final : public comm::Transport, private comm::Attendance {
 public:
  /// All outlive this. Takes its buffers and queues; `connect` joins the queue pairs when all nodes have theirs.
  VerbsMessages(std::vector<VerbsNode>& nodes, const VerbsMessagesConfig& c, const comm::Steps& step);
  VerbsMessages(const VerbsMessages&) = delete;  // its parts know each other
  VerbsMessages& operator=(const VerbsMessages&) = delete;
  /// `first`: the number that the first queue pair made for this has at each node.
  void connect(int first) { engine_.connect(first); }
  /// Who knows buffers in other places than host memory, from now on; it outlives this.
  void set_devices(DeviceBuffers& devices) { memory_.set_devices(&devices); }
  VerbsEngine& engine() { return engine_; }
  VerbsRendezvous& rendezvous() { return rendezvous_; }

  /// As comm::Protocols has them; of `b` from its place to its target.
  std::vector<Bytes> limits() const;
  comm::Protocol protocol(const comm::Buffer& b) const;

  Bytes eager_limit() const override { return config_.eager_limit; }
  bool eager_from(const comm::Buffer& b) const override {
    return comm::is_host(b.place) || memory_.devices() == nullptr || memory_.devices()->eager(b);
  }
  bool room(int from, int to) const override { return engine_.room(from, to); }
  void post(Fiber& f, int from, int to, const comm::Envelope& e, const comm::Buffer* b,
            const comm::Request* request) override;
  std::uint64_t offer(Fiber& f, int from, const comm::Buffer& b) override;
  bool fetch(Fiber& f, int rank, const comm::Envelope& e, const comm::Buffer& b) override;
  std::uint64_t expose(Fiber& f, int rank, const comm::Envelope& e, const comm::Buffer& b) override;
  void put(Fiber& f, int from, int to, const comm::Buffer& b, std::uint64_t target, const comm::Envelope& last,
           const comm::Request& request) override;
  std::optional<comm::Arrival> next(Fiber& f, int rank) override;
  void wait(Fiber& f, int rank, const std::vector<Event*>& events, Time until) override;
  void take(Fiber& f, int rank, const comm::Arrival& a, const comm::Buffer& b) override;
  bool needs_place(int rank, const comm::Arrival& a) const override;
  void set_aside(Fiber& f, int rank, comm::Arrival& a) override;
  void visit(Fiber& f, int rank, Queue q, const std::vector<std::uint32_t>& entries) override;
  /// Notices of slots and pieces come into receives, and without any left their sender would try for ever.
  comm::Attendance* attendance() override { return this; }

 private:
  struct State {
    protocols::UnexpectedQueue unexpected;
    protocols::MatchingQueues queues;
  };
  VerbsNode& node(int rank) const { return engine_.node(rank); }
  State& state(int rank) { return states_[static_cast<std::size_t>(rank)]; }
  DeviceBuffers* devices() const { return memory_.devices(); }
  void attend(Fiber& f, int rank, To what, Event& told, const std::function<bool()>& over) override;
  bool quiet() const override { return engine_.quiet(); }
  /// How the bytes of a long message that the receiver does not read come into its buffer.
  enum class Into : std::uint8_t { place, pieces, blocks };
  Into into(const comm::Buffer& b) const {
    // By pieces the core copies a message, so that no card writes it into a device: it is staged in blocks instead.
    if (!memory_.card_writes(b) || (in_pieces(b.size) && !memory_.card_reads(b))) return Into::blocks;
    return in_pieces(b.size) ? Into::pieces : Into::place;
  }
  /// Whether a ready to send of `b` says where its receiver can read it; whether that reads it into `b`.
  bool offers(const comm::Buffer& b) const { return memory_.card_reads(b) && !in_pieces(b.size); }
  bool fetches(const comm::Buffer& b) const {
    return config_.rendezvous == LongMessages::rget && memory_.card_writes(b);
  }
  comm::Protocol eager_protocol(const comm::Buffer& b, const comm::Buffer& there) const;
  comm::Protocol long_protocol(const comm::Buffer& b, const comm::Buffer& there) const;
  /// Whether a message goes in pieces, as far as that depends on its size.
  bool in_pieces(Bytes n) const {
    return config_.rendezvous == LongMessages::r3 || (devices() == nullptr && n <= config_.r3_limit);
  }
  /// A header that matching has nothing to do with. Returns whether it was one.
  bool heard(Fiber& f, int rank, const VerbsEngine::Arrived& a);
  /// Where the bytes of a message lie that has arrived.
  std::uint64_t address_of(int rank, const comm::Arrival& a);

  VerbsMessagesConfig config_;
  const comm::Steps& step_;
  MessageMemory memory_;
  VerbsEngine engine_;
  VerbsRendezvous rendezvous_;
  VerbsPieces pieces_;
  std::vector<State> states_;
};

}  // namespace tsunagi::libraries
