// SPDX-License-Identifier: Apache-2.0
// What stands beside the rows of traffic: how busy wires are, how latencies are spread, who gets how much.
#include <cmath>

#include "report/accounts/rows_accounts.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"
#include "system/simulated.hpp"

namespace traffic_accounts_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

const report::Accounts& of(const report::Rows& rows, std::size_t i) { return *rows.rows.at(i).accounts(); }

/// A ring of 16 in which everybody sends in every slot, `distance` up.
Overrides shift(int distance, const char* loads) {
  return {{"/scenario/pattern", "\"shift\""},
          {"/scenario/distance", std::to_string(distance)},
          {"/scenario/arrivals", "\"bernoulli\""},
          {"/scenario/loads", loads},
          {"/scenario/window", "\"10 us\""}};
}

std::string as_text(const report::Rows& rows) { return report::rows_accounts_to_json(rows).dump(); }

}  // namespace

TEST_CASE("in every slot a message to the next fills wires one way and leaves those of the other way idle") {
  const report::Rows rows = rows_of("ring_traffic", shift(1, R"(["100 %"])"));
  const report::WireAccount& w = *of(rows, 0).wires;
  CHECK(w.window == 10_us);
  CHECK(w.directions == 64);  // 16 rings' wires and 16 terminals', both ways
  CHECK(w.idle == 16);
  CHECK(w.mean_ppm == 750'000);
  CHECK(w.most_ppm() == 1'000'000);
  REQUIRE(w.busiest.size() == 10);
  CHECK(w.busiest[9].busy == 10_us);
}

TEST_CASE("a shift by d of n loads each wire of a ring d times as much as its senders'") {
  const report::Rows rows = rows_of("ring_traffic", shift(3, R"(["5 %", "10 %", "20 %"])"));
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    const report::WireAccount& w = *of(rows, i).wires;
    CHECK(w.idle == 16);
    // Of 64 directions 16 carry d times the load and 32 the load. Messages of 5 ns are binomial: within five
    // deviations.
    const double load = static_cast<double>(cell<std::int64_t>(rows.rows[i], "load_ppm")) / 1e6;
    const double slots = 2000, messages = 16 * slots;
    const double mean = load * (16 * 3 + 32) / 64;
    CHECK(std::abs(static_cast<double>(w.mean_ppm) / 1e6 - mean) <
          5 * mean * std::sqrt((1 - load) / (load * messages)) + 0.001);
    CHECK(static_cast<double>(w.most_ppm()) / 1e6 > 3 * load);
    CHECK(static_cast<double>(w.most_ppm()) / 1e6 < 3 * load + 5 * std::sqrt(3 * load * (1 - load) / slots) + 0.001);
    CHECK(w.busiest.front().from.find("router") == 0);
  }
}

TEST_CASE("wires carry what arrives: without losses of time the mean is payload over the wires' rate") {
  const report::Rows rows = rows_of("incast", {{"/scenario/loads", R"(["3 %", "20 %"])"}});
  for (std::size_t i = 0; i < 2; ++i) {
    const report::WireAccount& w = *of(rows, i).wires;
    // The receiver's wire, a message of 64 B each 5 ns: what arrived in the window, but for what is under way.
    const double busy = static_cast<double>(w.busiest.front().busy.fs());
    const double arrived = static_cast<double>(cell<Bytes>(rows.rows[i], "accepted").count()) / 64 * 5e6;
    CHECK(std::abs(busy - arrived) <= 10e6);
    CHECK(w.idle == 16);  // nobody else gets anything, and the target sends nothing
  }
  CHECK(of(rows, 1).wires->most_ppm() == 1'000'000);
}

TEST_CASE("accounts of a window are no matter of trains or of the row before") {
  const auto accounts = [](const char* loads, const char* max_train) {
    return as_text(rows_of("torus_traffic", {{"/machine/topology/sizes", "[4, 4]"},
                                             {"/scenario/grid", "[4, 4]"},
                                             {"/scenario/size", "\"1500 B\""},
                                             {"/scenario/window", "\"5 us\""},
                                             {"/scenario/loads", loads},
                                             {"/options/max_train", max_train}}));
  };
  CHECK(accounts(R"(["30 %", "90 %"])", "1") == accounts(R"(["30 %", "90 %"])", "64"));
}

TEST_CASE("a row's window has all of its messages and quantiles agree with the row's") {
  const report::Rows rows = rows_of("ring_traffic", {{"/scenario/loads", R"(["30 %", "60 %"])"}});
  for (std::size_t i = 0; i < 2; ++i) {
    const report::LatencyAccount& l = *of(rows, i).latency;
    CHECK(l.messages == cell<std::int64_t>(rows.rows[i], "messages"));
    for (const char* name : {"p50", "p99", "p99.9"}) CHECK(*l.find(name) == cell<Time>(rows.rows[i], name));
    std::int64_t sum = 0;
    for (const auto& b : l.bins) sum += b.messages;
    CHECK(sum == l.messages);
    const report::ServiceAccount& s = *of(rows, i).accepted;
    CHECK(s.senders == 16);
    CHECK(s.mean == Bytes(cell<Bytes>(rows.rows[i], "accepted").count() / 16));
  }
  CHECK(of(rows, 0).accepted->jain_ppm > 990'000);
  CHECK(of(rows, 1).accepted->jain_ppm < of(rows, 0).accepted->jain_ppm);
}

TEST_CASE("ranks of different rates offer what their rates say and the bound knows") {
  const report::Rows rows = rows_of("ring_traffic", {{"/scenario/pattern", "\"shift\""},
                                                     {"/scenario/distance", "4"},
                                                     {"/scenario/rates", "[4, 0, 1, 3]"},
                                                     {"/scenario/arrivals", "\"bernoulli\""},
                                                     {"/scenario/loads", R"(["40 %"])"}});
  const report::Row& r = rows.rows.front();
  // Each wire carries what four ranks one behind the other send, 8 quarters of what the first does.
  CHECK(cell<std::int64_t>(r, "bound_ppm") == 500'000);
  // 16 ranks of half the load on average, each a binomial of 8,000 slots.
  const double slots = 8000, mean = 16 * slots * 0.4 / 2;
  CHECK(std::abs(static_cast<double>(cell<std::int64_t>(r, "messages")) - mean) < 5 * std::sqrt(mean));
  const report::ServiceAccount& s = *of(rows, 0).accepted;
  CHECK(s.senders == 12);
  CHECK(s.least.rank % 4 == 2);
  CHECK(s.most.rank % 4 == 0);
  CHECK(std::abs(static_cast<double>(s.most.bytes.count()) / static_cast<double>(s.least.bytes.count()) - 4) < 0.6);
  CHECK(s.jain_ppm > 995'000);
}

TEST_CASE("a matrix sends where its weights say and as much") {
  const report::Rows rows = rows_of("crossbar_matrix", {});
  CHECK(cell<std::int64_t>(rows.rows[0], "bound_ppm") == 1'000'000);
  // Four senders of a row of 12, twelve of a row of 1; a slot is 5 ns.
  for (const report::Row& r : rows.rows) {
    const double load = static_cast<double>(cell<std::int64_t>(r, "load_ppm")) / 1e6;
    const double mean = 4000 * load * (4 + 12 * 1.0 / 12);
    CHECK(std::abs(static_cast<double>(cell<std::int64_t>(r, "messages")) - mean) < 5 * std::sqrt(mean));
    CHECK(r.accounts()->accepted->senders == 16);
  }
}

TEST_CASE("bursts wait longer than single messages of the same load") {
  const auto mean = [](const char* arrivals, const char* burst) {
    const report::Rows rows = rows_of("torus_bursts", {{"/scenario/pattern", "\"uniform\""},
                                                       {"/scenario/arrivals", arrivals},
                                                       {"/scenario/burst", burst},
                                                       {"/scenario/loads", R"(["30 %"])"}});
    return cell<Time>(rows.rows.front(), "mean");
  };
  const Time single = mean("\"bernoulli\"", "1");
  const Time some = mean("\"bursts\"", "4");
  CHECK(single < some);
  CHECK(some < mean("\"bursts\"", "32"));
}

}  // namespace traffic_accounts_test
