// SPDX-License-Identifier: Apache-2.0
#include "plot/plot.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "plot/page.hpp"
#include "plot/script.hpp"
#include "support/catch.hpp"
#include "support/gnuplot.hpp"
#include "support/temporary_folder.hpp"

namespace plot_test {

using namespace tsunagi;
using namespace tsunagi::plot;

namespace {

/// Two methods over two sizes, as a ping-pong records them.
report::Rows ping_pong() {
  report::Recorder r;
  r.rate("bandwidth", "size", "latency");
  for (const char* method : {"pio", "dma"})
    for (const std::int64_t size : {64, 4096})
      r.row()
          .text("method", method)
          .bytes("size", Bytes(size))
          .count("iterations", 3)
          .time("latency", Time::from_fs((*method == 'p' ? 1'000'000 : 2'000'000) * size));
  return r.rows();
}

Plot tiny() {
  Plot plot{"a 'tiny' one", {"size", Unit::bytes, true}, {}, ""};
  plot.panels.push_back({{"latency", Unit::time, true}, {{"pio", {{8, 1e-6}, {16, 2.5e-6}}}}, {}});
  plot.panels.push_back({{"bandwidth", Unit::rate, false}, {{"pio", {{8, 8e6}, {16, 6.4e6}}}}, {}});
  add(plot, {"size", "8 B", "latency", "0.9 us", "", Bound::none, "paper \"1\""});
  return plot;
}

/// `count` curves in each of two panels, the second one without `missing`.
Plot crowded(int count, int missing = -1) {
  Plot plot{"", {"size", Unit::bytes, true}, {}, ""};
  plot.panels.push_back({{"latency", Unit::time, false}, {}, {}});
  plot.panels.push_back({{"bandwidth", Unit::rate, false}, {}, {}});
  for (int i = 0; i < count; ++i) {
    const Series curve{"nodes " + std::to_string(i), {{8, 1e-6 * (i + 1)}, {16, 2e-6}}};
    plot.panels[0].series.push_back(curve);
    if (i != missing) plot.panels[1].series.push_back(curve);
  }
  return plot;
}

/// What follows `before` in a line, of each line that has it.
std::vector<std::string> rests(const std::string& text, const std::string& before) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (const auto at = line.find(before); at != std::string::npos) out.push_back(line.substr(at + before.size()));
  return out;
}

double number_behind(const std::string& text, const std::string& before) {
  return std::stod(rests(text, before).at(0));
}

}  // namespace

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

TEST_CASE("plot: a long title is smaller, not cut") {
  Plot plot = tiny();
  plot.title = std::string(130, 'm');
  CHECK_THAT(svg_script(plot, "p"), Catch::Contains("m' font ',16' noenhanced"));
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
  CHECK_THROWS_WITH(choose(table, {"method", {}, {}, 0}), Catch::Contains("holds text"));
  CHECK_THROWS_WITH(plot_of("", table, {"method", {"latency"}, {}}), Catch::Contains("holds text"));
  CHECK_THROWS_WITH(plot_of("", table, {"size", {}, {}}), Catch::Contains("nothing to draw"));
  CHECK_THROWS_WITH(plot_of("", {}, choose({}, {})), Catch::Contains("nothing to draw"));
}

TEST_CASE("plot: the data file has a block a curve, in the units of the axes") {
  CHECK(data_text(tiny()) ==
        "# Blocks are told apart by two empty lines: index 0, 1, ... of gnuplot.\n"
        "# index 0: 'message size (bytes)' 'latency (µs)' 'pio'\n8 1\n16 2.5\n"
        "\n\n# index 1: 'message size (bytes)' 'latency (µs)' 'published'\n8 0.9 0.9 3 \"paper  1 \"\n"
        "\n\n# index 2: 'message size (bytes)' 'bandwidth (MB/s)' 'pio'\n8 8\n16 6.4\n");
}

TEST_CASE("plot: the script draws each panel from its blocks") {
  const std::string script = svg_script(tiny(), "it's");
  CHECK_THAT(script,
             Catch::StartsWith("# Written by tsunagi. Restyle it, then draw again, in this folder: gnuplot it's.gp\n"));
  for (const char* line :
       {"set output 'it''s.svg'\n", "set xlabel 'message size (bytes)'\n", "set logscale x 2\n",
        "set xtics ('8 B' 8, '16 B' 16)\n", "set multiplot title 'a ''tiny'' one' font ',22' noenhanced\n",
        "set ylabel 'latency (µs)'\nset logscale y\n",
        "plot 'it''s.dat' index 0 using 1:2 with linespoints ls 1 notitle, \\\n"
        "     'it''s.dat' index 1 using 1:2:4 with points pt variable lc rgb '#000000' ps 1.6 lw 2 notitle\n",
        "set label 'paper \"1\"' at screen ", "set ylabel 'bandwidth (MB/s)'\nunset logscale y\n",
        "plot 'it''s.dat' index 2 using 1:2 with linespoints ls 1 notitle\n",
        "keyentry with linespoints ls 1 title 'pio', \\\n"
        "     keyentry with points pt 3 lc rgb '#000000' ps 1.6 lw 2 title 'published'\nunset multiplot\n"})
    CHECK_THAT(script, Catch::Contains(line));
}

TEST_CASE("plot: a published value stands in the panel of its column, where the curves are") {
  Plot plot = tiny();
  add(plot, {"size", "16 B", "bandwidth", "7 MB/s", "8 MB/s", Bound::none, "a range"});
  add(plot, {"size", "12 B", "latency", "5 us", "", Bound::at_most, "≤ 5 us"});
  add(plot, {"size", "12 B", "latency", "1 us", "", Bound::at_least, "≥ 1 us"});
  REQUIRE(plot.panels[0].published.size() == 3);
  REQUIRE(plot.panels[1].published.size() == 1);
  CHECK(plot.panels[1].published[0].y == Approx(7e6));
  CHECK(plot.panels[1].published[0].upper == Approx(8e6));
  CHECK_THAT(data_text(plot), Catch::Contains("12 5 5 10 \"≤ 5 us\"\n12 1 1 8 \"≥ 1 us\"\n") &&
                                  Catch::Contains("16 7 8 0 \"a range\"\n"));
  CHECK_THAT(svg_script(plot, "p"), Catch::Contains("index 3 using ($3>$2?$1:NaN):2:2:3 with yerrorbars"));
}

TEST_CASE("plot: published values of other columns, units or places are left out") {
  for (const Reference& elsewhere : {Reference{"nodes", "8 B", "latency", "1 us", "", Bound::none, ""},
                                     Reference{"size", "8 B", "time", "1 us", "", Bound::none, ""},
                                     Reference{"size", "8 B", "latency", "95 %", "", Bound::none, ""},
                                     Reference{"size", "8 B", "latency", "1 GB/s", "", Bound::none, ""},
                                     Reference{"size", "8", "latency", "1 us", "", Bound::none, ""},
                                     Reference{"size", "small", "latency", "1 us", "", Bound::none, ""},
                                     Reference{"size", "4 B", "latency", "1 us", "", Bound::none, ""},
                                     Reference{"size", "32 B", "latency", "1 us", "", Bound::none, ""}}) {
    Plot plot = tiny();
    add(plot, elsewhere);
    CAPTURE(elsewhere.x, elsewhere.at, elsewhere.y, elsewhere.value);
    CHECK(plot.panels[0].published.size() == 1);
    CHECK(plot.panels[1].published.empty());
  }
}

TEST_CASE("plot: texts of published values and ceilings lie in the panel, on no point and on no other text") {
  Plot plot = tiny();
  plot.panels[0].published.clear();
  for (const char* value : {"1 us", "1.02 us", "1.04 us", "2.4 us"})
    add(plot,
        {"size", *value == '1' ? "8 B" : "16 B", "latency", value, "", Bound::none, std::string(value) + " (an-id)"});
  plot.panels[1].ceilings = {{"9 MB/s, link payload", 9e6}, {"9.1 MB/s, datapath", 9.1e6}};
  const Page page(plot);
  for (std::size_t number : {0u, 1u}) {
    const Box panel = page.panel(number);
    const std::vector<PlacedText> texts = place_texts(plot, plot.panels[number], panel);
    CHECK(texts.size() == (number == 0 ? 4 : 2));
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const Box& a = texts[i].at;
      CHECK((a.left > panel.left && a.right() < panel.right() && a.top > panel.top && a.bottom() < panel.bottom()));
      if (number == 0) CHECK(texts[i].lines.size() == 2);  // the value above its id
      if (number == 0)
        for (const PlacedText& other : texts)
          CHECK_FALSE((other.x > a.left && other.x < a.right() && other.y > a.top && other.y < a.bottom()));
      for (std::size_t k = 0; k < i; ++k) {
        const Box& b = texts[k].at;
        CHECK_FALSE((a.left < b.right() && b.left < a.right() && a.top < b.bottom() && b.top < a.bottom()));
      }
    }
  }
}

TEST_CASE("plot: of the ceilings of a method the lowest is drawn, unless it is far above the curves") {
  report::Recorder r;
  r.rate("bandwidth", "size", "latency");
  for (const std::int64_t size : {64, 4096})
    r.row().text("method", "pio").bytes("size", Bytes(size)).time("latency", Time::from_fs(1'000'000 * size));
  for (const std::int64_t rate : {1'200'000'000, 1'500'000'000})
    r.ceiling({"pio", "payload " + std::to_string(rate) + ", node0", Rate::bytes_per_second(rate)});
  r.ceiling({"dma", "elsewhere", Rate::bytes_per_second(9'000'000'000)});
  const Table table = table_of(r.rows());
  Plot plot = plot_of("", table, choose(table, {}));
  add_ceilings(plot, r.rows());
  CHECK(plot.panels.at(0).ceilings.empty());
  REQUIRE(plot.panels.at(1).ceilings.size() == 1);
  CHECK(plot.panels[1].ceilings[0].y == Approx(1.2e9));
  CHECK(plot.panels[1].ceilings[0].name == "1.20 GB/s, payload 1200000000 (pio)");
  CHECK_THAT(svg_script(plot, "p"), Catch::Contains("set arrow from graph 0, first 1.2 to graph 1, first 1.2 nohead"));
}

TEST_CASE("plot: without a number that varies there is a bar for each category") {
  const Table table{column_of("method", {"pio", "dma"}), column_of("size", {"8 B", "8 B"}),
                    column_of("latency", {"1 us", "2 us"}), column_of("bandwidth", {"8 MB/s", "4 MB/s"})};
  const Choice choice = choose(table, {});
  CHECK(choice.x.empty());
  CHECK(choice.ys == std::vector<std::string>{"latency", "bandwidth"});
  const Plot plot = plot_of("", table, choice);
  CHECK(plot.categories == std::vector<std::string>{"pio", "dma"});
  const std::string script = svg_script(plot, "p");
  CHECK_THAT(script, Catch::Contains("set xtics ('pio' 0, 'dma' 1)\n") && Catch::Contains(" with boxes ls 1 notitle") &&
                         Catch::Contains("set yrange [0:"));
  CHECK_FALSE(slanted(plot));
}

TEST_CASE("plot: points of one x that nothing tells apart are not joined") {
  const Table table{column_of("size", {"8 B", "8 B", "64 B", "64 B"}),
                    column_of("latency", {"1 us", "2 us", "2 us", "4 us"})};
  const Plot plot = plot_of("", table, {"size", {"latency"}, {}});
  REQUIRE(plot.panels[0].series.size() == 1);
  CHECK(plot.panels[0].series[0].scattered);
  CHECK_THAT(svg_script(plot, "p"),
             Catch::Contains("with points ls 1 notitle") && !Catch::Contains("index 0 using 1:2 with linespoints"));
}

TEST_CASE("plot: equal points of one x are joined, a logarithmic axis has the unit of its middle") {
  const Table table{column_of("hops", {"1", "1", "2"}), column_of("latency", {"1 us", "1 us", "2 us"})};
  CHECK_FALSE(plot_of("", table, {"hops", {"latency"}, {}}).panels[0].series[0].scattered);
  Plot plot{"", {"size", Unit::bytes, true}, {}, ""};
  plot.panels.push_back({{"time", Unit::time, true}, {{"", {{8, 1e-7}, {16, 2e-2}}}}, {}});
  CHECK(axis_text(plot.panels[0].y, y_scale(plot.panels[0])) == "time (µs)");
}

TEST_CASE("plot: axes follow the data, a linear one from 0 only where that leaves no half empty") {
  const auto shown = [](double low, double high, bool logarithmic) {
    Plot plot{"", {"size", Unit::bytes, true}, {}, ""};
    plot.panels.push_back({{"latency", Unit::time, logarithmic}, {{"", {{8, low}, {16, high}}}}, {}});
    return y_shown(plot, plot.panels[0]);
  };
  CHECK(shown(1, 10, false).low == 0);
  CHECK(shown(8, 10, false).low > 7);
  CHECK(shown(10, 10, false).low > 9);
  for (const bool logarithmic : {false, true}) {
    CHECK(shown(2, 30, logarithmic).low < 2);
    CHECK(shown(2, 30, logarithmic).high > 30);
    CHECK(shown(2, 30, logarithmic).high < 40);
  }
  CHECK(shown(2, 30, true).low > 1);
  CHECK(decades({2, 30}) == std::vector<double>{2, 5, 10, 20});
  CHECK(decades({0.5, 2000}) == std::vector<double>{1, 10, 100, 1000});
}

TEST_CASE("plot: a curve below another one is wider, so that both are seen") {
  Plot plot = crowded(2);
  CHECK(rests(svg_script(plot, "p"), "set style line 1 ").at(0).find(" lw 2.5 ") != std::string::npos);
  plot.panels[0].series[1].points = plot.panels[0].series[0].points;
  const std::string script = svg_script(plot, "p");
  CHECK_THAT(rests(script, "set style line 1 ").at(0), Catch::Contains(" lw 4.5 "));
  CHECK_THAT(rests(script, "set style line 2 ").at(0), Catch::Contains(" lw 2.5 "));
}

TEST_CASE("plot: 32 curves look different, and each the same in both panels") {
  const std::string script = svg_script(crowded(33, 1), "p");
  std::vector<std::string> looks;
  for (const std::string& style : rests(script, "set style line ")) looks.push_back(style.substr(style.find(" lc ")));
  REQUIRE(looks.size() == 32);
  CHECK(std::set<std::string>(looks.begin(), looks.end()).size() == 32);
  CHECK_THAT(script, Catch::Contains("index 2 using 1:2 with linespoints ls 3 notitle") &&
                         Catch::Contains("index 34 using 1:2 with linespoints ls 3 notitle") &&
                         Catch::Contains("keyentry with linespoints ls 3 title 'nodes 2'"));
}

TEST_CASE("plot: the legend lies below, and the picture grows with it: the panels keep their height") {
  const auto panel_height = [](const std::string& script) {
    const double part =
        number_behind(script, "set tmargin at screen ") - number_behind(script, "set bmargin at screen ");
    return part * number_behind(script, "set terminal svg size 1280,");
  };
  const std::string few = svg_script(crowded(1), "p");
  const std::string many = svg_script(crowded(32), "p");
  CHECK(panel_height(many) == Approx(panel_height(few)).epsilon(0.01));
  CHECK(number_behind(many, "size 1280,") > number_behind(few, "size 1280,"));
  CHECK_THAT(many, Catch::Contains("maxcols 7\n") && Catch::Contains("set rmargin at screen 0.97"));
}

TEST_CASE("plot: the script for a terminal holds its data and names no file") {
  const std::string script = terminal_script(tiny(), 1, 70, 20, false);
  CHECK_THAT(script, Catch::Contains("set terminal dumb size 70,20 noenhanced mono\n") &&
                         Catch::Contains("$data0 << end_of_data\n8 8\n16 6.4\nend_of_data\n") &&
                         Catch::Contains("plot $data0 using 1:2 with linespoints pt 1\n"));
  CHECK_THAT(terminal_script(tiny(), 0, 70, 20, false),
             Catch::Contains("$data1 every ::0::0 using 1:2 with points pt 2\n"));
  CHECK_THAT(terminal_script(tiny(), 0, 70, 20, true), Catch::Contains("noenhanced ansi\n"));
}

TEST_CASE("plot: the legend of a terminal names the letters of the curves and of published values") {
  CHECK(terminal_legend(tiny(), 80) == "A pio   B published latency: paper \"1\"\n");
  CHECK(terminal_legend(tiny(), 20) == "A pio\nB published latency: paper \"1\"\n");
  Plot nameless = tiny();
  for (Panel& panel : nameless.panels) panel.series[0].name.clear();
  CHECK_THAT(terminal_legend(nameless, 80), Catch::StartsWith("A simulated   B "));
  nameless.panels[0].published.clear();
  CHECK(terminal_legend(nameless, 80).empty());
}

TEST_CASE("plot: names cannot break out of the script") {
  Plot plot = tiny();
  plot.title = "x'\n! touch evil\n'";
  plot.panels[1].series[0].name = "'; system('true') #";
  const std::string script = svg_script(plot, "p");
  CHECK_THAT(script,
             Catch::Contains("title 'x'' ! touch evil '''") && Catch::Contains("title '''; system(''true'') #'"));
  CHECK(script.find("\n! ") == std::string::npos);
}

TEST_CASE("plot: gnuplot draws the SVG and keeps script and data beside it") {
  test::require_gnuplot();
  const test::TemporaryFolder folder;
  const std::string stem = (folder.path() / "it's a plot").string();
  write(tiny(), stem);
  std::ifstream in(stem + ".svg");
  const std::string svg{std::istreambuf_iterator<char>(in), {}};
  CHECK_THAT(svg, Catch::Contains("latency (µs)") && Catch::Contains("16 B") && Catch::Contains("published") &&
                      Catch::Contains("</svg>"));
  CHECK(std::filesystem::exists(stem + ".gp"));
  CHECK(std::filesystem::exists(stem + ".dat"));
  CHECK_THROWS_WITH(write(tiny(), (folder.path() / "none" / "x").string()), Catch::Contains("cannot write"));
}

TEST_CASE("plot: the kept script draws the kept picture again") {
  test::require_gnuplot();
  const test::TemporaryFolder folder;
  Plot plot = crowded(9, 2);
  add(plot, {"size", "16 B", "bandwidth", "1 B/s", "2 B/s", Bound::none, "≥"});
  write(plot, (folder.path() / "p").string());
  const auto content = [&] {
    std::ifstream in(folder.path() / "p.svg");
    return std::string{std::istreambuf_iterator<char>(in), {}};
  };
  const std::string first = content();
  std::filesystem::remove(folder.path() / "p.svg");
  REQUIRE(std::system(("cd " + folder.path().string() + " && gnuplot p.gp").c_str()) == 0);
  CHECK(content() == first);
}

TEST_CASE("plot: the terminal gets text of its width") {
  test::require_gnuplot();
  const std::string text = in_terminal(tiny(), 60, 15, false);
  CHECK_THAT(text, Catch::Contains("latency (µs)") && Catch::Contains("bandwidth (MB/s)"));
  CHECK(text.find('\x1b') == std::string::npos);
  std::size_t start = 0;
  for (auto end = text.find('\n'); end != std::string::npos; start = end + 1, end = text.find('\n', start))
    CHECK(end - start <= 60);
}

}  // namespace plot_test
