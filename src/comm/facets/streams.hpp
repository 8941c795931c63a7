// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "comm/facets/device_copies.hpp"
#include "fiber/fiber.hpp"
#include "units/work.hpp"

namespace tsunagi::comm {

/// A stream of a GPU of a rank's node ("gpu0"): what it is given is done in that order, at the same time as what other
/// streams were given, as far as the GPU's engines allow.
struct Stream {
  std::string place;
  int number = 0;
};

/// All that a stream had been given when the event was recorded.
struct StreamEvent {
  std::string place;           ///< of the stream
  std::uint64_t channel = 0;   ///< the library's
  std::uint64_t commands = 0;  ///< 0: nothing
};

/// Kernels and copies that a rank queues without waiting for them, and events that tell how far they are (CUDA
/// streams). Calls return when the rank may go on.
class Streams {
 public:
  virtual ~Streams() = default;
  /// Throws config::ConfigError if the rank's node has no such stream. Before time 0.
  virtual void check(int rank, const Stream& s) const = 0;
  /// What programs may ask of a GPU, which has been checked.
  struct Device {
    Bytes memory;
    Bytes cache;  ///< the last-level one; 0: not known
  };
  virtual Device device(int rank, const std::string& place) const = 0;
  /// Throws config::ConfigError if a stream of that GPU cannot do the copy: not between the GPU's memory and the
  /// host's, too many bytes.
  virtual void check_copy(int rank, const Stream& s, const DeviceCopy& c) const = 0;
  /// Queues a kernel. The result is an event of its end that costs nothing and is for `since` alone.
  virtual StreamEvent launch(Fiber& f, int rank, const Stream& s, const Work& kernel) = 0;
  virtual void copy(Fiber& f, int rank, const Stream& s, const DeviceCopy& c) = 0;
  virtual StreamEvent record(Fiber& f, int rank, const Stream& s) = 0;
  /// What the stream is given from now on begins when the event is over. Both are of one GPU.
  virtual void wait(Fiber& f, int rank, const Stream& s, const StreamEvent& e) = 0;
  /// Whether the event is over.
  virtual bool query(Fiber& f, int rank, const StreamEvent& e) = 0;
  /// When the GPU said so, or something later in its stream if that is over, too; max: it has not. For measurements:
  /// takes no time.
  virtual Time since(int rank, const StreamEvent& e) const = 0;
  /// Returns when the rank has seen that it is.
  virtual void synchronise(Fiber& f, int rank, const StreamEvent& e) = 0;
};

}  // namespace tsunagi::comm
