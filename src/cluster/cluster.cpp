// SPDX-License-Identifier: Apache-2.0
#include "cluster/cluster.hpp"

#include <optional>
#include <stdexcept>

#include "cluster/catalogs.hpp"
#include "cluster/program.hpp"
#include "config/config.hpp"
#include "config/error_at.hpp"
#include "models/catalog.hpp"
#include "runner/run_config.hpp"
#include "topo/graph.hpp"
#include "units/parse.hpp"

namespace tsunagi {

namespace {

/// A run's file, in which library and scenario may be missing: programs are the embedding model's then.
struct ClusterConfig {
  RunConfig run;
};
void describe(ClusterConfig& c, config::Describer& d) {
  describe(c.run, d, [](config::FieldSpec&) {});
}

RunConfig read(const std::string& file, const std::vector<config::Override>& values) {
  RunConfig run =
      config::read<ClusterConfig>(config::load(file, values, config::resolver<ClusterConfig>(all_kinds())), all_kinds())
          .run;
  if (run.library.empty() && !run.scenario.empty())
    throw config::error_at("/scenario", "a scenario needs a \"library\"");
  return run;
}

}  // namespace

struct Cluster::Parts {
  Parts(const std::string& file, const std::vector<config::Override>& values, const std::string& name)
      : run(read(file, values)),
        simulation(name, sim::Kernel::shared),
        machine(simulation, topo::build(run.machine.topology), model_catalog(),
                static_cast<std::uint64_t>(run.options.seed)) {
    if (!run.library.empty()) program.emplace(run, machine);
    if (!run.scenario.empty()) program->start_scenario(recorder);
    simulation.end_construction();
  }

  RunConfig run;
  sim::Simulation simulation;
  Machine machine;
  report::Recorder recorder;
  std::optional<Program> program;
};

Cluster::Cluster(const std::string& file, const std::vector<config::Override>& values, const std::string& name)
    : parts_(std::make_unique<Parts>(file, values, name)) {}

Cluster::~Cluster() = default;

Machine& Cluster::machine() const { return parts_->machine; }

comm::Library& Cluster::library() const {
  if (!parts_->program) throw config::error_at("/library", "the file names no library: there are no ranks");
  return parts_->program->library();
}

void Cluster::program(int rank, std::function<void(comm::Rank&)> body) {
  library();
  if (!parts_->run.scenario.empty()) throw config::error_at("/scenario", "the ranks run the file's scenario already");
  parts_->program->start(rank, std::move(body));
}

bool Cluster::ended() const { return parts_->simulation.ended(); }

const report::Rows& Cluster::finish() {
  const bool ended = parts_->simulation.ended();
  sim::Visit::resumed(parts_->simulation);
  if (parts_->program)
    parts_->program->check_ended(ended ? ""
                                       : "the kernel has stopped at " + to_string(parts_->simulation.now()) +
                                             (parts_->simulation.unfinished().empty()
                                                  ? ", before the end of what is under way"
                                                  : ", before the programs' end"));
  parts_->recorder.end_accounts();
  std::string wrong;
  for (const std::string& problem : parts_->recorder.judge()) wrong += (wrong.empty() ? "" : "\n") + problem;
  if (!wrong.empty()) throw std::runtime_error(wrong);
  return parts_->recorder.rows();
}

void Signal::set() {
  sim::Visit::resumed(simulation_);
  set_ = true;
  event_.notify();
}

void Signal::wait(comm::Rank& rank) {
  while (!set_) rank.wait(event_, "a signal of the embedding model");
}

}  // namespace tsunagi
