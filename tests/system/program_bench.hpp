// SPDX-License-Identifier: Apache-2.0
// Programs on the machine and library of a shipped run, by hand; one a process.
#pragma once

#include <functional>
#include <string>

#include "cluster/program.hpp"
#include "models/catalog.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"
#include "system/simulated.hpp"
#include "topo/graph.hpp"

namespace tsunagi::test {

/// A collective call by this algorithm.
inline comm::Choice by(const char* algorithm) {
  comm::Choice c;
  c.algorithm = algorithm;
  return c;
}

class ProgramBench {
 public:
  explicit ProgramBench(const std::string& run, const Overrides& overrides = {}, int max_train = 1,
                        const std::string& findings = {})
      : run_(without_scenario(run_of(run, overrides))),
        machine_(sim_, topo::build(run_.machine.topology), model_catalog(),
                 static_cast<std::uint64_t>(run_.options.seed), max_train, findings),
        program_(run_, machine_) {}

  sim::Simulation& sim() { return sim_; }
  Machine& machine() { return machine_; }
  comm::Library& library() { return program_.library(); }
  comm::World& world() { return program_.world(); }
  int ranks() const { return program_.library().ranks(); }
  void program(int rank, std::function<void(comm::Rank&)> f) { program_.start(rank, std::move(f)); }
  void all(const std::function<void(comm::Rank&)>& f) {
    for (int rank = 0; rank < ranks(); ++rank) program(rank, f);
  }
  /// Runs until nothing moves; everything must be home then. What it found out about its own foresight, if that was
  /// wrong; the run is then to be done again with it.
  std::string attempt(Time limit = 10_s) {
    try {
      run(limit);
    } catch (...) {
      if (!machine_.foresight().refuted()) throw;
    }
    return machine_.foresight().refuted() ? machine_.foresight().findings() : std::string();
  }
  /// Runs until nothing moves; everything must be home then.
  void run(Time limit = 10_s) {
    const bool ended = sim_.run(limit);
    program_.check_ended(ended ? "" : "the limit was reached");
  }

 private:
  static RunConfig without_scenario(RunConfig run) {
    run.scenario = {};
    return run;
  }
  sim::Simulation sim_;
  RunConfig run_;
  Machine machine_;
  Program program_;
};

}  // namespace tsunagi::test
