// SPDX-License-Identifier: Apache-2.0
// What of a table is drawn: units of columns, the choice of axes, curves.
#include <cmath>
#include <utility>

#include "plot/scales.hpp"
#include "plot/script.hpp"
#include "support/catch.hpp"
#include "unit/pictures/plot_fixture.hpp"

namespace plot_test {

TEST_CASE("plot: a run's rows become columns in base units, rates at their end") {
  const Table table = table_of(ping_pong());
  REQUIRE(table.size() == 5);
  CHECK(table[0].texts == std::vector<std::string>{"pio", "pio", "dma", "dma"});
  CHECK(table[1].unit == Unit::bytes);
  CHECK(table[3].numbers[1] == Approx(4096e-9));
  CHECK(table[4].name == "bandwidth");
  CHECK(table[4].numbers[0] == Approx(1e9));
  CHECK(table[1].text(1) == "4 KiB");
  CHECK(table[3].text(0) == "64 ns");
}

TEST_CASE("plot: latency and bandwidth against size are chosen, methods apart") {
  const Choice choice = choose(table_of(ping_pong()), {});
  CHECK(choice.x == "size");
  CHECK(choice.ys == std::vector<std::string>{"latency", "bandwidth"});
  CHECK(choice.series == std::vector<std::string>{"method"});
}

TEST_CASE("plot: without sizes that vary, the first numbers that do are x, and rows of one x are one curve") {
  const Table table{column_of("load", {"10", "20", "30"}), column_of("saturated", {"no", "no", "yes"}),
                    column_of("mean", {"1 us", "2 us", "9 us"})};
  const Choice choice = choose(table, {});
  CHECK(choice.x == "load");
  CHECK(choice.ys == std::vector<std::string>{"mean"});
  CHECK(choice.series.empty());
}

TEST_CASE("plot: an x of texts makes bars, each called by its text and what else tells rows apart") {
  const Table table{column_of("network", {"ring", "ring", "torus", "torus"}),
                    column_of("size", {"8 B", "64 B", "8 B", "64 B"}),
                    column_of("latency", {"1 us", "2 us", "3 us", "4 us"})};
  const Choice choice = choose(table, {"network", {}, {}, 2});
  CHECK(choice.x.empty());
  CHECK(choice.ys == std::vector<std::string>{"latency"});
  CHECK(choice.series == std::vector<std::string>{"network", "size"});
  const Plot plot = plot_of("", table, choice);
  CHECK(plot.categories == std::vector<std::string>{"ring, 8 B", "ring, 64 B", "torus, 8 B", "torus, 64 B"});
  REQUIRE(plot.panels.size() == 1);
  CHECK(plot.panels[0].series[0].points.size() == 4);
  CHECK_THROWS_WITH(choose(table, {"network", {"network"}, {}, 2}), Catch::Contains("holds text"));
}

TEST_CASE("plot: names of curves that are wider than the picture are cut and stay different") {
  const std::string long_name(300, 'x');
  const Table table{
      column_of("name", {long_name + "1", long_name + "1", long_name + "2", long_name + "2", "short", "short"}),
      column_of("size", {"8 B", "64 B", "8 B", "64 B", "8 B", "64 B"}),
      column_of("latency", {"1 us", "2 us", "3 us", "4 us", "5 us", "6 us"})};
  const std::string script = svg_script(plot_of("", table, choose(table, {})), "p");
  CHECK(script.find(std::string(150, 'x')) == std::string::npos);
  CHECK_THAT(script, Catch::Contains("x…'") && Catch::Contains("x… (2)'") && Catch::Contains("'short'"));
}

TEST_CASE("plot: of a sweep's axes the one with the most values is x, percentages are numbers") {
  const Table table{column_of("pattern", {"uniform", "uniform", "uniform", "tornado"}),
                    column_of("flits", {"32", "64", "32", "32"}), column_of("load", {"10 %", "10 %", "20 %", "30.5%"}),
                    column_of("mean", {"1 us", "2 us", "9 us", "3 us"}), column_of("packets", {"1", "2", "3", "4"})};
  CHECK(table[2].unit == Unit::percent);
  CHECK(table[2].text(3) == "30.5 %");
  CHECK(choose(table, {"", {}, {}, 3}).x == "load");
  CHECK(choose(table, {"", {}, {}, 2}).x == "flits");
  CHECK(choose(table, {}).x == "flits");
  CHECK_THAT(svg_script(plot_of("", table, choose(table, {"", {}, {}, 3})), "p"),
             Catch::Contains("set xlabel 'offered load (%)'"));
}

TEST_CASE("plot: an axis of times tells curves apart, other columns that differ do not") {
  const Table table{column_of("flight", {"10 ns", "10 ns", "1 us", "1 us"}),
                    column_of("size", {"8 B", "1 KiB", "8 B", "1 KiB"}), column_of("iterations", {"3", "2", "3", "2"}),
                    column_of("latency", {"1 us", "2 us", "3 us", "4 us"})};
  CHECK(choose(table, {}).series == std::vector<std::string>{"flight"});
  const Plot plot = plot_of("", table, choose(table, {}));
  REQUIRE(plot.panels[0].series.size() == 2);
  CHECK(plot.panels[0].series[0].name == "10 ns");
  CHECK(plot.panels[0].series[1].name == "1 us");
  CHECK(plot.curves == "flight");
}

TEST_CASE("plot: values that only more digits tell apart are curves of their own") {
  const auto names = [](const std::vector<Column>& columns, const std::vector<std::string>& by) {
    Table table = columns;
    table.push_back(column_of("size", {"8 B", "8 B"}));
    table.push_back(column_of("latency", {"1 us", "2 us"}));
    std::string out;
    const Plot plot = plot_of("", table, {"size", {"latency"}, by});
    for (const Series& s : plot.panels.at(0).series) out += s.name + "|";
    return out;
  };
  CHECK(choose({column_of("bus", {"16.001 GB/s", "16.002 GB/s"})}, {}).x == "bus");
  CHECK(names({column_of("bus", {"16.001 GB/s", "16.002 GB/s"})}, {"bus"}) == "16.001 GB/s|16.002 GB/s|");
  CHECK(names({column_of("bus", {"16 GB/s", "16.5 GB/s"})}, {"bus"}) == "16.00 GB/s|16.50 GB/s|");
  CHECK(names({column_of("load", {"0.10000000001", "0.10000000002"})}, {"load"}) == "0.10000000001|0.10000000002|");
  CHECK(names({column_of("load", {"1 %", "1.00000000001 %"})}, {"load"}) == "1 %|1.00000000001 %|");
  CHECK(names({column_of("seed", {"9007199254740992", "9007199254740993"})}, {"seed"}) ==
        "9007199254740992|9007199254740993|");
  CHECK(names({column_of("size_axis", {"1 KiB", "1024 B"})}, {"size_axis"}) == "1 KiB|");
  CHECK(names({column_of("a", {"x, y", "x"}), column_of("b", {"z", "y, z"})}, {"a", "b"}) ==
        "a x, y, b z|a x, b y, z|");
}

TEST_CASE("plot: lengths of cables are numbers") {
  const Table table{column_of("length", {"50 cm", "3 m", "1 km"}), column_of("latency", {"1 us", "2 us", "3 us"})};
  CHECK(table[0].unit == Unit::length);
  CHECK(table[0].text(0) == "50 cm");
  CHECK(choose(table, {}).x == "length");
  const Plot plot = plot_of("", table, choose(table, {}));
  CHECK(axis_text(plot.x, x_scale(plot)) == "length (m)");
  CHECK_THAT(data_text(plot), Catch::Contains("\n0.5 1\n3 2\n1000 3\n"));
}

TEST_CASE("plot: millionths are shown as percentages") {
  const Table table{column_of("load_ppm", {"100000", "250000"}), column_of("mean", {"1 us", "2 us"})};
  const Plot plot = plot_of("", table, choose(table, {}));
  CHECK(axis_text(plot.x, x_scale(plot)) == "offered load (%)");
  CHECK_THAT(data_text(plot), Catch::Contains("\n10 1\n25 2\n"));
}

TEST_CASE("plot: one size under an axis is drawn against the axis") {
  const Table table{column_of("flight", {"10 ns", "1 us"}), column_of("size", {"8 B", "8 B"}),
                    column_of("latency", {"1 us", "2 us"})};
  CHECK(choose(table, {}).x == "flight");
  CHECK(choose(table, {}).ys == std::vector<std::string>{"latency"});
}

TEST_CASE("plot: texts that are quantities of one kind become numbers") {
  CHECK(column_of("a", {"1", "2.5"}).numbers == std::vector<double>{1, 2.5});
  CHECK(column_of("a", {"4 KiB", "8 B"}).unit == Unit::bytes);
  CHECK(column_of("a", {"4 KiB", "8 B"}).numbers == std::vector<double>{4096, 8});
  CHECK(column_of("a", {"120 ns"}).unit == Unit::time);
  CHECK(column_of("a", {"16 GB/s"}).numbers == std::vector<double>{16e9});
  CHECK(column_of("a", {"16 GB/s", "infinite"}).unit == Unit::text);
  CHECK(column_of("a", {"4 KiB", "120 ns"}).unit == Unit::text);
  CHECK(column_of("a", {"1", ""}).unit == Unit::text);
}

TEST_CASE("plot: columns may be wished for, the legend says once what its values are of") {
  const Table table{column_of("nodes", {"4", "4", "8", "8"}), column_of("load", {"10 %", "20 %", "10 %", "20 %"}),
                    column_of("way", {"x", "x", "y", "y"}), column_of("mean", {"1 us", "2 us", "9 us", "3 us"}),
                    column_of("p99", {"2 us", "3 us", "10 us", "4 us"})};
  const Choice choice = choose(table, {"load", {"p99", "mean"}, {}, 2});
  CHECK(choice.x == "load");
  CHECK(choice.ys == std::vector<std::string>{"p99", "mean"});
  CHECK(choice.series == std::vector<std::string>{"nodes"});
  const Plot by_nodes = plot_of("", table, choice);
  CHECK(by_nodes.curves == "nodes");
  CHECK_THAT(svg_script(by_nodes, "p"), Catch::Contains(" title 'nodes'\n") && Catch::Contains(" title '8'\n"));
  CHECK_THAT(
      data_text(by_nodes),
      Catch::Contains("\n# Curves: 'nodes'\n# index 0: 'offered load (%)' '99th percentile of latency (µs)' '4'\n"));
  CHECK(terminal_legend(by_nodes, 80) == "nodes:\nA 4   B 8\n");
  CHECK(choose(table, {"p99", {"mean"}, {}, 1}).series == std::vector<std::string>{"nodes"});
  CHECK(choose(table, {"load", {"mean"}, {"way"}, 2}).series == std::vector<std::string>{"way"});
  CHECK_THROWS_WITH(choose(table, {"load", {}, {"weigh"}, 2}), Catch::Contains("unknown column \"weigh\""));
  CHECK(plot_of("", table, {"load", {"mean"}, {"nodes", "way"}}).curves == "nodes, way");
  CHECK(plot_of("", table, {"load", {"mean"}, {"way"}}).curves.empty());
}

TEST_CASE("plot: curves are sorted by x, missing values left out, latency over decades is logarithmic") {
  Table table = table_of(ping_pong());
  std::swap(table[1].numbers[0], table[1].numbers[1]);
  table[4].numbers[2] = std::nan("");
  const Plot plot = plot_of("t", table, choose(table, {}));
  REQUIRE(plot.panels.size() == 2);
  CHECK(plot.x.logarithmic);
  CHECK(plot.panels[0].y.logarithmic);
  CHECK_FALSE(plot.panels[1].y.logarithmic);
  REQUIRE(plot.panels[0].series.size() == 2);
  CHECK(plot.panels[0].series[0].name == "pio");
  CHECK(plot.panels[0].series[0].points[0].x == 64);
  CHECK(plot.panels[1].series[1].points.size() == 1);
}

TEST_CASE("plot: what cannot be drawn is told") {
  const Table table = table_of(ping_pong());
  CHECK_THROWS_WITH(plot_of("", table, {"sise", {"latency"}, {}}),
                    Catch::Contains("unknown column \"sise\"; did you mean \"size\"?"));
  CHECK_THROWS_WITH(choose(table, {"sise", {}, {}, 0}), Catch::Contains("unknown column \"sise\""));
  CHECK_THROWS_WITH(choose(table, {"", {"latencies"}, {}, 0}), Catch::Contains("unknown column \"latencies\""));
  CHECK_THROWS_WITH(plot_of("", table, {"method", {"latency"}, {}}), Catch::Contains("holds text"));
  CHECK_THROWS_WITH(plot_of("", table, {"size", {}, {}}), Catch::Contains("nothing to draw"));
  CHECK_THROWS_WITH(plot_of("", {}, choose({}, {})), Catch::Contains("nothing to draw"));
}

TEST_CASE("plot: equal points of one x are joined, a logarithmic axis has the unit of its middle") {
  const Table table{column_of("hops", {"1", "1", "2"}), column_of("latency", {"1 us", "1 us", "2 us"})};
  CHECK_FALSE(plot_of("", table, {"hops", {"latency"}, {}}).panels[0].series[0].scattered);
  Plot plot{"", {"size", Unit::bytes, true}, {}, ""};
  plot.panels.push_back({{"time", Unit::time, true}, {{"", {{8, 1e-7}, {16, 2e-2}}}}, {}});
  CHECK(axis_text(plot.panels[0].y, y_scale(plot.panels[0])) == "time (µs)");
}

}  // namespace plot_test
