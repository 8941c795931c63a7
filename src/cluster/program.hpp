// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cluster/accounts.hpp"
#include "cluster/observer.hpp"
#include "comm/rank.hpp"
#include "machine/machine.hpp"
#include "report/recorder.hpp"
#include "runner/run_config.hpp"
#include "scenarios/scenario.hpp"

namespace tsunagi {

/// What runs on a machine: a communication library and the ranks' programs. From before time 0 to the judgement on how
/// it ended.
class Program {
 public:
  /// Builds the library and, if `run` has one, the scenario, and checks what can be before time 0. The machine must
  /// outlive it. Throws config::ConfigError.
  Program(const RunConfig& run, Machine& machine);
  /// Takes another scenario in place of the one it has, or none, by the same library, and checks it as when built.
  /// Before anything has started. Throws config::ConfigError.
  void replace_scenario(const config::AnyConfig& scenario);

  comm::Library& library() const { return *library_; }
  comm::World& world() const { return *world_; }
  /// Has every rank run the scenario, which records its rows; `recorder` reads the accounts until it is told of the
  /// end.
  void start_scenario(report::Recorder& recorder);
  /// Has `rank` run `body` instead. Throws config::ConfigError if the library has no such rank.
  void start(int rank, std::function<void(comm::Rank&)> body);
  /// `observer` hears of all that happens from now on.
  void listen(Observer& observer);

  /// After the run: throws std::runtime_error if a program did not end or something did not come home. `stopped`: why
  /// the run was over while something could still move; empty: nothing could.
  void check_ended(const std::string& stopped) const;

 private:
  [[noreturn]] void report_stuck(const std::string& stopped) const;
  /// Whoever has not ended waits for its peers at the end of its program.
  bool all_programs_ended() const;
  void check_fit() const;
  void lend_scratch() const;

  Machine& machine_;
  MachineMeter meter_{machine_};
  std::unique_ptr<comm::Library> library_;
  std::unique_ptr<comm::World> world_;
  std::unique_ptr<scenarios::Scenario> scenario_;
};

}  // namespace tsunagi
