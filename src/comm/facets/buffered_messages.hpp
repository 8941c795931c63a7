// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "fiber/fiber.hpp"
#include "units/bytes.hpp"

namespace tsunagi::comm {

/// Messages that lie in buffers of the library, which programs get and give back, and writes and reads of peers' memory
/// beside them (PMv2: pmGetSendBuffer, pmSend, pmReceive, pmReleaseReceiveBuffer, pmWrite, pmRead). No call blocks but
/// `wait`.
class BufferedMessages {
 public:
  virtual ~BufferedMessages() = default;
  /// The longest message.
  virtual Bytes longest() const = 0;
  /// Gets a send buffer for a message of `n` bytes (at most `longest`) to `peer`. False: busy, none is free now.
  virtual bool get_buffer(Fiber& f, int rank, int peer, Bytes n) = 0;
  /// Sends the buffer that the rank got last.
  virtual void send_buffer(Fiber& f, int rank) = 0;
  /// A message in a receive buffer.
  struct Received {
    int peer = 0;
    Bytes size;
    std::uint64_t handle = 0;
  };
  /// Looks whether a message has come.
  virtual std::optional<Received> receive(Fiber& f, int rank) = 0;
  /// Gives its buffer back.
  virtual void release(Fiber& f, int rank, const Received& r) = 0;
  /// Begins to write `n` bytes at `offset` of the rank's memory to the same place at `peer`, or to read them from
  /// there. False: busy.
  virtual bool write(Fiber& f, int rank, int peer, Bytes offset, Bytes n) = 0;
  virtual bool read(Fiber& f, int rank, int peer, Bytes offset, Bytes n) = 0;
  /// Looks how many writes and reads of the rank are not done.
  virtual int pending(Fiber& f, int rank) = 0;
  /// Returns when something may have changed: a message has come, a buffer is free, or a write or read is done; or when
  /// it has looked in vain at `deadline` or later.
  virtual void wait(Fiber& f, int rank, Time deadline) = 0;

  // Instruments, in no time:
  /// Reads of host memory that the rank's card has begun in order to send.
  virtual std::int64_t sending_reads(int rank) const = 0;
  /// Bytes of the rank's receive buffers.
  virtual Bytes receive_memory(int rank) const = 0;
};

}  // namespace tsunagi::comm
