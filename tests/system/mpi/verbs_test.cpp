// SPDX-License-Identifier: Apache-2.0
// Library verbs on two cards that are cabled to each other, as shipped.
#include <algorithm>
#include <map>

#include "cluster/oddities.hpp"
#include "report/digest.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"
#include "system/simulated.hpp"
#include "whatif/limits.hpp"

namespace verbs_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

constexpr const char* run = "ib_ping_pong";
constexpr std::int64_t KiB = 1024;

Overrides ping_pong(const std::string& method, const std::string& sizes, Overrides more = {}) {
  more.push_back({"/scenario/methods", "[\"" + method + "\"]"});
  more.push_back({"/scenario/sizes", sizes});
  return more;
}

/// Latencies by size in bytes.
std::map<std::int64_t, Time> latencies(const Overrides& overrides) {
  std::map<std::int64_t, Time> out;
  for (const report::Row& row : rows_of(run, overrides).rows)
    out[std::get<Bytes>(*row.find("size")).count()] = std::get<Time>(*row.find("latency"));
  return out;
}

std::string of_card(int node, const std::string& field) {
  return "/machine/topology/devices/node" + std::to_string(node) + "/devices/hca/" + field;
}

/// Both cards lose packets; three messages of each size.
Overrides losing(const std::string& method, int seed, int timeout_code, const std::string& max_train) {
  Overrides all;
  for (const int node : {0, 1}) all.push_back({of_card(node, "loss_ppm"), "1000"});
  all.push_back({"/options/seed", std::to_string(seed)});
  all.push_back({"/library/timeout_code", std::to_string(timeout_code)});
  all.push_back({"/options/max_train", max_train});
  const std::string sizes = R"(["64 B", "4 KiB", "64 KiB"])";
  if (method != "get") {
    all.push_back({"/scenario/iterations", "40"});
    return ping_pong(method, sizes, all);
  }
  all.push_back({"/scenario", R"({"kind": "get", "iterations": 40, "sizes": )" + sizes + "}"});
  return all;
}

void check_losses(const std::string& method, int timeout_code) {
  for (int seed = 1; seed <= 3; ++seed) {
    CAPTURE(seed);
    const report::Rows rows = rows_of(run, losing(method, seed, timeout_code, "64"));
    CHECK(rows.rows.size() == 3);
    CHECK(report::digest(rows) == report::digest(rows_of(run, losing(method, seed, timeout_code, "1"))));
  }
}

}  // namespace

TEST_CASE("writes through losses end, with trains as without") { check_losses("write", 5); }
TEST_CASE("sends through losses end, with trains as without") { check_losses("send", 5); }
TEST_CASE("RDMA reads through losses end, with trains as without") { check_losses("get", 5); }
TEST_CASE("writes through losses end with timers of seconds") { check_losses("write", 20); }

TEST_CASE("verbs' messages are the same with trains and without") {
  for (const std::string method : {"write", "send"}) {
    const auto digest = [&](const std::string& max_train) {
      return report::digest(rows_of(
          run, ping_pong(method, R"(["1 B", "221 B", "5001 B", "100 KiB"])", {{"/options/max_train", max_train}})));
    };
    CHECK(digest("1") == digest("64"));
  }
}

TEST_CASE("a small message costs a read more behind BlueFlame, and another behind the inline limit") {
  const auto t = latencies(ping_pong("write", R"(["204 B", "208 B", "212 B", "220 B", "224 B"])"));
  const Time little = 20_ns, read = 106_ns + 50_ns + 120_ns + 2 * 25_ns;  // in the host, and in and out of the card
  CHECK(t.at(208) - t.at(204) < little);
  // The request is longer than half of the BlueFlame register.
  CHECK(t.at(212) - t.at(208) > read);
  CHECK(t.at(220) - t.at(212) < little);
  CHECK(t.at(224) - t.at(220) > read);
}

TEST_CASE("a long write is as fast as the slower of link and slot") {
  const auto rate = [](const Overrides& more) {
    return 1024.0 * KiB /
           (static_cast<double>(latencies(ping_pong("write", R"(["1 MiB"])", more)).at(1024 * KiB).fs()) * 1e-15);
  };
  const double fdr10 = 5e9 * 2048 / 2076;
  const double with_link = rate({});
  CHECK(with_link < fdr10);
  CHECK(with_link > fdr10 * 0.98);
  Overrides gen2;
  for (const std::string n : {"0", "1"}) {
    const std::string wire = "/machine/topology/devices/node" + n + "/links/2/wire/";
    gen2.push_back({wire + "rate", "\"5 GT/s\""});
    gen2.push_back({wire + "coding", "\"8b/10b\""});
  }
  const double slot = 256 / 72e-9;  // writes of 280 B at 4 GB/s, each from an edge of 250 MHz on
  const double with_slot = rate(gen2);
  CHECK(with_slot < slot);
  CHECK(with_slot > slot * 0.98);
}

TEST_CASE("packets of twice the MTU lose no bandwidth: the cards' lanes hold as many") {
  Overrides how = {{of_card(0, "speed"), "\"fdr\""},
                   {of_card(1, "speed"), "\"fdr\""},
                   {"/machine/topology/links/0/wire/speed", "\"fdr\""},
                   {"/scenario/sizes", R"(["1 MiB"])"}};
  const double fdr = 14.0625e9 * 4 * 64 / 66 / 8;
  for (const int mtu : {2048, 4096}) {
    CAPTURE(mtu);
    const std::string bytes = "\"" + std::to_string(mtu) + " B\"";
    how.push_back({"/library/mtu", bytes});
    how.push_back({"/machine/topology/links/0/wire/mtu", bytes});
    const report::Row row = rows_of("ib_write_bw", how).rows.at(0);
    const double rate = 1048576.0 / (static_cast<double>(cell<Time>(row, "per_message").fs()) * 1e-15);
    // A packet has 28 B around its data (LRH, BTH, two checks, two delimiters).
    CHECK(rate < fdr * mtu / (mtu + 28));
    CHECK(rate > fdr * mtu / (mtu + 28) * 0.995);
  }
}

TEST_CASE("wires of a larger MTU than the library's are odd, and as good as others") {
  const std::string wire = "/machine/topology/links/0/wire/mtu";
  CHECK(oddities(run_of(run, {})).empty());
  CHECK(oddities(run_of(run, {{"/library/mtu", "\"1 KiB\""}, {wire, "\"1 KiB\""}})).empty());
  CHECK(oddities(run_of("tca_pio_ping_pong", {})).empty());
  CHECK(oddities(run_of("halo_torus", {})).empty());
  for (const char* any : {run, "mpi_latency"}) {
    const auto odd = oddities(run_of(any, {{wire, "\"4 KiB\""}}));
    REQUIRE(odd.size() == 1);
    CHECK(odd[0].pointer == "/library/mtu");
    CHECK_THAT(odd[0].text, Catch::Contains("2 KiB at most, though every InfiniBand wire carries 4 KiB"));
  }
  // One of them that has the library's is reason enough for that.
  const RunConfig mixed = run_of("ib_write_bw_two_rails", {{wire, "\"4 KiB\""}});
  CHECK(oddities(mixed).empty());
}

TEST_CASE("machines that verbs cannot run on are refused") {
  CHECK_THAT(refusal(run, {{"/library/mtu", "\"4 KiB\""}}), Catch::Contains("carries 2 KiB"));
  CHECK_THAT(refusal(run, {{"/library/rails", R"(["hca.port2"])"}}), Catch::Contains("hca has 1 port"));
  CHECK_THAT(
      refusal(run, {{"/library/core", "\"core7\""}}),
      Catch::Contains("\"core7\" is no such device of node0; did you mean \"core0\"? \"core\" names one of: core0"));
  CHECK_THAT(refusal(run, {{"/library/rails", R"(["card.port1"])"}}),
             Catch::Contains("no host channel adapter is called \"card\""));
  CHECK_THAT(refusal(run, {{"/machine/topology/links", "[]"}}), Catch::Contains("nothing is connected to port1"));
  CHECK_THAT(refusal(run, {{of_card(1, "speed"), "\"qdr\""}}),
             Catch::Contains("node1.hca: port1 is one of up to 4x qdr, the wire there of 4x fdr10"));
  CHECK_THAT(refusal(run, {{of_card(1, "width"), "1"}}), Catch::Contains("up to 1x fdr, the wire there of 4x fdr10"));
  CHECK_THAT(refusal(run, {{of_card(0, "lane_blocks"), "32"}}), Catch::Contains("does not hold one packet of 2 KiB"));
  CHECK_THAT(refusal(run, {{of_card(0, "virtual_lanes"), "2"}}),
             Catch::Contains("2 virtual lanes, the wire at port1 1"));
  CHECK_THAT(refusal(run, {{of_card(0, "pages"), "17"}}), Catch::Contains("its registers are 68 KiB"));
}

TEST_CASE("verbs: a faster link is looked at with ports that take it") {
  for (const whatif::Limit& limit : whatif::limits(run_of(run, {}))) {
    if (limit.name.find("InfiniBand") == std::string::npos) continue;
    CAPTURE(limit.name);
    CHECK(limit.overrides.size() == 3);  // two cards and a cable
    CHECK(rows_of(run, limit.overrides).rows.size() == rows_of(run, {}).rows.size());
  }
  const auto named = [](const std::string& name) {
    const std::vector<whatif::Limit> all = whatif::limits(run_of(run, {}));
    return std::count_if(all.begin(), all.end(), [&](const whatif::Limit& l) { return l.name == name; });
  };
  CHECK(named("InfiniBand speed (3 places)") == 1);
  CHECK(named("InfiniBand lanes (3 places)") == 1);
}

}  // namespace verbs_test
