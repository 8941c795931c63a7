// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "comm/buffer.hpp"
#include "fiber/fiber.hpp"
#include "units/work.hpp"

namespace tsunagi::comm {

/// A program's references to memory, followed through the cache of the core that makes them: what lines cost that are
/// not there. Nothing is there at first.
class MemoryWalk {
 public:
  virtual ~MemoryWalk() = default;
  /// Reads `n` bytes from `address` on, one after another, and writes them where `written`. Such lines are fetched
  /// ahead: the time that the memory is busy with those that come, and with as many that go where they are written.
  virtual Time stream(std::uint64_t address, Bytes n, bool written) = 0;
  /// Refers to `n` bytes from `address` on, where nobody foresees it: how long their lines are waited for.
  virtual Time refer(std::uint64_t address, Bytes n) = 0;
};

/// What computes for a rank: plain time and no costs of its own, unless a library has a core for it.
class Processor {
 public:
  virtual ~Processor() = default;
  /// Is busy for that time.
  virtual void compute(Fiber& f, int /*rank*/, Time t) { f.wait_for(t); }
  /// Computes that on the rank's core, or on a GPU of its node by `place` ("gpu0"). Throws std::runtime_error if the
  /// library has none whose speed it knows.
  virtual void compute(Fiber& /*f*/, int rank, const Work& /*w*/, const std::string& place) {
    throw std::runtime_error("rank " + std::to_string(rank) + " computes" +
                             (place.empty() ? "" : " on \"" + place + "\"") +
                             ": this library knows no processor's speed; say how long it takes");
  }
  /// Of a program on the rank's core; null where the library knows no core's cache.
  virtual std::unique_ptr<MemoryWalk> walk(int /*rank*/) { return nullptr; }
  /// Copies `from` to `to`, both of that rank and equally long, of any shape; between GPU memory and host memory as
  /// cudaMemcpy does, within a GPU's by a kernel, where the library knows GPUs. Else throws std::runtime_error.
  virtual void copy(Fiber& /*f*/, int /*rank*/, const Buffer& /*to*/, const Buffer& /*from*/) {}
  /// Combines `n` bytes of two operands of a reduction into one of them.
  virtual void combine(Fiber& /*f*/, int /*rank*/, Bytes /*n*/) {}
};

}  // namespace tsunagi::comm
