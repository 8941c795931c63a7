// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "flow/ring.hpp"
#include "models/infiniband/header.hpp"
#include "models/infiniband/queue_pair.hpp"
#include "models/infiniband/request_source.hpp"
#include "models/infiniband/saved_context.hpp"
#include "models/infiniband/send_engine.hpp"
#include "sim/timer.hpp"

namespace tsunagi::infiniband {

/// The sending side of a queue pair: fetches work requests, makes packets of them, and completes them in their order
/// when they are acknowledged, or answered. What is lost is sent again from the oldest packet that nobody has
/// acknowledged on (InfiniBand Architecture Specification, volume 1, 9.7).
class Requester final : private PacketSource, private RequestSource::User {
 public:
  /// Completions go by `writer`. `completions` outlives this.
  Requester(CardParts& parts, const QueuePairConfig& c, std::uint32_t lid, int writer, CompletionQueue& completions);

  /// A doorbell has told of new requests.
  void doorbell(const net::Cause& by) {
    woken(by);
    requests_->doorbell(by);
  }
  /// A request has come as a whole, with its inline data.
  void request(const PlacedRequest& r, flow::Contents data, const net::Cause& by);
  /// An acknowledgement, or a packet of an answer, which has come at `by`.
  void answered(net::Delivery d, const net::Cause& by);
  bool busy() const { return !works_.empty() || requests_->busy(); }

  std::int64_t retransmissions() const { return retransmissions_; }

  // When it is not busy:
  void save(SavedContext& c) const;
  void restore(const SavedContext& c);

 private:
  struct Work {
    WorkRequest what;
    std::uint16_t index = 0;
    std::uint32_t first = 0;    // packet sequence number
    std::uint32_t packets = 0;  // that it, or its answer, has
    std::uint32_t message = 0;  // number of it
    std::uint32_t sent = 0;     // packets, or whether it has been asked for
    std::uint32_t came = 0;     // packets of its answer
    std::uint32_t number = 0;   // of its last packet, as the card's send engine knows it
    bool done = false;          // of what is answered, or a datagram
    flow::Contents data;        // inline
    net::Wait ready;
    net::Cause last;  // what completes it
  };
  void decoded() { parts_.engine.wake(stream_); }
  /// News of requests: if it was idle, the card looks up its context (read off an ib_write_lat log, whose step at the
  /// inline limit is less than two reads of host memory: docs/fitting.md).
  void woken(const net::Cause& by);
  bool next(Outgoing& out) override;
  void left(std::uint32_t number, net::Cause when) override;
  void built(std::uint32_t number, const net::Cause& by) override;
  void fetched(const PlacedRequest& r, flow::Contents data, const net::Cause& by) override;
  bool give_back() override;
  void fill(Outgoing& out, Work& w);
  Opcode opcode_of(const Work& w, std::uint32_t packet) const;
  /// All before packet `sequence` is acknowledged by `by`, as far as no answer is missing.
  void acknowledge(std::uint32_t sequence, const net::Cause& by);
  void complete(Work& w, net::Cause by);
  void answer_came(net::Delivery d, const net::Cause& by);
  /// What came has packet sequence number `sequence`, and has passed an answer if that is not here.
  void passed(std::uint32_t sequence);
  /// Sends again, if it may once more. `stale`: what was sent before may still be answered.
  void retry(const char* why, bool stale);
  void go_back();
  void timed_out();
  void restart_timer();
  bool reliable() const { return config_.service != Service::unreliable_datagram; }
  bool reliable_datagrams() const { return config_.service == Service::reliable_datagram; }
  Time now() const { return parts_.card.simulation().now(); }
  [[noreturn]] void fail(const std::string& what) const;

  CardParts& parts_;
  QueuePairConfig config_;
  std::uint32_t number_;
  std::uint32_t lid_;
  int writer_;
  CompletionQueue& completions_;
  int stream_;
  std::unique_ptr<RequestSource> requests_;
  std::unordered_map<std::uint32_t, std::uint32_t> next_to_;  // of reliable datagrams: packet sequence number, by LID
  net::Wait context_;                                         // for its context
  flow::Ring<Work> works_;                                    // not completed
  std::size_t cursor_ = 0;                                    // the one whose packets are next
  std::uint32_t sequence_ = 0;                                // of the next new packet
  std::uint32_t oldest_ = 0;                                  // packet that is not acknowledged
  std::uint32_t highest_ = 0;                                 // behind the last one that was ever sent
  /// Packets under way that ask for an acknowledgement, or for data: on those the timer looks.
  struct Asked {
    std::uint32_t number = 0;  // of the packet, those that are sent again counted again
    std::uint32_t until = 0;   // sequence number of the last packet of what is asked for
    bool left = false;         // for the wire, at
    Time at;
  };
  flow::Ring<Asked> asked_;
  std::uint32_t made_ = 0;  // packets
  int since_ask_ = 0;
  int answers_ = 0;  // reads and atomic operations under way
  int retries_left_;
  int ready_retries_left_;
  bool stale_ = false;         // what comes may be for what was sent before the last retry
  std::uint32_t renewed_ = 0;  // behind all that had been sent before that
  std::uint32_t came_ = 0;     // number of the last packet of an answer
  bool waits_ = false;         // for a receiver that was not ready
  std::uint32_t messages_ = 0;
  std::int64_t retransmissions_ = 0;
  sim::Timer<&Requester::decoded> decode_alarm_{*this};
  sim::Timer<&Requester::timed_out> timer_{*this};
};

}  // namespace tsunagi::infiniband
