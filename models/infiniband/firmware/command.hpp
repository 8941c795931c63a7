// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "units/bytes.hpp"

namespace tsunagi::infiniband {

/// What software asks of a card in one go for a range of queues (paper 004, 5.5 and 6, pmSendStable, pmControlSend,
/// pmSaveContext, pmRestoreContext). States are those of InfiniBand's queue pairs (Architecture Specification,
/// volume 1, 10.3.1).
struct Command {
  enum class Code : std::uint8_t {
    stop = 1,  // queue pairs begin no more work requests (SQD)
    start,     // they go on (RTS)
    reset,     // as they were made (Reset): packets for a queue pair are dropped until its context is restored
    save,      // their contexts to host memory
    restore,   // and back; queue pairs are stopped then
  };
  enum class Of : std::uint8_t { queue_pairs, receive_queues, completion_queues };
  static constexpr Bytes size{64};

  Code code = Code::stop;
  Of of = Of::queue_pairs;
  std::uint32_t first = 0;     // number
  std::uint32_t count = 1;     // of them
  std::uint64_t contexts = 0;  // host address, one behind the other
  std::uint64_t done = 0;      // of the word that says `tag` when the command has been carried out
  std::uint64_t stable = 0;    // of a stop: the word that says it when nothing is under way that they have begun
  std::uint64_t tag = 0;
};

/// Its form in host memory, which is this model's.
std::array<std::uint8_t, 64> encode(const Command& c);
Command decode_command(const std::uint8_t* bytes);

}  // namespace tsunagi::infiniband
