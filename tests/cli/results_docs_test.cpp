// SPDX-License-Identifier: Apache-2.0
// docs/results.md explains each column that the program can print, and no other.
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "support/catch.hpp"
#include "support/documents.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace results_docs_test {

using namespace tsunagi::test;
using nlohmann::json;
namespace fs = std::filesystem;
using Names = std::set<std::string>;
using Words = std::vector<std::string>;

namespace {

/// The first cells of a section's table, with what the last cell of the line names.
std::map<std::string, Names> columns_of(const std::string& section) {
  static const std::string text = content(root / "docs/results.md");
  const std::size_t begin = text.find("\n## " + section + "\n");
  REQUIRE(begin != std::string::npos);
  const std::string part = text.substr(begin, text.find("\n## ", begin + 1) - begin);
  std::map<std::string, Names> out;
  const std::regex line("\n\\| `([^`\n]+)` \\|([^\n]*)\\|(?=\n)");
  for (std::sregex_iterator i(part.begin(), part.end(), line), end; i != end; ++i) {
    const std::string rest = (*i)[2];
    const Words last = quoted(rest.substr(rest.rfind('|') + 1));
    CHECK(out.emplace((*i)[1], Names(last.begin(), last.end())).second);
  }
  return out;
}

/// Runs that together print all columns of all scenarios.
const std::map<std::string, std::vector<Words>>& runs() {
  static const std::string sizes = "/scenario/sizes=[\"64 B\"]";
  static const std::map<std::string, std::vector<Words>> all{
      {"ping_pong", {{"tca_ping_pong", sizes}}},
      {"pairs", {{"tca_pairs"}}},
      {"stream", {{"pcie_write_stream", sizes}}},
      {"neighbours", {{"incast", R"(/scenario={"kind":"neighbours","sizes":["64 B"]})"}}},
      {"perftest",
       {{"ib_write_lat", sizes}, {"ib_write_bw", sizes}, {"ib_write_bw", sizes, "/scenario/both_ways=true"}}},
      {"pmtest", {{"pm_round_trip_gc_le", sizes}, {"pm_messages_gc_le", sizes}}},
      {"receive_buffers", {{"pm_receive_buffers", "/scenario/messages=0"}}},
      {"checkpoint", {{"pm_send_stable", "/scenario/at_end=\"swap\""}}},
      {"himeno", {{"himeno_256", "/machine/topology/nodes=2", "/scenario/grid=[2,1,1]", R"(/scenario/size="S")"}}},
      {"traffic",
       {{"ring_traffic", R"(/scenario/loads=["10 %", "80 %"])", R"(/scenario/window="2 us")"},
        {"ring_traffic", R"(/scenario/loads=["10 %"])", "/library/loss=count", "**/flow_control=none"}}},
      {"put", {{"tca_local_counts", sizes}, {"tca_local_single", sizes}}},
      {"get", {{"tca_remote_read", sizes}}},
      {"copy", {{"fpga_dma_read", sizes}}},
      {"copies", {{"cuda_switch_ping_pong", R"(/scenario={"kind": "copies", "sizes": ["256 KiB"]})"}}},
      {"broadcast", {{"broadcast_ring", sizes}}},
      {"reduction", {{"allreduce_ring", sizes}}},
      {"barrier", {{"fmpl_barrier"}}},
      {"all_to_all", {{"tca_all_to_all", sizes}, {"all_to_all_mpi", sizes, "/scenario/ranks=4"}}},
      {"halo_exchange", {{"halo_torus", "/scenario/grid=[]"}, {"halo_torus"}}},
      {"cg_halo", {{"cg_tca", "/scenario/iterations=1"}}},
      {"npb_is", {{"npb_is_mpi", "/scenario/ranks=4"}}},
      {"npb_ft", {{"npb_ft_mpi", "/scenario/ranks=4"}}},
      {"nccl_tests", {{"nccl_all_reduce_4090", sizes, "/scenario/iterations=1"}}},
      {"osu", {{"osu_latency", sizes}, {"osu_put_latency", sizes}, {"osu_bw", sizes}, {"osu_allreduce", sizes}}},
      {"posted_receives", {{"posted_receives_mpi"}}},
      {"random_pairs", {{"random_pairs_ring", sizes}}},
      {"prepared_puts", {{"tca_put_ping_pong", sizes}, {"tca_put_broadcast", sizes}}},
      {"pcie_bench", {{"pcie_lat_rd", sizes}, {"pcie_bw_rd", sizes}}},
  };
  return all;
}

json run(const Words& words) {
  Words arguments{"run", (root / "configs/runs" / (words.front() + ".json")).string(), "--format", "json",
                  "--counters"};
  for (std::size_t i = 1; i < words.size(); ++i) arguments.insert(arguments.end(), {"--set", words[i]});
  const Ended end = run_program(arguments);
  INFO(words.front() << ": " << end.err);
  REQUIRE(end.exit_code == 0);
  return json::parse(end.out);
}

Names keys_of(const json& rows) {
  Names out;
  for (const json& row : rows)
    for (const auto& [key, value] : row.items()) out.insert(key);
  return out;
}

Names names(const std::map<std::string, Names>& columns) {
  Names out;
  for (const auto& [name, more] : columns) out.insert(name);
  return out;
}

/// The words of a CSV's first line.
Names header_of(const Ended& csv) {
  Names out;
  const std::string header = csv.out.substr(0, csv.out.find('\n'));
  const std::regex name("[^,]+");
  for (std::sregex_iterator i(header.begin(), header.end(), name), end; i != end; ++i) out.insert(i->str());
  return out;
}

}  // namespace

TEST_CASE("docs/results.md explains each column of each scenario, and says which scenarios have it") {
  std::map<std::string, Names> printed;
  for (const auto& [scenario, variants] : runs())
    for (const Words& words : variants) {
      const json out = run(words);
      CHECK(out["run"]["scenario"]["kind"] == scenario);
      for (const std::string& key : keys_of(out["rows"])) printed[key].insert(scenario);
    }
  std::map<std::string, Names> told = columns_of("Columns of rows");
  CHECK(told.erase("beats") == 1);  // only a wrong model prints it
  for (const auto& [column, scenarios] : printed) {
    INFO("column " << column);
    CHECK(told[column] == scenarios);
  }
  for (const auto& [column, scenarios] : told) {
    INFO("docs/results.md explains " << column << ", which nothing prints");
    CHECK(printed.count(column) == 1);
  }
}

TEST_CASE("docs/results.md leaves out no scenario, and no column that a scenario's source names") {
  const Ended list = run_program({"list", "scenarios"});
  const std::regex scenario("\n([a-z_]+) ");
  Names known;
  for (std::sregex_iterator i(list.out.begin(), list.out.end(), scenario), end; i != end; ++i) known.insert((*i)[1]);
  Names visited;
  for (const auto& [name, variants] : runs()) visited.insert(name);
  CHECK(known == visited);

  const std::map<std::string, Names> told = columns_of("Columns of rows");
  const std::regex cell("\\b(time|bytes|count|text|rate)\\(\"([^\"]+)\"");
  const std::map<std::string, std::string> units{{"time", "_fs"}, {"bytes", "_bytes"}, {"rate", "_bytes_per_second"}};
  for (const auto& entry : fs::directory_iterator(root / "scenarios")) {
    const std::string text = content(entry.path());
    for (std::sregex_iterator i(text.begin(), text.end(), cell), end; i != end; ++i) {
      const auto unit = units.find((*i)[1]);
      const std::string name = (*i)[2];
      const std::string column = unit == units.end() || name == "bytes" ? name : name + unit->second;
      INFO(entry.path().filename().string() << " has a column " << column);
      CHECK(told.count(column) == 1);
    }
  }
}

TEST_CASE("docs/results.md explains each column of counters and accounts") {
  CHECK(keys_of(run({"tca_pio_ping_pong", "/scenario/sizes=[\"8 B\"]"})["counters"]) == names(columns_of("Counters")));
  const Ended csv = run_program({"run", (root / "configs/runs/ring_traffic.json").string(), "--accounts", "--format",
                                 "csv", "--set", R"(/scenario/loads=["10 %"])", "--set", R"(/scenario/window="2 us")"});
  Names printed = header_of(csv);
  printed.insert("mean_fs");  // of steps, which these messages take none of
  CHECK(printed == names(columns_of("Accounts")));
}

TEST_CASE("docs/results.md explains each column of published figures") {
  const TemporaryFolder folder;
  const std::string before = (folder.path() / "before.json").string();
  const Words check{"check",   "--configs", (root / "configs").string(), "--id", "p2-pio-cpu-cpu-min-latency",
                    "--format"};
  const auto with = [&check](const Words& more) {
    Words all = check;
    all.insert(all.end(), more.begin(), more.end());
    return run_program(all);
  };
  REQUIRE(with({"json", "--out", before}).exit_code == 0);
  const Ended csv = with({"csv", "--baseline", before});
  REQUIRE(csv.exit_code == 0);
  CHECK(header_of(csv) == names(columns_of("Published figures")));
}

}  // namespace results_docs_test
