// SPDX-License-Identifier: Apache-2.0
// `tsunagi fit` on measurements that the program made itself: what was put in has to come out.
#include <cmath>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace fit_test {

using namespace tsunagi::test;
using nlohmann::json;

namespace {

const std::string configs = TSUNAGI_TEST_CONFIGS;

/// A folder with a copy of the shipped network card, a run of its reads, and data that a card of other values gave.
struct Place {
  Place() {
    folder.write("card.json", content(configs + "/parts/nfp_6000_like.json"));
    folder.write("run.json", R"({"$use": ")" + configs + R"(/runs/pcie_lat_rd.json",
      "machine": {"topology": {"devices": {"nic": {"$use": "card.json"}}}}, "scenario": {"transactions": 4}})");
    measure("data.csv", "200", "90 ns");
  }

  void measure(const std::string& name, const std::string& cycles, const std::string& latency) const {
    const std::string card = "/machine/topology/devices/nic/";
    const Ended end = run_program({"run", (folder.path() / "run.json").string(), "--set",
                                   R"(/scenario/sizes=["8 B","64 B","512 B","2 KiB"])", "--set",
                                   card + "engine/start_cycles=" + cycles, "--set", card + "port_latency=" + latency,
                                   "--format", "json"});
    REQUIRE(end.exit_code == 0);
    std::ostringstream csv;
    csv << std::setprecision(12);
    csv << "card,bytes,us\n";
    const json out = json::parse(end.out);
    for (const json& row : out["rows"])
      csv << "ours," << row["size_bytes"] << "," << row["median_fs"].get<double>() / 1e9 << "\nother,8,1\n";
    folder.write(name, csv.str());
  }

  /// A fit of these parameters; `curve` replaces members of its curve.
  void fit(const std::string& parameters, const json& curve = json::object()) const {
    json one{{"name", "reads"},
             {"data", "data.csv"},
             {"where", {"card=ours"}},
             {"x", "bytes"},
             {"x_unit", "B"},
             {"y", "us"},
             {"unit", "us"},
             {"run", "run.json"},
             {"set", json::array()},
             {"along", "/scenario/sizes"},
             {"expression", "at(run.median, run.size, x)"}};
    one.update(curve);
    folder.write("fit.json", R"({"name": "ours", "title": "reads of a card", "parameters": [)" + parameters +
                                 R"(], "curves": [)" + one.dump() + "]}");
  }

  Ended run(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"fit", (folder.path() / "fit.json").string()});
    return run_program(more);
  }

  TemporaryFolder folder;
};

const std::string start_cycles = R"({"file": "card.json", "path": "/engine/start_cycles", "range": ["60", "300"]})";
const std::string end_cycles = R"({"file": "card.json", "path": "/engine/end_cycles", "range": ["16", "160"]})";

}  // namespace

TEST_CASE("fit: the values that made the data are found, and known well") {
  const Place place;
  place.measure("data.csv", "200", "50 ns");
  place.fit(start_cycles);
  const Ended end = place.run({"--format", "json"});
  REQUIRE(end.exit_code == 0);
  const json out = json::parse(end.out);
  CHECK(out["fit"] == "ours");
  CHECK(out["ending"] == "found");
  CHECK(out["runs"].get<int>() <= 200);
  CHECK(out["untold"].empty());
  const json& p = out["parameters"][0];
  CHECK(p["start"] == 111);
  CHECK(p["value"] == 200);
  CHECK(p["interval"][0].get<int>() >= 199);
  CHECK(p["interval"][1].get<int>() <= 201);
  const json& curve = out["curves"][0];
  CHECK(curve["mean_error"].get<double>() < 1e-6);
  CHECK(curve["mean_error_at_start"].get<double>() > 0.02);
  CHECK(curve["points"].size() == 4);
}

TEST_CASE("fit: what the data cannot tell apart is said, and the curve is met nevertheless") {
  const Place place;
  place.fit(start_cycles + "," + end_cycles);
  const Ended end = place.run();
  REQUIRE(end.exit_code == 0);
  CHECK_THAT(end.out, Catch::StartsWith("reads of a card\n") && Catch::Contains("the data cannot tell apart") &&
                          Catch::Contains("engine.start_cycles of card.json") &&
                          Catch::Contains("engine.end_cycles of card.json"));
}

TEST_CASE("fit: --write changes the value and where it comes from, and nothing else of the part") {
  const Place place;
  place.measure("data.csv", "200", "50 ns");
  place.fit(start_cycles);
  const std::string before = content(place.folder.path() / "card.json");
  REQUIRE(place.run().exit_code == 0);
  CHECK(content(place.folder.path() / "card.json") == before);
  const Ended end = place.run({"--write"});
  REQUIRE(end.exit_code == 0);
  const std::string after = content(place.folder.path() / "card.json");
  CHECK_THAT(after,
             Catch::Contains("\"start_cycles\": 200,") &&
                 Catch::Contains(R"("start_cycles": {"class": "fitted", "range": [60, 300], "fitted_to": ["ours"])") &&
                 Catch::Contains("data.csv (xxh3 ") && Catch::Contains("before that 120, assumed"));
  std::istringstream a(before), b(after);
  int changed = 0;
  for (std::string x, y; std::getline(a, x) && std::getline(b, y);) changed += x != y ? 1 : 0;
  CHECK(changed == 2);
  CHECK(run_program({"validate", (place.folder.path() / "card.json").string()}).exit_code == 0);
  CHECK(place.run().exit_code == 0);  // and it is a start for the next
}

TEST_CASE("fit: with few runs the best of them is told, and that there were too few") {
  const Place place;
  place.fit(start_cycles);
  const Ended end = place.run({"--runs", "3"});
  CHECK(end.exit_code == 0);
  CHECK_THAT(end.out, Catch::Contains("3 runs, which are all that it was to take"));
  CHECK(place.run({"--runs", "0"}).exit_code == 2);
}

TEST_CASE("check tells the mean error of curves that parts are fitted to, as the system components") {
  const auto figures = [](const std::vector<std::string>& more) {
    std::vector<std::string> words{"check", "--format", "json", "--configs", configs};
    words.insert(words.end(), more.begin(), more.end());
    const Ended end = run_program(words);
    CAPTURE(end.err);
    CHECK(end.exit_code == 0);
    return json::parse(end.out)["figures"];
  };
  const json all = figures({"--system", "components"});
  CHECK(all.size() == 17);
  for (const json& figure : all) {
    CAPTURE(figure.dump());
    CHECK(figure["system"] == "components");
    CHECK(figure["role"] == "fitted");
    CHECK(figure["unit"] == "%");
    CHECK_FALSE(figure["fitted"].empty());
    CHECK(figure["simulated"] > 0);
    CHECK((figure["simulated"] <= figure["value"]) == (figure["status"] == "pass"));
  }
  const json one = figures({"--id", "cx2-write-lat"});
  REQUIRE(one.size() == 1);
  CHECK(one[0]["value"] == 10);
  // A mean error is not for sensitivity: it is least where it is.
  const Ended sensitivity = run_program({"check", "--system", "components", "--sensitivity", "--configs", configs});
  CHECK(sensitivity.exit_code == 2);
  CHECK_THAT(sensitivity.err, Catch::Contains("components"));
}

TEST_CASE("fit: what cannot be is refused before anything runs, with its place") {
  const Place place;
  const auto refused = [&](const std::string& parameters, const json& curve, const std::string& text) {
    place.fit(parameters, curve);
    const Ended end = place.run();
    CAPTURE(parameters, curve.dump(), end.err);
    CHECK(end.exit_code == 2);
    CHECK(end.out.empty());
    CHECK_THAT(end.err, Catch::Contains("fit.json:1:") && Catch::Contains(text));
  };
  const json same = json::object();
  const auto parameter = [](const std::string& path, const std::string& range) {
    return R"({"file": "card.json", "path": ")" + path + R"(", "range": )" + range + "}";
  };
  refused(parameter("/engine/start_cycle", R"(["1", "2"])"), same, "card.json has no value there");
  refused(parameter("/engine/start_cycles", R"(["1", "2"])"), same, "is without the value that is there, 111");
  refused(parameter("/engine/start_cycles", R"(["10 ns", "20 ns"])"), same, "is not of the kind of the value");
  refused(parameter("/engine/start_cycles", R"(["200", "100"])"), same, "ends where it begins, or before");
  refused(parameter("/align_writes", R"(["0", "1"])"), same, "which is no quantity");
  refused(start_cycles + "," + end_cycles + "," + parameter("/port_latency", R"(["25 ns", "99 ns"])"),
          {{"where", {"card=other"}}}, "3 parameters are more than 1 measured points can tell");
  refused(start_cycles, {{"where", {"card=none"}}}, "data.csv: has no line for this curve");
  refused(start_cycles, {{"data", "none.csv"}}, "none.csv: cannot be read");
  refused(start_cycles, {{"y", "ns"}}, "unknown column \"ns\"");
  refused(start_cycles, {{"unit", "parsecs"}}, "unknown unit \"parsecs\"");
  refused(start_cycles, {{"expression", "at(run.median, run.size, y)"}}, "y");
  refused("", same, "nothing is free");
  refused(start_cycles, {{"id", "ours-reads"}}, "\"id\" and \"aim\" belong together");
  refused(start_cycles + "," + start_cycles, same, "the same value is a parameter already");
  refused(start_cycles, {{"set", {"/machine/topology/devices/nic/engine/start_cycles=99"}}},
          "no run of the curves uses");
  // These the first run shows.
  refused(start_cycles, {{"unit", "Gb/s"}}, "the expression gives a time, which is no \"Gb/s\"");
  refused(start_cycles, {{"expression", "at(run.median, run.size, x + 1)"}}, "at x = 8: 0 rows");
  CHECK(run_program({"validate", (place.folder.path() / "fit.json").string()}).exit_code == 0);
}

TEST_CASE("fit: Ctrl-C leaves the best so far, and parts as they were") {
  const Place place;
  place.fit(start_cycles + "," + end_cycles, {{"set", {"/scenario/transactions=100000"}}});
  const std::string before = content(place.folder.path() / "card.json");
  Surroundings impatient;
  impatient.terminal = true;
  impatient.interrupt_after_ms = 100;
  // When at least one place has been looked at: before that there is no best.
  impatient.interrupt_once = [](const std::string& err) {
    return std::regex_search(err, std::regex("fit: [1-9][0-9]* of 200 runs at most"));
  };
  const Ended end = run_program({"fit", (place.folder.path() / "fit.json").string(), "--write"}, impatient);
  CHECK(end.exit_code == 130);
  CHECK_THAT(end.out, Catch::Contains("\ninterrupted after ") && Catch::Contains(": the best so far"));
  CHECK(content(place.folder.path() / "card.json") == before);
}

}  // namespace fit_test
