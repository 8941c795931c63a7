// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace tsunagi::router {

/// What goes before what, whoever's turn it is.
struct Urgency {
  /// The highest first.
  int priority = 0;
  /// Of one priority, who set out first: a number that begins again at 0 behind the largest.
  std::uint32_t born = 0;
  bool before(const Urgency& o) const {
    if (priority != o.priority) return priority > o.priority;
    return static_cast<std::int32_t>(born - o.born) < 0;
  }
};

/// Matches the inputs of a crossbar with its outputs. Pure: no time.
class Allocator {
 public:
  struct Match {
    int input = 0;
    int output = 0;
  };
  virtual ~Allocator() = default;
  /// `input` has something for `output`. Who asks twice asks once, for the more urgent of both.
  virtual void request(int input, int output, Urgency urgency) = 0;
  /// Who goes together; each input and each output at most once. Forgets the requests. Good until the next call.
  virtual const std::vector<Match>& match() = 0;
};

}  // namespace tsunagi::router
