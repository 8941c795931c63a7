// SPDX-License-Identifier: Apache-2.0
#include "figures/expression.hpp"
#include "support/catch.hpp"

namespace figures_expression_test {

using namespace tsunagi;
using figures::check_expression;
using figures::evaluate;
using figures::ExpressionError;
using figures::NoValue;

namespace {

figures::Tables tables() {
  figures::Tables out;
  report::Rows& pio = out["pio"];
  pio.rates.push_back({"bandwidth", "size", "latency"});
  pio.rows.emplace_back().bytes("size", 8_B).time("latency", 900_ns).text("place", "cpu");
  pio.rows.emplace_back().bytes("size", 4_KiB).time("latency", 2048_ns).text("place", "gpu");
  report::Rows& dma = out["dma"];
  dma.rows.emplace_back().bytes("size", 8_B).time("latency", 1800_ns).count("hops", 2);
  dma.rows.emplace_back().bytes("size", 4_KiB).time("latency", 3072_ns).count("hops", 4);
  out["single"].rows.emplace_back().time("latency", 3_us).count("copies", 2);
  out["empty"];
  pio.accounts = report::Accounts{{{"poll", 4, 100_ns}, {"store", 8, 40_ns}}, 10, 1000_B, {20, 3000_B}, {10, 500_B}};
  pio.rows.front().account({{{"poll", 1, 30_ns}}, 2, 16_B, {2, 16_B}, {}});
  pio.rows.back().account({{{"poll", 2, 40_ns}, {"store", 8, 40_ns}}, 8, 984_B, {16, 984_B}, {8, 984_B}});
  out["single"].accounts = report::Accounts{};
  report::Rows& load = out["load"];
  load.accounts = report::Accounts{};
  for (const std::int64_t n : {1, 2}) {
    report::Accounts& a = load.rows.emplace_back().count("load", n).beside();
    a.wires = report::wire_account(100_ns, {10_ns * n, 40_ns * n}, [](std::size_t) { return std::pair("a", "b"); });
    a.latency = report::latency_account({30_ns * n, 50_ns * n});
    a.accepted = report::service_account({{0, 300_B, 1}, {1, 100_B * n, 1}});
  }
  out["one_load"].accounts = report::Accounts{};
  out["one_load"].rows.push_back(load.rows.back());
  out["quiet"].accounts = report::Accounts{};
  out["quiet"].rows.emplace_back().beside().wires = load.rows.back().accounts()->wires;
  return out;
}

double value(const std::string& expression) { return evaluate(expression, tables()); }

}  // namespace

TEST_CASE("aggregates run over a column in base units") {
  CHECK(value("min(pio.latency)/us") == Approx(0.9));
  CHECK(value("max(pio.latency)/ns") == Approx(2048));
  CHECK(value("first(dma.hops)") == 2);
  CHECK(value("last(dma.hops)") == 4);
  CHECK(value("max(pio.size)/KiB") == 4);
  CHECK(value("max(pio.bandwidth)/GB_s") == Approx(2.0));
}

TEST_CASE("at() finds a row by a number or a text") {
  CHECK(value("at(pio.latency, pio.size, 4*KiB)/us") == Approx(2.048));
  CHECK(value("at( pio.latency , pio.place , 'cpu' )/us") == Approx(0.9));
  CHECK_THROWS_AS(value("at(pio.latency, pio.size, 16)"), NoValue);
  CHECK_THROWS_AS(value("at(pio.latency, pio.place, 'fpga')"), NoValue);
}

TEST_CASE("first_above() gives the smallest key over a threshold") {
  CHECK(value("first_above(dma.size, dma.latency, 2*us)") == 4096);
  CHECK(value("first_above(dma.size, dma.latency, 0)") == 8);
  CHECK_THROWS_AS(value("first_above(dma.size, dma.latency, 1*s)"), NoValue);
}

TEST_CASE("columns combine row by row inside an aggregate") {
  CHECK(value("max(dma.latency/pio.latency)") == Approx(2.0));
  CHECK(value("min(dma.latency - pio.latency)/ns") == Approx(900));
  CHECK(value("max(pio.latency/min(pio.latency))") == Approx(2048.0 / 900));
  CHECK_THROWS_AS(value("max(dma.latency/single.latency)"), ExpressionError);
}

TEST_CASE("scalars, constants and functions are muParser's") {
  CHECK(value("100*min(dma.latency)/min(pio.latency)") == Approx(200));
  CHECK(value("min(3, max(dma.hops), 7)") == 3);
  CHECK(value("1.5e1 + 2E-1 - .2") == Approx(15));
  CHECK(value("single.latency/us + single.copies") == Approx(5));
  CHECK(value("sqrt(max(dma.hops))") == 2);
  CHECK(value("GiB/MiB + KB/B + GB/MB") == Approx(3024));
}

TEST_CASE("a wrong expression says what is wrong") {
  CHECK_THROWS_WITH(value("min(pio.latancy)"), Catch::Contains("did you mean \"latency\""));
  CHECK_THROWS_WITH(value("min(pip.latency)"), Catch::Contains("did you mean \"pio\""));
  CHECK_THROWS_WITH(value("pio.latency"), Catch::Contains("2 rows"));
  CHECK_THROWS_WITH(value("max(pio.place)"), Catch::Contains("is a text"));
  CHECK_THROWS_WITH(value("at(pio.latency, pio.size)"), Catch::Contains("three arguments"));
  CHECK_THROWS_WITH(value("at(pio.latency, pio.size, '8')"), Catch::Contains("is no text"));
  CHECK_THROWS_WITH(value("max(3)"), Catch::Contains("no column"));
  for (const char* wrong :
       {"min(pio.latency", "1 +", "2 $ 3", "nonsense", "", "'text'", "first()", "max(pio.latency))"})
    CHECK_THROWS_AS(value(wrong), ExpressionError);
}

TEST_CASE("what a run counted beside its rows is a function of the run") {
  CHECK(value("step_mean(pio, 'poll')/ns") == Approx(25));
  CHECK(value("step_total( pio , 'poll' )/ns") == Approx(100));
  CHECK(value("step_calls(pio, 'store')") == 8);
  CHECK(value("copies(pio)") == 3);
  CHECK(value("copies(pio, 'core') - copies(pio, 'dma')") == 1);
  CHECK(value("copied_bytes(pio)") == 350);
  CHECK(value("copied_bytes(pio, 'dma')/B") == 50);
  CHECK(value("max(2, copies(pio))") == 3);
}

TEST_CASE("inside an aggregate it is each row's own") {
  CHECK(value("at(step_mean(pio, 'poll'), pio.size, 8)/ns") == Approx(30));
  CHECK(value("at(step_mean(pio, 'poll'), pio.place, 'gpu')/ns") == Approx(20));
  CHECK(value("max(copies(pio))") == 3);
  CHECK(value("min(copies(pio))") == 1);
  CHECK(value("first(step_calls(pio, 'store'))") == 0);
  CHECK(value("last(pio.latency/step_total(pio, 'store'))") == Approx(51.2));
  CHECK_THROWS_AS(value("first(step_mean(pio, 'store'))"), NoValue);
  CHECK_THROWS_AS(value("max(copies(single))"), NoValue);
  CHECK_THROWS_WITH(value("max(pio.latency*copies(single))"), Catch::Contains("has 1 rows"));
}

TEST_CASE("what a row's window shows is the row's or that of a run of one row") {
  CHECK(value("at(wire_use(load, 'mean'), load.load, 2)") == Approx(0.5));
  CHECK(value("max(wire_use(load, 'max'))") == Approx(0.8));
  CHECK(value("first(quantile(load, 'p50'))/ns") == Approx(30));
  CHECK(value("quantile(one_load, 'p99.9')/ns") == Approx(100));
  CHECK(value("wire_use(one_load, 'mean')") == Approx(0.5));
  CHECK(value("first(fairness(load))") == Approx(0.8));
  CHECK_THROWS_WITH(value("fairness(load)"), Catch::Contains("is of a row, and run \"load\" has 2"));
  CHECK_THROWS_WITH(value("quantile(load, 'p9')"), Catch::Contains("did you mean \"p99\"") || Catch::Contains("p90"));
  CHECK_THROWS_WITH(value("wire_use(load)"), Catch::Contains("takes a run and 'mean' or 'max'"));
  CHECK_THROWS_WITH(value("fairness(load, 'jain')"), Catch::Contains("takes a run"));
  for (const char* of : {"wire_use(pio, 'max')", "quantile(pio, 'max')", "fairness(pio)"})
    CHECK_THROWS_AS(value("max(" + std::string(of) + ")"), NoValue);
  CHECK_THROWS_WITH(value("max(quantile(pio, 'max'))"), Catch::Contains("has no window of its own"));
  CHECK_THROWS_WITH(value("quantile(quiet, 'max')"), Catch::Contains("no message was posted in the row's window"));
  CHECK_NOTHROW(check_expression("max(quantile(a, 'min')/ns) + fairness(a)", {"a"}));
}

TEST_CASE("a wrong question about accounts says what is wrong") {
  CHECK_THROWS_WITH(value("step_mean(pio, 'stor')"), Catch::Contains("did you mean \"store\""));
  CHECK_THROWS_WITH(value("step_mean(pip, 'store')"), Catch::Contains("did you mean \"pio\""));
  CHECK_THROWS_WITH(value("step_mean(pio)"), Catch::Contains("takes a run and the name of a step"));
  CHECK_THROWS_WITH(value("step_mean(pio, store)"), Catch::Contains("store is to be a text in quotes"));
  CHECK_THROWS_WITH(value("copies(pio, 'cores')"), Catch::Contains("did you mean \"core\""));
  CHECK_THROWS_WITH(value("copies(pio, 'core', 'dma')"), Catch::Contains("takes a run and"));
  CHECK_THROWS_AS(value("copies()"), ExpressionError);
  CHECK_THROWS_AS(value("copies(dma)"), NoValue);     // nobody counted
  CHECK_THROWS_AS(value("copies(single)"), NoValue);  // no messages
  CHECK_NOTHROW(check_expression("step_mean(a, 'x')/ns + at(copies(b, 'dma'), b.x, 3)", {"a", "b"}));
  CHECK_THROWS_AS(check_expression("step_mean(c, 'x')", {"a", "b"}), ExpressionError);
  CHECK_THROWS_AS(check_expression("copied_bytes(a, 'gpu')", {"a", "b"}), ExpressionError);
}

TEST_CASE("what is no finite number is no value") {
  CHECK_THROWS_AS(value("1/0"), NoValue);
  CHECK_THROWS_AS(value("max(empty.latency)"), NoValue);
}

TEST_CASE("an expression is checked before its runs") {
  CHECK_NOTHROW(check_expression("at(a.x, a.y, 8)/us + max(b.z/a.x)", {"a", "b"}));
  CHECK_NOTHROW(check_expression("at(a.x, a.y, 'gpu')/(max(a.x) - min(a.x))", {"a"}));
  CHECK_NOTHROW(check_expression("first_above(a.x, a.y, 2*GB_s)/KiB", {"a"}));
  CHECK_THROWS_AS(check_expression("max(c.x)", {"a", "b"}), ExpressionError);
  CHECK_THROWS_AS(check_expression("max(a.x) +", {"a"}), ExpressionError);
  CHECK_THROWS_AS(check_expression("maximum(a.x)", {"a"}), ExpressionError);
}

TEST_CASE("an expression that would take all the stack is refused") {
  const auto nested = [](int times) {
    std::string text = "a.x";
    for (int i = 0; i < times; ++i) text = "min(" + text + ")";
    return text;
  };
  // Each min() but the innermost is of a single value, which is told only when all have been read.
  CHECK_THROWS_WITH(check_expression(nested(16), {"a"}), Catch::Contains("speaks of no column"));
  CHECK_THROWS_WITH(check_expression(nested(17), {"a"}), "an expression has at most 16 levels of parentheses");
  CHECK_THROWS_WITH(check_expression(nested(400), {"a"}),
                    Catch::Contains("16 levels") || Catch::Contains("characters"));
  CHECK_THROWS_WITH(check_expression("1" + std::string(2000, ' '), {"a"}), Catch::Contains("at most 2000 characters"));
  CHECK_NOTHROW(check_expression("1" + std::string(1999, ' '), {"a"}));
}

}  // namespace figures_expression_test
