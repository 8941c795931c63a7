// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "flow/contents.hpp"
#include "net/device.hpp"
#include "net/wait.hpp"

namespace tsunagi::dma {

/// A card's end of an I/O bus, whichever that is: it reads and writes host memory, and takes what the host stores in
/// the card's registers.
class Port {
 public:
  /// Who asks for data.
  class Reader {
   public:
    virtual ~Reader() = default;
    /// What was asked for as `token` is here; `last`: since when, by which packet.
    virtual void data_came(std::uint64_t token, flow::Contents bytes, net::Cause last) = 0;
  };

  /// Who has registers.
  class Registers {
   public:
    virtual ~Registers() = default;
    /// The host has stored what packet `i` of train `p` brings, from its address on; `by`: when the last byte came.
    /// Throws std::runtime_error where nothing is.
    virtual void stored(const flow::Packet& p, std::int32_t i, const net::Cause& by) = 0;
  };

  /// Data that go to host memory.
  struct Write {
    std::uint64_t address = 0;
    Bytes size;
    flow::Contents contents = {};
    std::uint32_t origin = 0;
    std::uint64_t origin_offset = 0;
    net::Slot held = {};  // given back when the last byte has left
    bool data = false;    // of a message, which nobody looks for in order: may be relaxed
  };

  static constexpr std::size_t most_writers = 2;

  virtual ~Port() = default;

  /// Asks for `n` bytes (> 0) from `address` on. Reads are requested one behind the other; what comes may be for a
  /// later one.
  virtual void read(Reader& reader, std::uint64_t token, std::uint64_t address, Bytes n, const net::Wait& ready) = 0;
  /// The same behind what has been posted by any writer: when that has left, so that the read finds it.
  virtual void read_behind(Reader& reader, std::uint64_t token, std::uint64_t address, Bytes n,
                           const net::Wait& ready) = 0;
  /// Posts it as soon as `why` is over, behind what that writer (0 .. most_writers - 1) has posted before.
  virtual void write(int writer, Write w, const net::Wait& why) = 0;
  /// What has come by the device's port 0. Throws std::runtime_error where it brings an error.
  virtual void came(net::Delivery d) = 0;
  /// Transfers are under way.
  virtual bool busy() const = 0;
};

}  // namespace tsunagi::dma
