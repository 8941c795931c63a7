// SPDX-License-Identifier: Apache-2.0
#include "experiment/run_pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "experiment/simulate.hpp"
#include "models/catalog.hpp"
#include "runner/runner.hpp"
#include "units/parse.hpp"

namespace tsunagi::experiment {
namespace {

/// Rate of a wire as its config says; links of a network share one config.
class Rates {
 public:
  Rate of(const topo::Link& link) {
    if (link.rate) return *link.rate;
    const auto [it, is_new] = seen_.emplace(link.wire.object(), Rate::infinite());
    if (!is_new) return it->second;
    for (const WireKind& wire : model_catalog().wires)
      if (wire.kind.name == link.wire.kind()) it->second = wire.build(link.wire).rate;
    return it->second;
  }

 private:
  std::map<const config::ConfigObject*, Rate> seen_;  // looked up, never walked
};

/// To three digits.
Time rounded(Time t) {
  std::int64_t step = 1;
  while (t.fs() / step >= 1000) step *= 10;
  return Time::from_fs((t.fs() + step / 2) / step * step);
}

Bytes bytes_in(const report::Row& row) {
  Bytes out;
  for (const char* what : {"payload", "header", "framing"}) out = out + std::get<Bytes>(*row.find(what));
  return out;
}

}  // namespace

runner::Outcome placing(const RunConfig& run) {
  return runner::run_one(run, [](const RunConfig& config, const std::string&, report::Recorder& recorder) {
    with_library(config, [&](const comm::Library& library) {
      for (int r = 0; r < library.ranks(); ++r) recorder.row().text("place", library.place(r));
    });
    return runner::Counts{};
  });
}

std::vector<std::string> places_in(const runner::Outcome& outcome) {
  std::vector<std::string> out;
  for (const report::Row& row : outcome.rows.rows) out.push_back(std::get<std::string>(*row.find("place")));
  return out;
}

draw::WireUses wire_uses(const topo::Graph& graph, const runner::Outcome& outcome) {
  std::map<std::string, Bytes> carried;  // by the sending port
  for (const report::Row& row : outcome.counters.rows)
    carried[std::get<std::string>(*row.find("from"))] = bytes_in(row);
  Rates rates;
  draw::WireUses out;
  std::string time = to_string(rounded(outcome.cost.simulated));
  if (const auto at = time.find(" us"); at != std::string::npos) time.replace(at, 3, " µs");
  out.of = fmt::format("of what a wire can carry in the {} of the run (its busier direction)", time);
  const double all = static_cast<double>(outcome.cost.simulated.fs()) * 1e-15;
  for (const topo::Link& link : graph.links) {
    double most = 0;
    for (const topo::End* end : {&link.a, &link.b})
      most = std::max(most, static_cast<double>(carried[graph.nodes[end->node].name + "." + end->port].count()));
    const double rate = rates.of(link).bytes_per_second();  // of an infinite one 0
    out.parts.push_back(rate > 0 && all > 0 ? std::min(1.0, most / rate / all) : 0);
  }
  return out;
}

}  // namespace tsunagi::experiment
