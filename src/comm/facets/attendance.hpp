// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "fiber/fiber.hpp"

namespace tsunagi::comm {

/// Of a library whose ranks send each other what no program waits for and what has to be taken all the same, as notices
/// of credits into receives that were posted are: what a rank has to do for its peers while its program makes no calls.
/// (Words that peers write, each over the one before, need nobody who takes them.)
class Attendance {
 public:
  virtual ~Attendance() = default;
  enum class To : std::uint8_t {
    what_others_need,  // to go on: the program goes on later, and then sees to the rest
    everything,
  };
  /// Returns when the rank's progress engine finds something of that, or at once; or when `told` was notified and it is
  /// `over`. Takes no time of its own.
  virtual void attend(Fiber& f, int rank, To what, Event& told, const std::function<bool()>& over) = 0;
  /// Whether nothing is on its way between ranks that one of them would have to take.
  virtual bool quiet() const = 0;
};

}  // namespace tsunagi::comm
