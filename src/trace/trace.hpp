// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "comm/listener.hpp"
#include "net/listener.hpp"

namespace tsunagi::trace {

/// Writes down what it hears. What it is told after its output is full is ignored.
class Trace : public net::Listener, public comm::Listener {
 public:
  /// Nothing more is told; the run ended at `end`. Writes what is held back and what makes the file valid. Call it also
  /// for a run that failed, and Output::close after it. Throws as Output does, like every function here.
  virtual void finish(Time end) = 0;
  /// How many changes were told so late that they stand in the file later than they happened.
  virtual std::int64_t late() const { return 0; }
};

}  // namespace tsunagi::trace
