// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "comm/buffer.hpp"
#include "comm/messages/transport.hpp"
#include "comm/request.hpp"
#include "fiber/fiber.hpp"
#include "models/libraries/verbs/messages/message_header.hpp"
#include "models/process/core_processor.hpp"
#include "units/work.hpp"

namespace tsunagi::libraries {

/// How an eager message, or a piece of one, is copied between its buffer and host memory: by whom, how often.
struct MessageCopy {
  int by_core = 0;
  int by_dma = 0;
  std::string how;  // and why; empty: as host memory is
};

/// How VerbsMessages gets at messages' buffers that do not lie in host memory; eager messages are copied. Calls take
/// what they cost the program of the rank.
class DeviceBuffers : public process::Devices {
 public:
  /// Finds out where the buffer of a call lies; of every call, of host memory too.
  virtual void look_at(Fiber& f, int rank) = 0;
  /// Whether the card reads a message's bytes where they lie, or writes them there.
  virtual bool card_reads(const comm::Buffer& b) const = 0;
  virtual bool card_writes(const comm::Buffer& b) const = 0;
  /// Whether it can be sent as an eager message if it is short enough for one.
  virtual bool eager(const comm::Buffer& b) const = 0;
  /// Copies the bytes of such a message, or of a piece of one: as `copy_out` and `copy_in`, which are a program's own
  /// copies.
  virtual MessageCopy message_copy(const comm::Buffer& b) const = 0;
  virtual void copy_message_out(Fiber& f, int rank, const comm::Buffer& from, std::uint64_t host) = 0;
  virtual void copy_message_in(Fiber& f, int rank, const comm::Buffer& to, std::uint64_t host) = 0;
  /// Sizes at which any of these answers changes; why a message is staged at an end.
  virtual std::vector<Bytes> limits() const = 0;
  virtual std::string staging_limit(bool receiver) const = 0;
  /// Where the card finds it then.
  virtual std::uint64_t address(int rank, const comm::Buffer& b) = 0;

  // Long messages that go through blocks of host memory at an end, or at both.
  /// What stands in a clear to send for a buffer whose bytes come by blocks: from here on.
  static constexpr std::uint64_t first_ticket = std::uint64_t{1} << 62;
  virtual std::uint64_t expect(Fiber& f, int rank, const comm::Buffer& into) = 0;
  /// The clear to send with that ticket: sends one with blocks when there are some.
  virtual void clear(Fiber& f, int rank, const comm::Envelope& e) = 0;
  /// Blocks that rank `rank` may fill have been told of, or it is told that one of its own has been filled.
  virtual void told(Fiber& f, int rank, int peer, const MessageHeader& h) = 0;
  /// Whether the receiver of a message that rank `rank` sends has told of blocks.
  virtual bool into_blocks(int rank, int to, const comm::Envelope& last) const = 0;
  virtual void put(Fiber& f, int from, int to, const comm::Buffer& b, std::uint64_t target, const comm::Envelope& last,
                   const comm::Request& request) = 0;
  /// Does what is due.
  virtual void progress(Fiber& f, int rank) = 0;
  /// Whether something has to be asked for, again and again.
  virtual bool busy(int rank) const = 0;
  /// The next message whose last byte is in its place; it is held nowhere else.
  virtual std::optional<comm::Arrival> finished(int rank) = 0;
};

}  // namespace tsunagi::libraries
