// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "machine/machine.hpp"
#include "models/host/core.hpp"
#include "models/libraries/pm/pm_myrinet_config.hpp"
#include "models/myrinet/lanai_card.hpp"
#include "models/process/host_process.hpp"

namespace tsunagi::libraries {

/// A node whose process drives a LANai card with firmware that is reliable: writes requests and receive buffers into
/// the card's memory, and polls its events. The card has all receive buffers that hold no message.
class PmLanaiNode : public process::HostProcess {
 public:
  /// `prefix`: what the names of the node's devices begin with. Throws config::ConfigError if it lacks a part, or the
  /// card's firmware or its packets do not do.
  PmLanaiNode(const PmMyrinetConfig& c, Machine& m, const std::string& prefix);
  /// Checks that all parts reach each other, and posts the receive buffers. In its last place.
  void close();

  myrinet::LanaiCard& card() const { return *card_; }
  std::uint64_t send_buffer(int i) const { return at(outgoing_, i); }
  std::uint64_t receive_buffer(int i) const { return at(incoming_, i); }

  /// Whether the card takes another request.
  bool room() const { return posted_ - done_ < static_cast<std::uint32_t>(card_->config().send_entries); }
  /// Hands it to the card. There is room.
  void post(Fiber& f, int to, myrinet::Request what, std::uint64_t local, std::uint64_t remote, Bytes n);
  /// One of them is done.
  void done() { ++done_; }

  bool any() const { return says(next_event()); }
  /// The next event, which is there.
  myrinet::ReceiveEvent next(Fiber& f);
  /// Returns when there is one, or at the deadline.
  void wait(Fiber& f, Time deadline) const { core().poll_any(f, memory(), {next_event()}, deadline); }
  /// The card has a receive buffer again.
  void release(Fiber& f, int buffer);

 private:
  std::uint64_t at(const process::Area& a, int i) const {
    return a.base + unsigned_of(config_.longest) * static_cast<std::uint64_t>(i);
  }
  myrinet::ReceiveBuffer described(int i) const {
    return {receive_buffer(i), static_cast<std::uint32_t>(config_.longest.count()), static_cast<std::uint32_t>(i)};
  }
  int buffers() const { return static_cast<int>(config_.receive_memory / config_.longest); }
  /// Of events: each needs a receive buffer that the card had, or a request.
  int events() const { return buffers() + card_->config().send_entries; }
  /// The word that the next event's last bytes are.
  host::Core::Polled next_event() const;

  PmMyrinetConfig config_;
  myrinet::LanaiCard* card_;
  process::Area incoming_;
  process::Area outgoing_;
  process::Area events_;
  std::uint32_t posted_ = 0;
  std::uint32_t done_ = 0;
  std::uint32_t seen_ = 0;  // events
};

}  // namespace tsunagi::libraries
