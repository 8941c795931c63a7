// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "report/accounts/rows_accounts.hpp"
#include "report/catalog.hpp"
#include "report/digest.hpp"
#include "support/catch.hpp"
#include "unit/report/report_fixture.hpp"

namespace report_accounts_test {

using namespace tsunagi;
using nlohmann::ordered_json;

namespace {

std::string written(const std::string& format, const report::Rows& rows, bool accounts) {
  const ordered_json run = {{"name", "pair"}};
  return report::find_writer(format)->write({"1.2.3", "", [&] { return run; }, rows, {}, nullptr, accounts});
}

report::Accounts counted(std::int64_t n) {
  return {
      {{"copy", 2 * n, 30_ns * n}, {"poll", n, 100_ns * n}}, 4 * n, 100_B * n, {6 * n, 60_B * n}, {2 * n, 90_B * n}};
}

/// Accounts of a window of 1 us.
report::Accounts of_window() {
  report::Accounts a;
  a.wires = report::wire_account(1_us, {0_ns, 250_ns, 500_ns, 250_ns}, [](std::size_t i) {
    return std::pair("r" + std::to_string(i), "t" + std::to_string(i));
  });
  a.latency = report::latency_account({15_ns, 20_ns, 60_ns});
  a.accepted = report::service_account({{1, 64_B, 1}, {2, 256_B, 2}, {5, 64_B, 1}});
  return a;
}

}  // namespace

TEST_CASE("the busiest wires are named in order and the mean is of all") {
  const report::WireAccount w = *of_window().wires;
  CHECK(w.directions == 4);
  CHECK(w.idle == 1);
  CHECK(w.mean_ppm == 250'000);
  CHECK(w.most_ppm() == 500'000);
  REQUIRE(w.busiest.size() == 3);
  CHECK(w.busiest[0].from == "r2");
  CHECK(w.busiest[1].from == "r1");  // the machine's first of equals
  CHECK(w.busiest[2].to == "t3");
  const report::WireAccount many = report::wire_account(
      1_us, std::vector<Time>(25, 7_ns), [](std::size_t i) { return std::pair("r", std::to_string(i)); });
  REQUIRE(many.busiest.size() == 10);
  CHECK(many.busiest[9].to == "9");
  CHECK(report::wire_account(1_us, {}, {}).mean_ppm == 0);
}

TEST_CASE("quantiles of latencies are nearest ranks and bins go by one two and five") {
  std::vector<Time> sorted;
  for (int i = 1; i <= 20'000; ++i) sorted.push_back(1_ns * i);
  const report::LatencyAccount l = report::latency_account(sorted);
  CHECK(l.messages == 20'000);
  for (const auto& [name, ns] : {std::pair("min", 1),
                                 {"p50", 10'000},
                                 {"p90", 18'000},
                                 {"p95", 19'000},
                                 {"p99", 19'800},
                                 {"p99.9", 19'980},
                                 {"p99.99", 19'998},
                                 {"max", 20'000}}) {
    INFO(name);
    CHECK(*l.find(name) == 1_ns * ns);
  }
  CHECK(l.find("p98") == nullptr);
  REQUIRE(l.bins.size() == 14);  // 1, 2, 5 ... 10000 and 20000
  CHECK(l.bins.front().from == 1_ns);
  CHECK(l.bins.front().to == 2_ns);
  CHECK(l.bins.front().messages == 1);
  CHECK(l.bins[12].from == 10_us);
  CHECK(l.bins[12].messages == 10'000);
  CHECK(l.bins[13].messages == 1);  // the bound belongs to what is above it
  const report::LatencyAccount far = report::latency_account({0_ns, Time::max()});
  CHECK(far.bins.front().from == 0_ns);
  CHECK(far.bins.back().to == Time::max());
  CHECK(far.bins.back().messages == 1);
  std::int64_t all = 0;
  for (const auto& b : far.bins) all += b.messages;
  CHECK(all == 2);
}

TEST_CASE("fairness is of what ranks got through over what they offer") {
  const report::ServiceAccount s = *of_window().accepted;
  CHECK(s.senders == 3);
  CHECK(s.least.rank == 1);
  CHECK(s.most.rank == 2);
  CHECK(s.most.bytes == 256_B);
  CHECK(s.mean == 128_B);
  CHECK(s.jain_ppm == 16 * 1'000'000 / 18);  // 1, 2, 1: 4^2 / (3 x 6)
  CHECK(report::service_account({{0, 9_B, 3}, {1, 6_B, 2}}).jain_ppm == 1'000'000);
  CHECK(report::service_account({{0, 0_B, 1}}).jain_ppm == 0);
  CHECK(report::service_account({{0, 0_B, 1}, {1, 64_B, 1}}).jain_ppm == 500'000);
  CHECK(report::service_account({{0, Bytes(std::int64_t{1} << 60), 1'000'000}, {1, 1_B, 1}}).jain_ppm == 500'000);
}

TEST_CASE("a row's window stands beside it in JSON and csv and below the table") {
  report::Rows rows = test::ping_pong_rows();
  const std::string digest = report::digest(rows);
  rows.accounts = counted(1);
  rows.rows[1].account(of_window());
  CHECK(report::digest(rows) == digest);
  const ordered_json row = ordered_json::parse(written("json", rows, false))["accounts"]["rows"][1];
  CHECK(row["wires"].dump() ==
        R"({"window_fs":1000000000,"directions":4,"idle":1,"mean_ppm":250000,"max_ppm":500000,"busiest":[)"
        R"({"from":"r2","to":"t2","busy_fs":500000000,"use_ppm":500000},)"
        R"({"from":"r1","to":"t1","busy_fs":250000000,"use_ppm":250000},)"
        R"({"from":"r3","to":"t3","busy_fs":250000000,"use_ppm":250000}]})");
  CHECK(row["latency"]["p90_fs"] == 60'000'000);
  CHECK(row["latency"]["histogram"].dump() == R"([{"from_fs":10000000,"to_fs":20000000,"messages":1},)"
                                              R"({"from_fs":20000000,"to_fs":50000000,"messages":1},)"
                                              R"({"from_fs":50000000,"to_fs":100000000,"messages":1}])");
  CHECK(row["accepted"].dump() == R"({"senders":3,"least":{"rank":1,"bytes":64},"mean_bytes":128,)"
                                  R"("most":{"rank":2,"bytes":256},"jain_ppm":888888})");
  report::Rows got = test::ping_pong_rows();
  rows_accounts_from_json(rows_accounts_to_json(rows), got);
  CHECK(rows_accounts_to_json(got) == rows_accounts_to_json(rows));
  const std::string table = written("table", rows, true);
  const std::size_t begin = table.find("\nrow ");
  REQUIRE(begin != std::string::npos);
  CHECK(table.substr(begin) ==
        "\nrow  messages        min        p50        p90        p95        p99      p99.9     p99.99        max\n"
        "  1         3  15.000 ns  20.000 ns  60.000 ns  60.000 ns  60.000 ns  60.000 ns  60.000 ns  60.000 ns\n"
        "\nrow  senders  least   mean   most     jain  least_rank  most_rank\n"
        "  1        3   64 B  128 B  256 B  88.89 %           1          2\n"
        "\nrow  directions  idle  mean   max  busiest\n"
        "  1           4     1  25 %  50 %  r2 > t2\n"
        "\nrow  busiest wires   use\n"
        "  1  r2 > t2        50 %\n"
        "  1  r1 > t1        25 %\n"
        "  1  r3 > t3        25 %\n");
  CHECK_THAT(written("csv", rows, true), Catch::Contains("\nlatency,p99.99,,,60000000,,1,\n") &&
                                             Catch::Contains("\nwire,r2 > t2,,,500000000,,1,500000\n") &&
                                             Catch::Contains("\naccepted,jain,,,,,1,888888\n"));
}

TEST_CASE("wires are read for the row that a window was opened for") {
  class Meter final : public report::WireMeter {
   public:
    void open(Time begin, Time end) override { window_ = end - begin; }
    report::WireAccount read() const override { return report::wire_account(window_, {}, {}); }

   private:
    Time window_;
  };
  Meter meter;
  report::Recorder r;
  r.measure_wires(0_ns, 1_ns);  // nobody counts yet
  CHECK(r.row().accounts() == nullptr);
  r.take_wires(meter);
  r.measure_wires(2_ns, 5_ns);
  const report::Row& row = r.row();
  REQUIRE(row.accounts() != nullptr);
  CHECK(row.accounts()->wires->window == 3_ns);
  CHECK(r.row().accounts() == nullptr);
}

TEST_CASE("what was counted since then is the difference without steps that nobody did") {
  report::Accounts later = counted(5);
  later.steps.push_back({"ring", 1, 7_ns});
  report::Accounts earlier = counted(2);
  earlier.steps[1] = later.steps[1];
  const report::Accounts d = since(later, earlier);
  REQUIRE(d.steps.size() == 2);
  CHECK(d.find("poll") == nullptr);
  CHECK(d.find("copy")->calls == 6);
  CHECK(d.find("copy")->total == 90_ns);
  CHECK(d.find("copy")->mean() == 15_ns);
  CHECK(d.find("ring")->total == 7_ns);
  CHECK(d.messages == 12);
  CHECK(d.payload == 300_B);
  CHECK(d.by_core.copies == 18);
  CHECK(d.by_dma.bytes == 270_B);
  CHECK(report::StepAccount{}.mean() == 0_ns);
}

TEST_CASE("a row has the accounts since its beginning was told and others have none") {
  report::Recorder r;
  r.begin_account();  // nobody counts yet
  std::int64_t n = 1;
  r.take_accounts([&] { return counted(n); });
  r.row().count("n", 1);
  r.begin_account();
  n = 4;
  r.row().count("n", 2);
  n = 5;
  r.row().count("n", 3);
  r.end_accounts();
  n = 9;
  r.begin_account();
  r.row().count("n", 4);
  const report::Rows& rows = r.rows();
  CHECK(rows.rows[0].accounts() == nullptr);
  REQUIRE(rows.rows[1].accounts() != nullptr);
  CHECK(rows.rows[1].accounts()->messages == 12);
  CHECK(rows.rows[2].accounts() == nullptr);
  CHECK(rows.rows[3].accounts() == nullptr);
  REQUIRE(rows.accounts);
  CHECK(rows.accounts->messages == 20);
}

TEST_CASE("accounts are no part of the digest") {
  report::Rows rows = test::ping_pong_rows();
  const std::string before = report::digest(rows);
  rows.accounts = counted(1);
  rows.rows.front().account(counted(2));
  CHECK(report::digest(rows) == before);
}

TEST_CASE("JSON has the accounts of the run and of its rows") {
  report::Rows rows = test::ping_pong_rows();
  CHECK(ordered_json::parse(written("json", rows, true)).count("accounts") == 0);
  rows.accounts = counted(3);
  const ordered_json run = ordered_json::parse(written("json", rows, false))["accounts"];
  CHECK(run["steps"].dump() == R"([{"step":"copy","calls":6,"mean_fs":15000000,"total_fs":90000000},)"
                               R"({"step":"poll","calls":3,"mean_fs":100000000,"total_fs":300000000}])");
  CHECK(run["copies"].dump() ==
        R"({"messages":12,"payload_bytes":300,"by_core":{"copies":18,"bytes":180},"by_dma":{"copies":6,"bytes":270},)"
        R"("copies_per_message":2.0,"copied_bytes_per_message":37.5})");
  CHECK(run.count("rows") == 0);
  rows.rows[1].account({});
  const ordered_json with_rows = ordered_json::parse(written("json", rows, false))["accounts"];
  REQUIRE(with_rows["rows"].size() == 2);
  CHECK(with_rows["rows"][0].is_null());
  CHECK(with_rows["rows"][1]["steps"].empty());
  CHECK(with_rows["rows"][1]["copies"]["copies_per_message"].is_null());
}

TEST_CASE("accounts survive the way through JSON") {
  report::Rows sent = test::ping_pong_rows();
  sent.accounts = counted(3);
  sent.rows[1].account(counted(1));
  report::Rows got = test::ping_pong_rows();
  rows_accounts_from_json(rows_accounts_to_json(sent), got);
  CHECK(rows_accounts_to_json(got) == rows_accounts_to_json(sent));
  CHECK(got.rows[0].accounts() == nullptr);
  report::Rows none;
  rows_accounts_from_json(rows_accounts_to_json(none), none);
  CHECK_FALSE(none.accounts);
  CHECK_THROWS_AS(rows_accounts_from_json(ordered_json::object(), none), nlohmann::json::exception);
}

TEST_CASE("the table tells the longest steps first and csv is a table of its own") {
  report::Rows rows = test::ping_pong_rows();
  rows.accounts = counted(1);
  rows.rows[1].account(counted(2));
  CHECK(written("table", rows, true) == written("table", rows, false) +
                                            "\naccounts\n"
                                            "step  calls        mean       total\n"
                                            "poll      1  100.000 ns  100.000 ns\n"
                                            "copy      2   15.000 ns   30.000 ns\n"
                                            "\n"
                                            "messages         number  bytes\n"
                                            "sent                  4  100 B\n"
                                            "copied by cores       6   60 B\n"
                                            "copied by DMA         2   90 B\n");
  CHECK(written("csv", rows, true) ==
        "account,name,calls,mean_fs,total_fs,bytes,row\n"
        "step,poll,1,100000000,100000000,,\n"
        "step,copy,2,15000000,30000000,,\n"
        "messages,sent,4,,,100,\n"
        "copies,by cores,6,,,60,\n"
        "copies,by DMA,2,,,90,\n"
        "step,poll,2,100000000,200000000,,1\n"
        "step,copy,4,15000000,60000000,,1\n"
        "messages,sent,8,,,200,1\n"
        "copies,by cores,12,,,120,1\n"
        "copies,by DMA,4,,,180,1\n");
}

}  // namespace report_accounts_test
