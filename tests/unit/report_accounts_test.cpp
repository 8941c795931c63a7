// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "report/catalog.hpp"
#include "report/digest.hpp"
#include "report/rows_accounts.hpp"
#include "support/catch.hpp"
#include "unit/report_fixture.hpp"

namespace report_accounts_test {

using namespace tsunagi;
using nlohmann::ordered_json;

namespace {

std::string written(const std::string& format, const report::Rows& rows, bool accounts) {
  const ordered_json run = {{"name", "pair"}};
  return report::find_writer(format)->write({"1.2.3", "", run, rows, {}, nullptr, accounts});
}

report::Accounts counted(std::int64_t n) {
  return {
      {{"copy", 2 * n, 30_ns * n}, {"poll", n, 100_ns * n}}, 4 * n, 100_B * n, {6 * n, 60_B * n}, {2 * n, 90_B * n}};
}

}  // namespace

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
                                            "step  calls        mean     total\n"
                                            "poll      1  100.000 ns  0.100 us\n"
                                            "copy      2   15.000 ns  0.030 us\n"
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
