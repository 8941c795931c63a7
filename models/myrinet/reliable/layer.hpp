// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "flow/contents.hpp"
#include "models/myrinet/descriptors.hpp"
#include "models/myrinet/reliable/lead.hpp"
#include "net/wait.hpp"

namespace tsunagi::myrinet {

/// A packet that firmware sends.
struct Outgoing {
  SendDescriptor what;  // `length` data bytes from host memory, or, of `contents`, from the card's
  net::Cause by;
  int cycles = 0;  // of the processor
  bool led = false;
  Lead lead = {};  // in front of the data
  flow::Contents contents = {};
};

/// Firmware over a card's two halves that says what is sent, and takes what has come.
class Layer {
 public:
  virtual ~Layer() = default;
  /// The next packet that is to be sent: false if there is none.
  virtual bool next(Outgoing& out) = 0;
  /// Whether there may be one.
  virtual bool any() const = 0;
  /// Of the processor, for a packet that has come.
  virtual int cycles(const Lead& l) const = 0;
  /// What becomes of a packet that has come.
  struct Fate {
    enum class Where : std::uint8_t { nowhere, receive_buffer, address };
    Where where = Where::nowhere;
    std::uint64_t address = 0;
    std::uint32_t type = 0;  // of an event behind the data
    bool event = false;
  };
  /// The processor has taken a packet of `n` data bytes. `buffer`: there is a receive buffer.
  virtual Fate came(const Lead& l, Bytes n, const flow::Contents& data, bool buffer, const net::Wait& taken) = 0;
  /// What becomes of it is under way.
  virtual void handled() = 0;
};

}  // namespace tsunagi::myrinet
