// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "comm/rank.hpp"
#include "config/places/override.hpp"
#include "machine/machine.hpp"
#include "report/recorder.hpp"

namespace tsunagi {

/// A simulated cluster inside a SystemC model: a machine, and programs on its ranks, in a module of the design
/// hierarchy below the one that is being built. The kernel and its end are its owner's: the cluster pauses it
/// (sc_pause) when all programs have ended and nothing of its own is under way. docs/embedding.md shows how.
class Cluster {
 public:
  /// What a run's file says, in which library and scenario may be missing, with values set by JSON pointer
  /// ({"/options/seed", "7"}). Packets move one by one: with somebody else's model nothing is speculative. The module
  /// is `name`. Throws config::ConfigError for what is wrong with the file, std::runtime_error if the time resolution
  /// of SystemC can no longer be 1 fs.
  explicit Cluster(const std::string& file, const std::vector<config::Override>& values = {},
                   const std::string& name = "tsunagi");
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  /// The device of that full name and type, "node0.card". Throws config::ConfigError if there is none.
  template <class D>
  D& get(const std::string& device) const {
    return machine().get<D>(device);
  }
  Machine& machine() const;
  /// The file's library. Throws config::ConfigError if it names none.
  comm::Library& library() const;
  /// What `rank` runs, if the file has no scenario; before the kernel starts. A rank that is given nothing is idle.
  void program(int rank, std::function<void(comm::Rank&)> body);
  /// Whether all programs have ended and nothing is under way. Rethrows what one of them threw.
  bool ended() const;
  /// After sc_start has returned: what the scenario measured. Throws std::runtime_error, which says who waits for whom,
  /// if a program has not ended; what a program threw; and what did not come home.
  const report::Rows& finish();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// What a process of the embedding model tells the ranks' programs: set once, and remembered. (A program tells the
/// model something by notifying an sc_event.)
class Signal {
 public:
  /// The cluster must outlive it.
  explicit Signal(const Cluster& cluster) : simulation_(cluster.machine().simulation()) {}
  void set();
  /// Blocks the rank until it is set.
  void wait(comm::Rank& rank);

 private:
  sim::Simulation& simulation_;
  Event event_;
  bool set_ = false;
};

}  // namespace tsunagi
