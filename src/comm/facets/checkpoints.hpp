// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fiber/fiber.hpp"
#include "units/bytes.hpp"

namespace tsunagi::comm {

/// A rank's network brought to rest, and its state saved and put back, for who schedules jobs in turns or writes
/// checkpoints (PMv2: pmSendStable, pmControlSend, pmSaveContext, pmRestoreContext). Who does so sees to it that all
/// ranks are stable before the first one saves, and all are restored before the first one goes on; between saving and
/// restoring their programs send nothing.
class Checkpoints {
 public:
  virtual ~Checkpoints() = default;
  /// Begins to send nothing more, and returns when all that the rank had begun to send is where it belongs.
  virtual void send_stable(Fiber& f, int rank) = 0;
  /// Sends again.
  virtual void resume(Fiber& f, int rank) = 0;
  /// Saves what the card knows of the rank's queues to host memory. Of a rank that is stable, as the two below; else
  /// throws std::runtime_error.
  virtual void save(Fiber& f, int rank) = 0;
  /// The card forgets it: others may use it.
  virtual void reset(Fiber& f, int rank) = 0;
  /// Puts back what was saved last.
  virtual void restore(Fiber& f, int rank) = 0;
  /// Bytes that are saved.
  virtual Bytes saved(int rank) const = 0;
};

}  // namespace tsunagi::comm
