// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/libraries/verbs/messages/message_header.hpp"
#include "models/libraries/verbs/verbs_config.hpp"
#include "models/process/memory_plan.hpp"

namespace tsunagi::libraries {

/// A rank's side of the slots that short messages are written into by RDMA (the RDMA fast path of MVAPICH2 1.9b,
/// src/mpid/ch3/channels/mrail/src/gen2): for each peer a row at the receiver, and at the sender one like it, which it
/// writes from. A slot begins with a word that says which message is there and how long it is, and ends, behind as many
/// bytes, with a word that says which; the receiver polls the first and then the last. Rules and addresses alone:
/// nothing here takes time.
class FastPath {
 public:
  static constexpr Bytes word{8};

  FastPath(const FastPathConfig& c, int ranks, std::uint64_t incoming, std::uint64_t outgoing)
      : config_(c), incoming_(incoming), outgoing_(outgoing), peers_(static_cast<std::size_t>(ranks)) {}
  /// Of each of the two areas.
  static Bytes area(const FastPathConfig& c, int ranks) { return c.slot * c.slots * ranks; }

  /// The longest message, header and all; negative: there are no slots.
  static Bytes largest(const FastPathConfig& c) { return c.slots > 0 ? c.slot - word * 2 : Bytes(-1); }

  // As the sender.
  /// A message has been sent to the peer by whatever way.
  void count_sent(int peer) { ++at(peer).messages; }
  /// Whether one of `n` bytes, header and all, can go by a slot now.
  bool takes(int peer, Bytes n) const {
    const Peer& p = at(peer);
    return config_.slots > 0 && p.messages >= static_cast<std::uint64_t>(config_.after) && n <= largest(config_) &&
           p.sent - p.returned < static_cast<std::uint64_t>(config_.slots);
  }
  /// The next one, which is numbered from 1 on.
  std::uint64_t next_number(int peer) const { return at(peer).sent + 1; }
  std::uint64_t outgoing(int peer) const { return slot(outgoing_, peer, at(peer).sent); }
  void sent(int peer) { ++at(peer).sent; }
  void returned(int peer, int n) { at(peer).returned += static_cast<unsigned>(n); }

  // As the receiver.
  /// A message of the peer has come by another way.
  void count_received(int peer) { ++at(peer).arrived; }
  /// Whether it is polled.
  bool polls(int peer) const {
    return config_.slots > 0 && at(peer).arrived >= static_cast<std::uint64_t>(config_.after);
  }
  /// Where the peer's message number `n` begins, counted from 1.
  std::uint64_t incoming(int peer, std::uint64_t n) const { return slot(incoming_, peer, n - 1); }
  std::uint64_t expected(int peer) const { return at(peer).received + 1; }
  static std::uint64_t first_word(std::uint64_t number, Bytes n) {
    return number << 32 | static_cast<std::uint64_t>(n.count());
  }
  static bool says(std::uint64_t first, std::uint64_t number) { return first >> 32 == (number & 0xffffffff); }
  static Bytes length(std::uint64_t first) { return Bytes(static_cast<std::int64_t>(first & 0xffffffff)); }
  void received(int peer) {
    Peer& p = at(peer);
    ++p.received;
    p.kept.push_back(true);
  }
  /// Slots of the peer's messages can be filled again in their order.
  void give_back(int peer, std::uint64_t number) {
    Peer& p = at(peer);
    p.kept[static_cast<std::size_t>(number - p.freed - 1)] = false;
    while (!p.kept.empty() && !p.kept.front()) {
      p.kept.erase(p.kept.begin());
      ++p.freed;
    }
  }
  /// What the next header tells the peer.
  int credits(int peer) const { return static_cast<int>(at(peer).freed - at(peer).told); }
  void told(int peer) { at(peer).told = at(peer).freed; }
  /// Whether the peer should be told though nothing is to be sent to it.
  bool owes(int peer) const { return config_.slots > 0 && 2 * credits(peer) >= config_.slots; }

  /// The last header of a slot, which a shorter one may repeat.
  MessageHeader& last_sent(int peer) { return at(peer).last_sent; }
  MessageHeader& last_received(int peer) { return at(peer).last_received; }

 private:
  struct Peer {
    std::uint64_t messages = 0;
    std::uint64_t sent = 0;
    std::uint64_t returned = 0;
    std::uint64_t arrived = 0;
    std::uint64_t received = 0;
    std::uint64_t freed = 0;
    std::uint64_t told = 0;
    std::vector<bool> kept;  // of the messages behind those that are freed
    MessageHeader last_sent{{}, 0, MessageHeader::Notice::slots};
    MessageHeader last_received;
  };
  Peer& at(int peer) { return peers_[static_cast<std::size_t>(peer)]; }
  const Peer& at(int peer) const { return peers_[static_cast<std::size_t>(peer)]; }
  std::uint64_t slot(std::uint64_t base, int peer, std::uint64_t n) const {
    const auto slots = static_cast<std::uint64_t>(config_.slots);
    return base + (static_cast<std::uint64_t>(peer) * slots + n % slots) * unsigned_of(config_.slot);
  }
  FastPathConfig config_;
  std::uint64_t incoming_;
  std::uint64_t outgoing_;
  std::vector<Peer> peers_;
};

}  // namespace tsunagi::libraries
