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

Carried carried_in(const report::Rows& counters) {
  Carried out;
  for (const report::Row& row : counters.rows) out[std::get<std::string>(*row.find("from"))] = bytes_in(row);
  return out;
}

std::vector<std::pair<double, double>> direction_uses(const topo::Graph& graph, const Carried& carried, Time time) {
  Rates rates;
  std::vector<std::pair<double, double>> out;
  const double all = static_cast<double>(time.fs()) * 1e-15;
  for (const topo::Link& link : graph.links) {
    const double rate = rates.of(link).bytes_per_second();  // of an infinite one 0
    const auto use = [&](const topo::End& end) {
      const auto sent = carried.find(graph.nodes[end.node].name + "." + end.port);
      if (sent == carried.end() || !(rate > 0) || !(all > 0)) return 0.0;
      return std::min(1.0, static_cast<double>(sent->second.count()) / rate / all);
    };
    out.emplace_back(use(link.a), use(link.b));
  }
  return out;
}

draw::WireUses wire_uses(const std::vector<std::pair<double, double>>& uses, Time all) {
  draw::WireUses out;
  std::string time = to_string(rounded(all));
  if (const auto at = time.find(" us"); at != std::string::npos) time.replace(at, 3, " µs");
  out.of = fmt::format("of what a wire can carry in the {} of the run (its busier direction)", time);
  for (const auto& [a, b] : uses) out.parts.push_back(std::max(a, b));
  return out;
}

draw::WireUses wire_uses(const topo::Graph& graph, const runner::Outcome& outcome) {
  const Time time = outcome.cost.simulated;
  return wire_uses(direction_uses(graph, carried_in(outcome.counters), time), time);
}

}  // namespace tsunagi::experiment
