// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace tsunagi::runner {

/// What a simulating process shares with the one that started it while it runs.
struct Oversight {
  std::atomic<std::int64_t> rows{0};          ///< measured so far
  std::atomic<std::int64_t> simulated_fs{0};  ///< how far it is
  std::atomic<int> done{0};                   ///< iterations, of
  std::atomic<int> all{0};                    ///< so many; 0: the run does not tell
  std::atomic<bool> stop{false};              ///< it is to end now, and to hand over what it has
};

/// Memory that this process and its children share.
class SharedOversight {
 public:
  /// Throws std::system_error when the system gives none.
  SharedOversight();
  ~SharedOversight();
  SharedOversight(const SharedOversight&) = delete;
  SharedOversight& operator=(const SharedOversight&) = delete;
  Oversight* operator->() const { return shared_; }
  Oversight& operator*() const { return *shared_; }

 private:
  Oversight* shared_;
};

/// Of this process, if it was started by `run_many` or `run_stream`; else null.
Oversight* overseen();

/// From now on this process is overseen; Ctrl-C and the like, unless they are ignored, only ask it to stop: they mostly
/// come to all processes of a terminal or job, and what ours has found out is to reach the one that started it.
void become_overseen(Oversight& by);

}  // namespace tsunagi::runner
