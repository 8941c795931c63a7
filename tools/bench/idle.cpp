// SPDX-License-Identifier: Apache-2.0
#include "idle.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <variant>

#include "machine/machine.hpp"
#include "models/catalog.hpp"
#include "sim/simulation.hpp"

namespace tsunagi::bench {

namespace {

std::int64_t resident_bytes() {
  std::int64_t total = 0;
  std::int64_t resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

std::int64_t cpu_us() {
  rusage u{};
  getrusage(RUSAGE_SELF, &u);
  return (std::int64_t{u.ru_utime.tv_sec} + u.ru_stime.tv_sec) * 1'000'000 + u.ru_utime.tv_usec + u.ru_stime.tv_usec;
}

}  // namespace

runner::Counts elaborate_only(const RunConfig& run, const std::string&, report::Recorder& recorder) {
  sim::Simulation sim;
  const std::int64_t bytes_before = resident_bytes();
  const std::int64_t us_before = cpu_us();
  const Machine machine(sim, topo::build(run.machine.topology), model_catalog(), 1, run.options.max_train);
  sim.run(1_us);
  recorder.row()
      .count("links", static_cast<std::int64_t>(machine.wires().size()))
      .bytes("rss", Bytes(resident_bytes() - bytes_before))
      .count("cpu_us", cpu_us() - us_before);
  return {sim.agenda().wakeups(), machine.packet_hops(), sim.now()};
}

IdleCost idle_cost(const report::Rows& rows) {
  const report::Row& row = rows.rows.front();
  return {std::get<std::int64_t>(*row.find("links")), std::get<Bytes>(*row.find("rss")).count(),
          static_cast<double>(std::get<std::int64_t>(*row.find("cpu_us"))) / 1e6};
}

}  // namespace tsunagi::bench
