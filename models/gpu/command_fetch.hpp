// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "models/gpu/command.hpp"
#include "models/gpu/copy_engine_config.hpp"
#include "net/device.hpp"
#include "units/clock.hpp"

namespace tsunagi::gpu {

using net::Cause;
using net::Wait;

/// How commands get into a channel. They lie in a push buffer in host memory; a ring there says which pieces of it
/// to run; the doorbell says how far the ring is filled. For each entry: a read of the ring, then one of the command.
/// From a doorbell or an entry to the read of what it points to it takes `fetch_cycles`.
/// One command runs, one waits behind it; the next is asked for when the first has ended.
class CommandFetch {
 public:
  /// Reads under way at most.
  static constexpr int tags = 1;
  using Send = std::function<void(net::Delivery)>;
  /// A command that came with `by`.
  using Execute = std::function<void(const Command&, Cause by)>;

  CommandFetch(net::Device& gpu, flow::PacketPool& pool, const CopyEngineConfig& c, int channel, Send send,
               Execute execute);

  /// A register write that arrived as `by` says; `offset` within the channel's block.
  void write_register(std::uint64_t offset, std::uint64_t value, Cause by);
  void complete(const flow::Packet& p, Cause by);
  /// The oldest command that had not ended ends, now or later.
  void ended(Cause by);
  bool busy() const { return state_ != State::idle || get_ != put_ || ended_ != handed_out_; }

 private:
  enum class State : std::uint8_t { idle, entry, command };
  [[noreturn]] void fail(const std::string& what) const;
  void next();
  void read(std::uint64_t address, Bytes n, const Wait& why);
  Wait step(Cause by, const char* what) const;

  net::Device& gpu_;
  flow::PacketPool& pool_;
  const CopyEngineConfig& config_;
  Clock clock_;
  int channel_;
  Send send_;
  Execute execute_;
  std::uint64_t ring_ = 0;
  std::uint64_t entries_ = 0;
  std::uint64_t put_ = 0;
  std::uint64_t get_ = 0;
  State state_ = State::idle;
  CommandWords words_{};
  Bytes here_;  // of the command, from its first byte on
  Wait ready_;  // after the doorbell and the command before
  // Commands handed out, how many of them have ended, and what ended the last even and the last odd one.
  std::uint64_t handed_out_ = 0;
  std::uint64_t ended_ = 0;
  std::array<Cause, 2> ends_{};
};

}  // namespace tsunagi::gpu
