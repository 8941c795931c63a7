// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "comm/by_rank.hpp"
#include "config/describe.hpp"
#include "machine/machine.hpp"
#include "models/host/core.hpp"
#include "models/myrinet/lanai_card.hpp"
#include "models/process/host_process.hpp"

namespace tsunagi::libraries {

/// What a node uses.
struct LanaiNodeConfig {
  std::string core = "core0";
  std::string memory = "memory";
  std::string card = "lanai";
  int receive_buffers = 64;
  int buffers = 4096;
  std::int64_t post_cycles = 100;
  std::int64_t poll_cycles = 50;
};
void describe(LanaiNodeConfig& c, config::Describer& d);

/// A node whose process drives a LANai card by itself: writes descriptors into the card's memory, gives it receive
/// buffers of one packet each, and polls the card's events. What has come stays in its buffer until somebody takes it;
/// the card gets another one meanwhile. What sets that up takes no time: before the run.
class LanaiNode : public process::HostProcess {
 public:
  /// `prefix`: what the names of the node's devices begin with. Throws config::ConfigError if it lacks a part, or the
  /// parts do not reach each other.
  LanaiNode(const LanaiNodeConfig& c, Machine& m, const std::string& prefix);

  /// Memory for something else that the library keeps. Before `close`.
  process::Area take(const std::string& name, Bytes size) { return areas().take(name, size); }
  /// No more memory is taken: checks that all parts reach each other, and posts the receive buffers.
  void close();

  myrinet::LanaiCard& card() const { return *card_; }
  int place() const { return card_->place(); }
  Bytes largest_packet() const { return card_->network_port().max_payload(); }

  /// Whether the card takes another send.
  bool room() const { return posted_ < entries() || sent(posted_ + 1 - entries()); }
  /// Hands the card `n` bytes at `address` as a packet. There is room. Returns its number. `notify`: somebody is going
  /// to wait until it is sent.
  std::uint32_t post(Fiber& f, int to, std::uint64_t address, Bytes n, std::uint32_t type, bool notify);
  /// The last send whose leaving the next one has to wait for.
  std::uint32_t oldest() const { return posted_ + 1 - entries(); }
  /// Whether the data of send `number` have left the host.
  bool sent(std::uint32_t number) const { return says(sent_word(number)); }
  /// Returns when they have, or when a packet has come.
  void await_sent(Fiber& f, std::uint32_t number) const;

  /// A packet that has come.
  struct Came {
    Bytes size;
    std::uint32_t type = 0;
    int buffer = 0;
    std::uint64_t address = 0;
  };
  bool any() const { return says(next_event()); }
  /// Returns the next one when it is there. The card gets a fresh buffer for it, if there is one.
  Came next(Fiber& f);
  /// The buffer may be written again.
  void release(Fiber& f, int buffer);

 private:
  std::uint64_t buffer_at(int i) const { return buffers_.base + unsigned_of(largest_packet() * i); }
  myrinet::ReceiveBuffer receive_buffer(int i) const {
    return {buffer_at(i), static_cast<std::uint32_t>(largest_packet().count()), static_cast<std::uint32_t>(i)};
  }
  host::Core::Polled sent_word(std::uint32_t number) const;
  /// The word that the next event's last bytes are.
  host::Core::Polled next_event() const;
  std::uint32_t entries() const { return static_cast<std::uint32_t>(card_->config().send_entries); }
  void give(Fiber& f, int buffer);

  LanaiNodeConfig config_;
  myrinet::LanaiCard* card_;
  process::Area buffers_;
  process::Area events_;
  process::Area words_;  // sends that are done, and the ring of descriptors where there is one
  std::uint32_t posted_ = 0;
  std::uint32_t seen_ = 0;  // events
  int given_ = 0;           // buffers that the card has
  std::vector<int> free_;   // that nobody has
};

/// What the names of the devices of a machine's nodes begin with whose LANai cards are called so, by the cards' places.
/// Throws config::ConfigError if there are not two in one network.
std::vector<std::string> lanai_prefixes(const std::string& called, Machine& m, const std::string& library);

/// Those of a machine by their cards' places. Throws config::ConfigError if there are not two in one network.
comm::ByRank<LanaiNode> lanai_nodes(const LanaiNodeConfig& c, Machine& m, const std::string& library);

}  // namespace tsunagi::libraries
