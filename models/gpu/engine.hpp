// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/gpu/command.hpp"
#include "net/wait.hpp"

namespace tsunagi::gpu {

using net::Cause;
using net::Wait;

/// Whose commands an engine runs: it is told how far they are, in their order.
class CommandOwner {
 public:
  virtual ~CommandOwner() = default;
  /// The engine has ended the oldest command that had not: now or later it hands over the release of its semaphore.
  virtual void ended(Cause by) = 0;
  /// What the oldest command that had not left has written, its release the last of it, has left the GPU or is in its
  /// memory: now or later.
  virtual void left(Cause by) = 0;
};

/// What runs a GPU's commands, one after the other, in the order in which they were given.
class Engine {
 public:
  virtual ~Engine() = default;
  /// Runs a command when those before have ended; it came, or could begin, with `by`. Throws std::runtime_error for one
  /// that is not for such an engine.
  virtual void run(const Command& c, CommandOwner& owner, Cause by) = 0;
};

}  // namespace tsunagi::gpu
