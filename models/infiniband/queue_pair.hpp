// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/dma/port.hpp"
#include "models/infiniband/atomic_words.hpp"
#include "models/infiniband/link.hpp"
#include "models/infiniband/request_source.hpp"
#include "models/infiniband/saved_context.hpp"
#include "models/infiniband/work_request.hpp"
#include "net/device.hpp"
#include "units/clock.hpp"

namespace tsunagi::infiniband {

class ReceiveQueue;
class SendEngine;

/// Reliable connection: in order, acknowledged, retransmitted. Unreliable datagram: a packet, to anybody. Reliable
/// datagram: messages to anybody, each begun when the one before is acknowledged (InfiniBand Architecture
/// Specification, volume 1, 9.7 and 9.8).
enum class Service : std::uint8_t { reliable_connection, unreliable_datagram, reliable_datagram };
/// Whether a work request says whom it is for.
constexpr bool addresses_requests(Service s) { return s != Service::reliable_connection; }

/// Times of a connection as verbs' codes say them: code c of an acknowledgement's timer is 4.096 us x 2^c (0: for
/// ever), retries of 7 after "receiver not ready" are for ever (InfiniBand Architecture Specification, volume
/// 1, 9.7.5.2.8 and 11.2.5).
struct Retries {
  int timeout_code = 20;
  int count = 7;
  Time receiver_not_ready = 640_us;
  int receiver_not_ready_count = 7;
  Time timeout() const { return Time::from_fs(std::int64_t{4'096'000'000} << timeout_code); }
};

/// A ring of entries of equal size in host memory.
struct QueueMemory {
  std::uint64_t base = 0;
  int entries = 0;
  Bytes entry;
  std::uint64_t at(std::uint64_t index) const {
    return base + index % static_cast<std::uint64_t>(entries) * unsigned_of(entry);
  }
  /// Whether entry `index`, counted on for ever, is one of an odd round.
  bool odd(std::uint64_t index) const { return index / static_cast<std::uint64_t>(entries) % 2 != 0; }
  /// Entries from `index` on before the ring's end.
  std::int64_t left(std::uint64_t index) const {
    return entries - static_cast<std::int64_t>(index % static_cast<std::uint64_t>(entries));
  }
};

/// A queue pair as software sets it up, before the run: what its control path costs is not modelled.
struct QueuePairConfig {
  int number = -1;  // on its card; -1: the next one
  Service service = Service::reliable_connection;
  int port = 1;
  std::uint32_t peer_lid = 0;
  std::uint32_t peer = 0;  // queue pair
  Bytes mtu{2048};         // of the path
  int service_level = 0;
  QueueMemory sends;
  int send_completions = 0;  // numbers of completion queues
  int receive_completions = 0;
  int receives = -1;  // number of the receive queue; -1: none
  Retries retries;
};

/// What the parts of a card share. A card whose sending and receiving sides are engines of their own has one for each.
struct CardParts {
  net::Device& card;
  flow::PacketPool& pool;
  dma::Port& host;
  SendEngine& engine;
  AtomicWords& words;
  Clock clock;
  int decode_cycles;
  int context_cycles;
  int read_cycles;
  Bytes request_fetch;
  Bytes request_ahead;
  int reads_under_way;
  int ask_interval;
  int virtual_lanes;
  /// Every message asks for an acknowledgement.
  bool ask_each;
  /// Makes what reads a queue pair's send queue.
  std::function<std::unique_ptr<RequestSource>(CardParts&, const QueuePairConfig&, RequestSource::User&)> make_requests;
};

/// Route header of a packet of a queue pair.
inline router::Header route(const CardParts& p, const QueuePairConfig& c, std::uint32_t from, std::uint32_t to) {
  return route_header(static_cast<int>(from), static_cast<int>(to), p.virtual_lanes, c.service_level);
}

/// A completion queue in host memory: entries go there one behind the other.
class CompletionQueue {
 public:
  explicit CompletionQueue(const QueueMemory& memory) : memory_(memory) {}
  /// Writes the next entry by `parts` as `writer`, behind what that one has written before.
  void push(CardParts& parts, int writer, const Completion& c, const net::Cause& by);
  void save(SavedContext& c) const { c.word[0] = next_; }
  void restore(const SavedContext& c) { next_ = c.word[0]; }

 private:
  QueueMemory memory_;
  std::uint64_t next_ = 0;
};

}  // namespace tsunagi::infiniband
