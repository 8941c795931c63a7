// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace run_test {

using namespace tsunagi::test;
using nlohmann::json;

namespace {

const std::string run_file = TSUNAGI_TEST_CONFIGS "/runs/tca_pio_ping_pong.json";

/// The PIO ping-pong, one size, few iterations.
std::vector<std::string> small_run(std::vector<std::string> more = {}) {
  std::vector<std::string> out{
      "run", run_file, "--set", "/scenario/iterations=3", "--set", "/scenario/sizes=[\"8 B\"]"};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

}  // namespace

TEST_CASE("run prints a table of rows and nothing else") {
  const Ended end = run_program(small_run());
  CHECK(end.exit_code == 0);
  CHECK(end.err.find("tsunagi") == std::string::npos);  // ASan warns there of stacks it does not know
  CHECK_THAT(end.out, Catch::Contains("size") && Catch::Contains("latency") && Catch::Contains("8 B"));
  CHECK(end.out.find('\x1b') == std::string::npos);
}

TEST_CASE("the title says what is run, whatever was set or varied") {
  const auto title = [](std::vector<std::string> more) {
    more.insert(more.begin(),
                {"run", TSUNAGI_TEST_CONFIGS "/runs/tca_dma_ping_pong.json", "--set", "/scenario/iterations=2"});
    const std::string out = run_program(more).out;
    return out.substr(0, out.find('\n'));
  };
  const std::string what = "register-mode DMA ping-pong between the host memories of two PEACH2 nodes, ";
  CHECK(title({"--set", "/scenario/sizes=[\"8 B\", \"64 B\", \"1 KiB\"]"}) == what + "8 B to 1 KiB");
  CHECK(title({"--set", "/scenario/sizes=[\"8 B\"]"}) == what + "8 B");
  CHECK(title({"--set", "/scenario/sizes=[\"8 B\"]", "--vary", "/scenario/sizes/0=16 B,32 B"}) ==
        what + "16 B and 32 B");
  CHECK(title({"--set", "/title={/scenario/methods}, {/scenario/iterations} of {/nothing}"}) == "dma, 2 of ?");
  const Ended checked = run_program({"run", run_file, "--print-config", "--set", "/title={/scenario/sizes}"});
  CHECK_THAT(checked.out, Catch::Contains("\"title\": \"{/scenario/sizes}\""));
}

TEST_CASE("run --format json has the shape that scripts rely on") {
  const Ended end = run_program(small_run({"--format", "json"}));
  REQUIRE(end.exit_code == 0);
  const auto out = nlohmann::ordered_json::parse(end.out);
  std::vector<std::string> keys;
  for (const auto& [key, value] : out.items()) keys.push_back(key);
  CHECK(keys == std::vector<std::string>{"tsunagi", "models", "run", "rows", "ceilings", "accounts", "cost", "digest"});
  CHECK(out["run"]["scenario"]["iterations"] == 3);
  REQUIRE(out["rows"].size() == 1);
  CHECK(out["rows"][0]["size_bytes"] == 8);
  CHECK(out["rows"][0]["latency_fs"].is_number_integer());
  for (const auto& cell : out["rows"][0]) CHECK((cell.is_number_integer() || cell.is_string()));
  for (const char* key : {"wall_s", "cpu_s", "peak_rss_bytes", "wakeups", "packet_hops", "simulated_s"})
    CHECK(out["cost"][key] > 0);
  CHECK(out["digest"].get<std::string>().size() == 32);
}

TEST_CASE("run --counters tells what each direction of each wire counted, beside the rows and their digest") {
  const Ended plain = run_program(small_run({"--format", "json"}));
  const Ended counted = run_program(small_run({"--format", "json", "--counters"}));
  REQUIRE(counted.exit_code == 0);
  const json out = json::parse(counted.out);
  CHECK(out["digest"] == json::parse(plain.out)["digest"]);
  // Five round trips of eight bytes, each way one write over the cable: 32 B on the wire.
  const auto find = [&](const char* from) {
    for (const json& c : out["counters"])
      if (c["from"] == from) return c;
    return json();
  };
  for (const char* from : {"node0.peach2.e", "node1.peach2.w"}) {
    const json cable = find(from);
    CHECK(cable["packets"] == 5);
    CHECK(cable["payload_bytes"] == 5 * 8);
    CHECK(cable["header_bytes"] == 5 * 16);
    CHECK(cable["framing_bytes"] == 5 * 8);
    CHECK(cable["dllps"] == 2 * 5);  // an ACK and an UpdateFC each
    CHECK(cable["replays"] == 0);
    CHECK(cable["dropped"] == 0);
    CHECK(cable["credit_wait_fs"] == 0);
  }
  CHECK(find("node0.peach2.e")["to"] == "node1.peach2.w");
  CHECK(find("node0.rc.qpi")["packets"] == 0);

  const Ended table = run_program(small_run({"--counters"}));
  CHECK_THAT(table.out, Catch::StartsWith(run_program(small_run()).out) && Catch::Contains("\ncounters\nfrom ") &&
                            Catch::Contains("\nnode0.peach2.e ") && Catch::EndsWith(" of wires carried nothing\n"));
  CHECK(table.out.find("\nnode0.rc.qpi ") == std::string::npos);
  const Ended csv = run_program(small_run({"--counters", "--format", "csv"}));
  CHECK_THAT(csv.out,
             Catch::StartsWith("from,to,packets,payload_bytes,header_bytes,framing_bytes,dllps,replays,dropped,"
                               "credit_wait_fs\n") &&
                 Catch::Contains("\nnode0.peach2.e,node1.peach2.w,5,40,80,40,10,0,0,0\n") &&
                 Catch::Contains("\nnode0.rc.qpi,node0.rc1.qpi,0,0,0,0,0,0,0,0\n"));
}

TEST_CASE("a run's accounts stand in json and with --accounts below the table beside the rows and their digest") {
  const std::string plain = run_program(small_run({"--format", "json"})).out;
  const json asked = json::parse(run_program(small_run({"--format", "json", "--accounts"})).out);
  CHECK(asked["digest"] == json::parse(plain)["digest"]);
  CHECK(asked["accounts"] == json::parse(plain)["accounts"]);
  // Five round trips of eight bytes, three of which are timed: a store and a poll each way.
  const json& run = asked["accounts"];
  REQUIRE(run["steps"].size() == 2);
  CHECK(run["steps"][0]["step"] == "poll the last word");
  CHECK(run["steps"][1]["step"] == "store the message");
  for (const json& s : run["steps"]) {
    CHECK(s["calls"] == 10);
    CHECK(s["mean_fs"] == s["total_fs"].get<std::int64_t>() / 10);
  }
  CHECK(run["copies"].dump() ==
        R"({"by_core":{"bytes":80,"copies":10},"by_dma":{"bytes":0,"copies":0},"copied_bytes_per_message":8.0,)"
        R"("copies_per_message":1.0,"messages":10,"payload_bytes":80})");
  REQUIRE(run["rows"].size() == 1);
  CHECK(run["rows"][0]["steps"][0]["calls"] == 6);
  CHECK(run["rows"][0]["copies"]["messages"] == 6);

  const Ended table = run_program(small_run({"--accounts"}));
  CHECK_THAT(table.out, Catch::StartsWith(run_program(small_run()).out) && Catch::Contains("\naccounts\nstep ") &&
                            Catch::Contains("\nstore the message ") && Catch::Contains("\ncopied by cores "));
  const Ended csv = run_program(small_run({"--accounts", "--format", "csv"}));
  CHECK_THAT(csv.out, Catch::StartsWith("account,name,calls,mean_fs,total_fs,bytes,row\nstep,poll the last word,10,") &&
                          Catch::Contains("\ncopies,by cores,10,,,80,\n") &&
                          Catch::EndsWith("\ncopies,by DMA,0,,,0,0\n"));
}

TEST_CASE("what is accounted does not depend on trains") {
  const auto accounts = [](const char* run, const char* sizes, const char* train) {
    const Ended end = run_program({"run", std::string(TSUNAGI_TEST_CONFIGS "/runs/") + run, "--accounts", "--format",
                                   "csv", "--set", "/scenario/iterations=2", "--set", sizes, "--set", train});
    REQUIRE(end.exit_code == 0);
    return end.out;
  };
  const char* sizes = R"(/scenario/sizes=["8 KiB"])";
  for (const char* run : {"tca_ping_pong.json", "tca_staged_ping_pong.json", "cuda_peer_ping_pong.json"})
    CHECK(accounts(run, sizes, "/options/max_train=1") == accounts(run, sizes, "/options/max_train=64"));
}

TEST_CASE("what wires count does not depend on trains, and waits for credits are told") {
  const std::string buffers = "/machine/topology/devices/node1/devices/peach2/buffers/posted_headers=2";
  const auto counted = [&](const char* train) {
    return run_program({"run", TSUNAGI_TEST_CONFIGS "/runs/tca_dma_ping_pong.json", "--counters", "--format", "csv",
                        "--set", "/scenario/iterations=1", "--set", R"(/scenario/sizes=["8 KiB"])", "--set", buffers,
                        "--set", train})
        .out;
  };
  const std::string alone = counted("/options/max_train=1");
  CHECK(alone == counted("/options/max_train=64"));
  const std::string cable = alone.substr(alone.find("node0.peach2.e,"));
  CHECK_THAT(cable.substr(0, cable.find('\n')),
             Catch::Contains(",0,0,") && !Catch::EndsWith(",0"));  // replays, drops, wait
}

TEST_CASE("a run repeats to the digest, and the digest follows the config") {
  const auto digest = [](const Ended& end) { return json::parse(end.out)["digest"]; };
  const auto first = digest(run_program(small_run({"--format", "json"})));
  CHECK(digest(run_program(small_run({"--format", "json"}))) == first);
  CHECK(digest(run_program(small_run({"--format", "json", "--set", "/scenario/sizes=[\"16 B\"]"}))) != first);
}

TEST_CASE("run --print-config prints a config that runs the same") {
  const TemporaryFolder folder;
  const Ended printed = run_program(small_run({"--print-config"}));
  REQUIRE(printed.exit_code == 0);
  const auto file = folder.write("resolved.json", printed.out);
  CHECK(run_program({"run", file.string(), "--print-config"}).out == printed.out);
  const json original = json::parse(run_program(small_run({"--format", "json"})).out);
  const json again = json::parse(run_program({"run", file.string(), "--format", "json"}).out);
  CHECK(again["digest"] == original["digest"]);
  CHECK(again["run"] == original["run"]);
}

TEST_CASE("run --out writes the file and no output, and leaves no other file") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "pio.csv";
  const Ended end = run_program(small_run({"--format", "csv", "--out", file.string()}));
  CHECK(end.exit_code == 0);
  CHECK(end.out.empty());
  CHECK(content(file) == run_program(small_run({"--format", "csv"})).out);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("run --out through a symbolic link writes what it points to") {
  const TemporaryFolder folder;
  const auto file = folder.write("real.csv", "old");
  const auto link = folder.path() / "link.csv";
  std::filesystem::create_symlink(file, link);
  CHECK(run_program(small_run({"--format", "csv", "--out", link.string()})).exit_code == 0);
  CHECK(std::filesystem::is_symlink(link));
  CHECK_THAT(content(file), Catch::StartsWith("size_bytes"));
}

TEST_CASE("run --out into nowhere is refused before anything runs") {
  const Ended end = run_program(small_run({"--out", "/nonexistent/pio.csv"}));
  CHECK(end.exit_code == 2);
  CHECK_THAT(end.err, Catch::Contains("/nonexistent"));
}

TEST_CASE("a run that fails writes nothing and keeps the file that was there") {
  const TemporaryFolder folder;
  const auto file = folder.write("old.csv", "old");
  const Ended end = run_program(small_run({"--out", file.string(), "--set", "/options/limit_simulated_time=\"1 us\""}));
  CHECK(end.exit_code == 1);
  CHECK(end.out.empty());
  CHECK_THAT(end.err, Catch::Contains("limit of simulated time, 1 us\n"));
  CHECK(content(file) == "old");
}

TEST_CASE("Ctrl-C, a batch system and a terminal that closes end a run with 130") {
  Surroundings impatient;
  impatient.interrupt_after_ms = 300;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    impatient.interrupt = signal;
    const Ended end = run_program({"run", run_file, "--set", "/scenario/iterations=1000000"}, impatient);
    CHECK(end.exit_code == 130);
    CHECK(end.out.empty());
  }
}

TEST_CASE("a full disk is told") {
  const Ended end = run_program(small_run({"--out", "/dev/full"}));
  CHECK(end.exit_code == 1);
  CHECK_THAT(end.err, Catch::Contains("No space left"));
}

}  // namespace run_test
