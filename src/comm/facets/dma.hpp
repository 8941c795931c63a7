// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "comm/request.hpp"
#include "fiber/fiber.hpp"
#include "units/bytes.hpp"
#include "units/rate.hpp"
#include "units/time.hpp"

namespace tsunagi::comm {

/// Which memory a card's DMA accesses: that of the socket it is plugged into, or another socket's.
enum class DmaMemory : std::uint8_t { local, remote };

/// Who has written bytes last, before anything is measured: it decides in which caches they lie.
enum class WarmedBy : std::uint8_t { host, device };

/// One DMA operation of a card: it reads host memory, or writes to it.
struct DmaOperation {
  enum class Kind : std::uint8_t { read, write };
  Kind kind = Kind::read;
  DmaMemory memory = DmaMemory::local;
  int method = 0;  // an index of `Dma::methods`
  Bytes offset;    // in that memory's buffer
  Bytes size;
};

/// Bytes on the card's link, headers and all, from the card and to it.
struct DmaLoad {
  Bytes out;
  Bytes back;
};

/// The DMA of a card whose firmware starts operations itself (a facet of its library).
class Dma {
 public:
  virtual ~Dma() = default;
  /// Ways to do an operation ("dma", "command"); the first is the default.
  virtual std::vector<std::string> methods() const = 0;
  /// The most bytes of one operation.
  virtual Bytes largest(int method) const = 0;
  /// Bytes of the buffer in that memory. Throws config::ConfigError if there is none, or the card does not reach it.
  virtual Bytes buffer(DmaMemory m) const = 0;
  /// Rate of the card's link, and the fewest bytes that such an operation puts on it wherever it lies.
  virtual Rate link_rate() const = 0;
  virtual DmaLoad load(const DmaOperation& o) const = 0;
  /// No operation like that is seen done sooner.
  virtual Time least(const DmaOperation& o) const = 0;
  /// Starts an operation as soon as a worker is free and returns then. The request completes when firmware sees that
  /// it is done: a read's bytes are there, a write's have left the card.
  virtual Request start(Fiber& f, const DmaOperation& o) = 0;
  /// Nothing of the host's memories lies in its caches from now on. Takes no time: between measurements.
  virtual void make_cold() = 0;
  /// `n` bytes from `offset` of the buffer on have just been written by the host, or by the card. The same.
  virtual void warm(DmaMemory m, Bytes offset, Bytes n, WarmedBy by) = 0;
};

}  // namespace tsunagi::comm
