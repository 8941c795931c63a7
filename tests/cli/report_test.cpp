// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace report_test {

#if TSUNAGI_TEST_PAGES  // else this program was built where there is nothing to make pages with

using namespace tsunagi::test;
using Json = nlohmann::ordered_json;

namespace {

const std::string configs = TSUNAGI_TEST_CONFIGS;
const std::string pio = configs + "/runs/tca_pio_ping_pong.json";
const std::vector<std::string> small{"--set", "/scenario/sizes=[\"8 B\",\"64 B\"]", "--set", "/scenario/iterations=3"};

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// The JSON in a page.
Json data_in(const std::string& html) {
  const std::string begin = "<script type=\"application/json\" id=\"data\">";
  const std::size_t from = html.find(begin);
  REQUIRE(from != std::string::npos);
  const std::size_t to = html.find("</script>", from);
  return Json::parse(html.substr(from + begin.size(), to - from - begin.size()));
}

/// A result without what differs from run to run.
Json lasting(Json result) {
  for (const char* cost : {"wall_s", "cpu_s", "peak_rss_bytes"}) result["cost"].erase(cost);
  return result;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t out = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++out;
  return out;
}

}  // namespace

TEST_CASE("report: a page holds what run --format json says, and what explain, list --protocols say beside it") {
  const Ended page = run_program(with({"report", pio}, small));
  CHECK(page.exit_code == 0);
  CHECK(page.err.empty());
  const Json data = data_in(page.out);
  CHECK(lasting(data["result"]) ==
        lasting(Json::parse(run_program(with({"run", pio, "--counters", "--format", "json"}, small)).out)));
  const Json explained =
      Json::parse(run_program(with({"explain", pio, "--format", "json", "--links", "6"}, small)).out);
  CHECK(data["explanations"] == Json::array({explained}));
  CHECK(data["protocols"] ==
        Json::parse(
            run_program({"list", "--protocols", configs + "/runs/tca_pio_ping_pong.json", "--format", "json"}).out));
  CHECK(data["machine"]["wires"].size() * 2 == data["result"]["counters"].size());
  CHECK(data["title"] == data["result"]["run"]["title"]);
  const Json& parameters = data["parameters"];
  const auto hard_ip = std::find_if(parameters.begin(), parameters.end(),
                                    [](const Json& p) { return p["parameter"] == "hard_ip_cycles of peach2.json"; });
  REQUIRE(hard_ip != parameters.end());
  CHECK((*hard_ip)["value"] == 28);
  CHECK((*hard_ip)["class"] == "fitted");
  CHECK((*hard_ip)["places"] == 2);
  CHECK(data["not_modelled"].size() >= 2);
}

TEST_CASE("report: each wire and each device of the picture is one of the machine's") {
  for (const auto& [run, one] : {std::pair{"tca_pio_ping_pong", R"(/scenario/sizes=["8 B"])"},  // devices alone,
                                 {"halo_torus", "/scenario/scales=[1]"},                        // and equal nodes
                                 {"broadcast_ring", R"(/scenario/sizes=["8 B"])"}}) {
    CAPTURE(run);
    const Ended page =
        run_program({"report", configs + "/runs/" + run + ".json", "--set", "/scenario/iterations=1", "--set", one});
    REQUIRE(page.exit_code == 0);
    const Json machine = data_in(page.out)["machine"];
    std::vector<bool> seen(machine["wires"].size());
    for (auto at = page.out.find("data-wires=\""); at != std::string::npos; at = page.out.find("data-wires=\"", at + 1))
      for (std::istringstream numbers(page.out.substr(at + 12, page.out.find('"', at + 12) - at - 12)); numbers;)
        if (std::size_t wire = 0; numbers >> wire) seen.at(wire) = true;
    CHECK(std::all_of(seen.begin(), seen.end(), [](bool s) { return s; }));
    CHECK(count(page.out, "class=\"device\"") >= 4);
    CHECK_THAT(page.out, !Catch::Contains(">{/topology"));  // titles name values
  }
}

TEST_CASE("report: a result's page has what the result holds, and simulates nothing") {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "r.json").string();
  REQUIRE(
      run_program(with({"run", pio, "--counters", "--explain", "--format", "json", "--out", file}, small)).exit_code ==
      0);
  const Json result = Json::parse(content(file));
  const Ended page = run_program({"report", file});
  CHECK(page.exit_code == 0);
  Json data = data_in(page.out);
  Json without = result;
  without.erase("explanations");
  CHECK(data["result"] == without);  // the cost is of that run, so it was not run again
  CHECK(data["explanations"] == result["explanations"]);
  CHECK(data["machine"] == data_in(run_program(with({"report", pio}, small)).out)["machine"]);
  // Gen2 x8: 4 GB/s each way.
  const Json& wires = data["machine"]["wires"];
  const auto cable =
      std::find_if(wires.begin(), wires.end(), [](const Json& w) { return w["from"] == "node0.peach2.e"; });
  REQUIRE(cable != wires.end());
  for (const Json& way : result["counters"])
    for (const auto& [end, use] : {std::pair("from", 0), std::pair("to", 1)}) {
      if (way["from"] != (*cable)[end]) continue;
      const double bytes =
          way["payload_bytes"].get<double>() + way["header_bytes"].get<double>() + way["framing_bytes"].get<double>();
      CHECK((*cable)["use"][use].get<double>() ==
            Approx(bytes / 4e9 / result["cost"]["simulated_s"].get<double>()).epsilon(1e-6));
      CHECK(bytes > 0);
    }
  CHECK_FALSE(data.contains("protocols"));
  CHECK_FALSE(data.contains("parameters"));
  CHECK(data["machine"]["wires"][0].contains("use"));
  const auto core =
      std::find_if(wires.begin(), wires.end(), [](const Json& w) { return w["from"] == "node0.core0.bus"; });
  REQUIRE(core != wires.end());
  CHECK((*core)["use"][0] > 0);  // a core that stores is never written to
  CHECK((*core)["use"][1] == 0);
  REQUIRE(run_program(with({"run", pio, "--format", "json", "--out", file}, small)).exit_code == 0);
  data = data_in(run_program({"report", file}).out);
  CHECK_FALSE(data.contains("explanations"));
  CHECK_FALSE(data["machine"]["wires"][0].contains("use"));  // nobody counted
  for (const char* option : {"--size", "--method", "--set"}) {
    const Ended refused = run_program({"report", file, option, "/a=1"});
    CHECK(refused.exit_code == 2);
    CHECK_THAT(refused.err, Catch::Contains(std::string(option) + " is for a run"));
  }
  CHECK(run_program({"report", file, "--why-not-faster"}).exit_code == 2);
  CHECK(run_program({"report", file, "--out", file}).exit_code == 2);  // it is read
  CHECK(Json::parse(content(file))["rows"].size() == 2);
}

TEST_CASE("report: of a sweep's results the rows and its axes") {
  const TemporaryFolder folder;
  const std::string sweep = folder
                                .write("sweep.json", R"({"name": "mine", "run": {"$use": ")" + pio + R"("},
    "axes": [{"name": "cable", "path": "/machine/topology/links/0/wire/flight", "values": ["10 ns", "100 ns"]}]})")
                                .string();
  const std::string results = (folder.path() / "results").string();
  const Ended swept = run_program({"sweep", "run", sweep, "--out", results});
  REQUIRE(swept.exit_code == 0);
  const Ended page = run_program({"report", results});
  CHECK(page.exit_code == 0);
  const Json data = data_in(page.out);
  CHECK(data["title"] == "Sweep mine");
  REQUIRE(data["axes"].size() == 1);
  const std::string axis = data["axes"][0];
  CHECK(data["result"]["rows"].front()[axis] == 10'000'000);
  CHECK(data["result"]["rows"].back()[axis] == 100'000'000);
  CHECK_FALSE(data.contains("machine"));
  CHECK_FALSE(data.contains("no_picture"));
  CHECK(run_program({"report", results, "--size", "8 B"}).exit_code == 2);
  CHECK(run_program({"report", folder.path().string()}).exit_code == 2);  // no folder of results
}

TEST_CASE("report: results that are none are refused with their place, machines that are gone have no picture") {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "r.json").string();
  const auto refused = [&](const char* text) {
    folder.write(file, text);
    const Ended end = run_program({"report", file});
    CHECK(end.exit_code == 2);
    CHECK(end.out.empty());
    return end.err;
  };
  CHECK_THAT(refused(R"({"run": {}, "rows": 3})"), Catch::Contains("/rows: must be an array"));
  CHECK_THAT(refused(R"({"run": {}, "rows": [3]})"), Catch::Contains("/rows/0: must be an object"));
  CHECK_THAT(refused(R"({"run": [], "rows": []})"), Catch::Contains("/run: must be a config"));
  CHECK_THAT(refused(R"({"run": {}, "rows": [], "counters": {}})"), Catch::Contains("/counters"));
  CHECK_THAT(refused(R"({"run": {}, "rows": [], "accounts": []})"), Catch::Contains("/accounts"));
  CHECK_THAT(refused(R"({"run": {}, "rows": [], "cost": 1})"), Catch::Contains("/cost"));
  CHECK_FALSE(refused(R"({"rows": []})").empty());  // no run either
  folder.write(file, R"({"run": {"machine": {"name": "of the future"}}, "rows": [{"latency_fs": 5}], "cost": {}})");
  const Ended page = run_program({"report", file});
  CHECK(page.exit_code == 0);
  CHECK_THAT(data_in(page.out)["no_picture"].get<std::string>(), Catch::Contains("cannot build the machine"));
}

TEST_CASE("report: names of others are text in a page, however long") {
  const std::string hostile = "</script><script>alert(1)</script><!-- \"'& </title>";
  const std::string title = hostile + std::string(65536, 'x');
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "run.json").string();
  Json run = Json::parse(run_program(with({"run", pio, "--print-config"}, small)).out);
  run["title"] = title;
  run["machine"]["title"] = title;
  folder.write(file, run.dump());
  const Ended page = run_program({"report", file});
  REQUIRE(page.exit_code == 0);
  CHECK(data_in(page.out)["title"] == title);
  CHECK(count(page.out, "</script>") == 2);
  CHECK(count(page.out, "<script") == 2);
  CHECK(count(page.out, "<!--") == 0);
  CHECK(count(page.out, "</title>") > 1);  // of the page, and tips in the picture
  CHECK_THAT(page.out, !Catch::Contains("alert(1)</script>"));
}

TEST_CASE("report: --why-not-faster says what limits cost, and a page is as large as promised") {
  const Ended page = run_program(with({"report", pio, "--why-not-faster", "--size", "64 B"}, small));
  REQUIRE(page.exit_code == 0);
  const Json data = data_in(page.out);
  CHECK(data["why_not_faster"]["limits"].size() > 5);
  CHECK_THAT(data["why_not_faster"]["sentence"].get<std::string>(), Catch::Contains("hard_ip_cycles"));
  CHECK(data["explanations"][0]["size_bytes"] == 64);
  CHECK(data["command"] == "tsunagi report " + pio +
                               " --set '/scenario/sizes=[\"8 B\",\"64 B\"]' --set "
                               "/scenario/iterations=3 --size '64 B' --why-not-faster");
  CHECK(page.out.size() < 2'000'000);
}

TEST_CASE("report: what is wrong is told before anything is simulated, and no page is left half") {
  const auto refused = [](const std::vector<std::string>& words) {
    const Ended end = run_program(words);
    CHECK(end.exit_code == 2);
    CHECK(end.out.empty());
    return end.err;
  };
  CHECK_THAT(refused({"report"}), Catch::Contains("which run?"));
  CHECK_THAT(refused({"report", "no_such_run"}), Catch::Contains("no_such_run"));
  CHECK_THAT(refused({"report", pio, "--size", "8 fs"}), Catch::Contains("--size"));
  CHECK_THAT(refused({"report", pio, "--out", "/no/such/folder/x.html"}), Catch::Contains("/no/such/folder"));
  const TemporaryFolder folder;
  const auto file = folder.path() / "x.html";
  Surroundings surroundings;
  surroundings.interrupt_after_ms = 300;
  const Ended end = run_program({"report", configs + "/runs/tca_ping_pong.json", "--out", file.string()}, surroundings);
  CHECK(end.exit_code == 130);
  CHECK_FALSE(std::filesystem::exists(file));
}

TEST_CASE("check --html: the page holds what check --format json says, and what is known of misses") {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "check.html").string();
  const std::vector<std::string> wanted{"check",    "--id", "p2-theoretical-peak", "--id", "gf-bw-conv-f2g",
                                        "--format", "json", "--configs",           configs};
  const Ended end = run_program(with(wanted, {"--html", file}));
  CHECK(end.exit_code == 0);
  const Json data = data_in(content(file));
  const Json json = Json::parse(end.out);
  REQUIRE(data["figures"].size() == 2);
  for (std::size_t i = 0; i < 2; ++i)
    for (const auto& [key, value] : json["figures"][i].items()) CHECK(data["figures"][i][key] == value);
  const Json& miss = data["figures"][json["figures"][0]["id"] == "gf-bw-conv-f2g" ? 0 : 1];
  CHECK(miss["status"] == "known_miss");
  CHECK_THAT(miss["missed"]["missing_mechanism"].get<std::string>(), Catch::Contains("descriptors of 4 KiB"));
  CHECK(miss["interval"] == Json::array({2.565, 3.527}));  // docs/sensitivity
  const auto refused = [&](const std::vector<std::string>& more) {
    const Ended refusal = run_program(with({"check", "--id", "p2-theoretical-peak", "--configs", configs}, more));
    CHECK(refusal.exit_code == 2);
    return refusal.err;
  };
  CHECK_THAT(refused({"--html", "-"}), Catch::Contains("--html needs the name of a file"));
  CHECK_THAT(refused({"--html", file, "--out", file, "--format", "json"}), Catch::Contains("name the same file"));
  CHECK_THAT(refused({"--html", file, "--junit", file}), Catch::Contains("name the same file"));
  CHECK_THAT(refused({"--html", file, "--sensitivity"}), Catch::Contains("leave out --html"));
}

#else

TEST_CASE("report: a program without the code of pages says what it lacks") {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"report", "tca_pio_ping_pong"}, {"check", "--html", "no.html"}}) {
    const tsunagi::test::Ended end = tsunagi::test::run_program(words);
    CHECK(end.exit_code == 2);
    CHECK(end.out.empty());
    CHECK_THAT(end.err, Catch::Contains("built without esbuild and d3"));
  }
}

#endif

}  // namespace report_test
