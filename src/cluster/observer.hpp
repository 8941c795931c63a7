// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "comm/library.hpp"
#include "machine/machine.hpp"

namespace tsunagi {

/// Watches one run from inside its process. An observed run moves packet by packet; its rows are the same.
class Observer {
 public:
  virtual ~Observer() = default;
  /// Everything is built and time is 0.
  virtual void begin(const Machine& machine, const comm::Library& library) = 0;
  /// Who hears of the machine and of the ranks; asked after `begin`.
  virtual net::Listener& stages() = 0;
  virtual comm::Listener& calls() = 0;
  /// The run ended well, at `t`.
  virtual void end(Time t) = 0;
};

}  // namespace tsunagi
