// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <stdexcept>

#include "report/digest.hpp"
#include "runner/message.hpp"
#include "support/catch.hpp"
#include "unit/report/report_fixture.hpp"

namespace runner_message_test {

using namespace tsunagi;
using runner::Outcome;

TEST_CASE("an outcome survives the way through the pipe") {
  Outcome sent;
  sent.status = runner::Status::config_error;
  sent.messages = {"one", "two\nlines"};
  sent.config_errors = {{{std::make_shared<const std::string>("a.json"), 3, 7}, "/x", "is wrong"}, {{}, "/y", "too"}};
  sent.rows = test::ping_pong_rows();
  sent.rows.ceilings = {{"dma", "credits", Rate::bytes_in(3, 7), 5_B, true}};
  sent.rows.to_and_fro = true;
  sent.rows.rows.front().headline({"latency", "because"});
  sent.rows.accounts = report::Accounts{{{"poll", 3, 7_ns}}, 2, 64_B, {1, 32_B}, {4, 96_B}};
  sent.rows.rows.back().account({{{"poll", 1, 2_ns}}, 1, 8_B, {}, {}});
  sent.counters.rows.emplace_back().text("from", "a.out").count("packets", 3).time("credit_wait", 5_ns);
  sent.cost.wakeups = ~std::uint64_t{0};
  sent.cost.packet_hops = 5;
  sent.cost.simulated = Time::max();
  const Outcome got = runner::unpack(runner::pack(sent));
  CHECK(got.status == sent.status);
  CHECK(got.messages == sent.messages);
  REQUIRE(got.config_errors.size() == 2);
  CHECK(got.config_errors[0].line() == "a.json:3:7: /x: is wrong");
  CHECK_FALSE(got.config_errors[1].place.file);
  CHECK(report::digest(got.rows) == report::digest(sent.rows));
  CHECK(got.rows.rates.at(0).name == "bandwidth");
  REQUIRE(got.rows.ceilings.size() == 1);
  CHECK(got.rows.ceilings[0].rate == Rate::bytes_in(3, 7));
  CHECK(got.rows.ceilings[0].burst == 5_B);
  CHECK(got.rows.ceilings[0].back);
  CHECK(got.rows.to_and_fro);
  CHECK(got.rows.rows.front().headline().column == "latency");
  CHECK(got.rows.rows.front().headline().why == "because");
  REQUIRE(got.rows.accounts);
  CHECK(got.rows.accounts->find("poll")->total == 7_ns);
  CHECK(got.rows.accounts->messages == 2);
  CHECK(got.rows.accounts->by_core.bytes == 32_B);
  CHECK(got.rows.accounts->by_dma.copies == 4);
  CHECK(got.rows.rows.front().accounts() == nullptr);
  REQUIRE(got.rows.rows.back().accounts() != nullptr);
  CHECK(got.rows.rows.back().accounts()->payload == 8_B);
  CHECK(report::digest(got.counters) == report::digest(sent.counters));
  CHECK(got.cost.wakeups == sent.cost.wakeups);
  CHECK(got.cost.packet_hops == 5);
  CHECK(got.cost.simulated == Time::max());
}

TEST_CASE("an outcome without accounts has none behind the pipe either") {
  Outcome sent;
  sent.rows = test::ping_pong_rows();
  const Outcome got = runner::unpack(runner::pack(sent));
  CHECK_FALSE(got.rows.accounts);
  CHECK(got.rows.rows.front().accounts() == nullptr);
}

TEST_CASE("a message that is cut short or damaged is refused") {
  const std::string whole = runner::pack(Outcome{});
  CHECK_THROWS_AS(runner::unpack(""), std::runtime_error);
  CHECK_THROWS_AS(runner::unpack(whole.substr(0, whole.size() - 1)), std::runtime_error);
  CHECK_THROWS_AS(runner::unpack("{}\n"), std::runtime_error);
  CHECK_THROWS_AS(runner::unpack("{\"status\": \"ok\"}\n"), std::runtime_error);
}

}  // namespace runner_message_test
