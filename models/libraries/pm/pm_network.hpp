// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "comm/ceiling.hpp"
#include "comm/facets/checkpoints.hpp"
#include "comm/facets/processor.hpp"
#include "models/process/host_process.hpp"

namespace tsunagi::libraries {

/// What moves the messages of PM: a network with its cards. Send buffers are the library's, in the order of their
/// numbers; what arrives lies in receive buffers of the network.
class PmNetwork {
 public:
  virtual ~PmNetwork() = default;
  virtual int ranks() const = 0;
  virtual const process::HostProcess& process(int rank) const = 0;
  virtual comm::Processor& processor() = 0;

  /// Where send buffer `i` of a rank lies.
  virtual std::uint64_t send_buffer(int rank, int i) const = 0;
  /// Whether another message, write or read to `peer` can be posted.
  virtual bool room(int rank, int peer) const = 0;
  /// Sends `n` bytes at `address`, in send buffer `buffer`, as a message. There is room.
  virtual void send(Fiber& f, int rank, int peer, std::uint64_t address, Bytes n, int buffer) = 0;
  enum class Transfer : std::uint8_t { write, read };
  /// Writes `n` bytes at `local` to `remote`, an address of the peer, or reads them from there. There is room. `number`
  /// is the caller's for a write.
  virtual void transfer(Fiber& f, int rank, int peer, Transfer t, std::uint64_t local, std::uint64_t remote, Bytes n,
                        int number) = 0;

  /// What was posted and is done.
  struct Done {
    enum class What : std::uint8_t { message, write, read };
    What what = What::message;
    int number = 0;  // the buffer of a message, what the caller gave with a write; 0 for a read
  };
  /// Looks whether something that was posted is done, and takes it.
  virtual std::optional<Done> take_done(Fiber& f, int rank) = 0;
  struct Received {
    int peer = 0;
    Bytes size;
    std::uint64_t address = 0;
    int buffer = 0;
  };
  /// Looks whether a message has come, and takes it.
  virtual std::optional<Received> take_received(Fiber& f, int rank) = 0;
  /// A receive buffer is free again.
  virtual void release(Fiber& f, int rank, int buffer) = 0;
  /// Returns when one of the two `take`s would find something, or when it has looked in vain at `deadline` or later.
  virtual void wait(Fiber& f, int rank, Time deadline) = 0;

  /// How a rank's card is brought to rest; null: it has no commands for that.
  virtual comm::Checkpoints* checkpoints() { return nullptr; }

  /// Reads of host memory that a rank's card has begun in order to send. -1: it does not count them.
  virtual std::int64_t sending_reads(int /*rank*/) const { return -1; }
  virtual Bytes receive_memory(int rank) const = 0;
  /// What bounds the bandwidth from one rank to another.
  virtual std::vector<comm::Ceiling> ceilings(int from, int to) const = 0;
  /// What might help when nothing moves any more.
  virtual std::string advice() const { return {}; }
  /// Packets, and messages, that have been lost and sent again.
  virtual std::int64_t lost() const = 0;
};

}  // namespace tsunagi::libraries
