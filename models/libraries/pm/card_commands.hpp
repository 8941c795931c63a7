// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/infiniband/firmware/command.hpp"
#include "models/libraries/verbs/verbs_node.hpp"

namespace tsunagi::libraries {

/// How a node's driver has its card carry out commands: it leaves one in memory, tells the card, and waits until it is
/// done, for one at a time.
class CardCommands {
 public:
  /// Takes memory for commands of at most `most` queues each. `driver_cycles`: of the core, a call of the driver.
  CardCommands(VerbsNode& node, int most, std::int64_t driver_cycles);

  /// Returns when it has been carried out. The contexts of its queues lie at `place` among the saved ones; of a stop,
  /// that is also the word that says when they are stable.
  void run(Fiber& f, infiniband::Command c, int place = 0);
  /// Returns when the queues of the stop at `place` are stable.
  void await_stable(Fiber& f, int place);

 private:
  host::Core::Polled word(std::uint64_t at, std::uint64_t tag) const;
  std::uint64_t stable_word(int place) const { return words_.base + 8 * (1 + static_cast<std::uint64_t>(place)); }

  VerbsNode* node_;
  std::int64_t driver_cycles_;
  process::Area command_;
  process::Area words_;
  process::Area contexts_;
  std::uint64_t tag_ = 0;          // of the last command
  std::vector<std::uint64_t> of_;  // tags of stops, by place
};

}  // namespace tsunagi::libraries
