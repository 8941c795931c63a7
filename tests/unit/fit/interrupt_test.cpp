// SPDX-License-Identifier: Apache-2.0
// A fit that is interrupted, whenever the signal comes.
#include <csignal>

#include "fit/fit.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

namespace fit_interrupt_test {

using namespace tsunagi;

namespace {

struct CardConfig {
  Time cost;
  std::vector<Bytes> sizes;
};

void describe(CardConfig& c, config::Describer& d) {
  d.field("cost", c.cost, "of a transfer");
  d.field("sizes", c.sizes, "of the transfers");
}

const config::Kinds& kinds() {
  static const config::Kinds all = [] {
    config::Kinds out;
    for (const char* family : {"device", "wire", "topology", "library", "scenario"})
      out.add({family, {config::kind<CardConfig>("card", "a fake one")}});
    return out;
  }();
  return all;
}

runner::Counts simulate(const RunConfig& run, const std::string&, report::Recorder& recorder) {
  const auto& card = run.scenario.as<CardConfig>();
  for (const Bytes size : card.sizes) recorder.row().bytes("size", size).time("time", card.cost);
  return {};
}

}  // namespace

TEST_CASE("fit: a signal between two runs ends it with the best so far") {
  const test::TemporaryFolder folder;
  folder.write("card.json", R"({"kind": "card", "cost": "10 ns", "sizes": ["1 B"]})");
  folder.write("run.json", R"({"machine": {"name": "m", "topology": {"kind": "card", "cost": "1 ns", "sizes": []}},
    "library": {"kind": "card", "cost": "1 ns", "sizes": []}, "scenario": {"$use": "card.json"}})");
  folder.write("data.csv", "size,time\n8,70\n16,70\n");
  const std::string text = R"json({"name": "f", "title": "t",
    "parameters": [{"file": "card.json", "path": "/cost", "range": ["1 ns", "100 ns"]}],
    "curves": [{"name": "c", "data": "data.csv", "x": "size", "x_unit": "B", "y": "time", "unit": "ns",
                "run": "run.json", "along": "/scenario/sizes", "expression": "at(run.time, run.size, x)"}]})json";
  folder.write("fit.json", text);
  const config::Document document = config::load(folder.path() / "fit.json");
  const fit::Problem problem(fit::read_fit(document), document, kinds());
  const int last = GENERATE(1, 2, 4);
  int runs = 0;
  runner::Options options;
  options.progress = [&](std::size_t done, std::size_t all) {
    if (done != all) return;
    if (++runs == last) std::raise(SIGINT);  // no run is under way: none is cut short
  };
  const auto out = fit::fit(problem, 200, simulate, options);
  REQUIRE(out);
  CHECK(out->ending == fit::Ending::interrupted);
  CHECK(out->runs == static_cast<std::size_t>(last));
  CHECK_FALSE(out->estimate);
  CHECK(out->before == fit::Simulated{{10e-9, 10e-9}});
}

}  // namespace fit_interrupt_test
