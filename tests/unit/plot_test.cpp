// SPDX-License-Identifier: Apache-2.0
#include "plot/plot.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "plot/script.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

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
  Plot plot{"a 'tiny' one", {"size", Unit::bytes, true}, {}};
  plot.panels.push_back(
      {{"latency", Unit::time, true}, {{"pio", {{8, 1e-6}, {16, 2.5e-6}}}}, {{8, 0.9e-6, "paper \"1\""}}});
  plot.panels.push_back({{"bandwidth", Unit::rate, false}, {{"pio", {{8, 8e6}, {16, 6.4e6}}}}, {}});
  return plot;
}

bool has_gnuplot() {
  try {
    check_gnuplot();
    return true;
  } catch (const std::runtime_error&) {
    return false;
  }
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
  const Choice choice = choose(table_of(ping_pong()));
  CHECK(choice.x == "size");
  CHECK(choice.ys == std::vector<std::string>{"latency", "bandwidth"});
  CHECK(choice.series == std::vector<std::string>{"method"});
}

TEST_CASE("plot: without sizes that vary, the first numbers that do are x, and rows of one x are one curve") {
  const Table table{column_of("load", {"10", "20", "30"}), column_of("saturated", {"no", "no", "yes"}),
                    column_of("mean", {"1 us", "2 us", "9 us"})};
  const Choice choice = choose(table);
  CHECK(choice.x == "load");
  CHECK(choice.ys == std::vector<std::string>{"mean"});
  CHECK(choice.series.empty());
}

TEST_CASE("plot: an axis of times tells curves apart, other columns that differ do not") {
  const Table table{column_of("flight", {"10 ns", "10 ns", "1 us", "1 us"}),
                    column_of("size", {"8 B", "1 KiB", "8 B", "1 KiB"}), column_of("iterations", {"3", "2", "3", "2"}),
                    column_of("latency", {"1 us", "2 us", "3 us", "4 us"})};
  CHECK(choose(table).series == std::vector<std::string>{"flight"});
  const Plot plot = plot_of("", table, choose(table));
  REQUIRE(plot.panels[0].series.size() == 2);
  CHECK(plot.panels[0].series[0].name == "flight 10 ns");
  CHECK(plot.panels[0].series[1].name == "flight 1 us");
}

TEST_CASE("plot: one size under an axis is drawn against the axis") {
  const Table table{column_of("flight", {"10 ns", "1 us"}), column_of("size", {"8 B", "8 B"}),
                    column_of("latency", {"1 us", "2 us"})};
  CHECK(choose(table).x == "flight");
  CHECK(choose(table).ys == std::vector<std::string>{"latency"});
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

TEST_CASE("plot: curves are sorted by x, missing values left out, latency over decades is logarithmic") {
  Table table = table_of(ping_pong());
  std::swap(table[1].numbers[0], table[1].numbers[1]);
  table[4].numbers[2] = std::nan("");
  const Plot plot = plot_of("t", table, choose(table));
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
  CHECK_THROWS_WITH(plot_of("", table, {"sise", {"latency"}, {}}), Catch::Contains("no column \"sise\""));
  CHECK_THROWS_WITH(plot_of("", table, {"method", {"latency"}, {}}), Catch::Contains("holds text"));
  CHECK_THROWS_WITH(plot_of("", table, {"size", {}, {}}), Catch::Contains("nothing to draw"));
  CHECK_THROWS_WITH(plot_of("", {}, choose({})), Catch::Contains("nothing to draw"));
}

TEST_CASE("plot: the data file has a block a curve, in the units of the axes") {
  CHECK(data_text(tiny()) ==
        "# Blocks are told apart by two empty lines: index 0, 1, ... of gnuplot.\n"
        "# index 0: 'size' 'latency (us)' 'pio'\n8 1\n16 2.5\n"
        "\n\n# index 1: 'size' 'latency (us)' 'published'\n8 0.9 \"paper  1 \"\n"
        "\n\n# index 2: 'size' 'bandwidth (MB/s)' 'pio'\n8 8\n16 6.4\n");
}

TEST_CASE("plot: the script draws each panel from its blocks") {
  const std::string script = svg_script(tiny(), "it's");
  CHECK_THAT(script,
             Catch::StartsWith("# Written by tsunagi. Restyle it, then draw again, in this folder: gnuplot it's.gp\n"));
  for (const char* line :
       {"set output 'it''s.svg'\n", "set xlabel 'size'\n", "set logscale x 2\n", "set xtics ('8 B' 8, '16 B' 16)\n",
        "set multiplot layout 2,1 title 'a ''tiny'' one' font ',16' noenhanced\n",
        "set ylabel 'latency (us)'\nset logscale y\n",
        "plot 'it''s.dat' index 0 using 1:2 with linespoints ls 1 title 'pio', \\\n"
        "     'it''s.dat' index 1 using 1:2 with points lc rgb '#000000' pt 3 ps 1.3 lw 1.5 title 'published', \\\n",
        "set ylabel 'bandwidth (MB/s)'\nunset logscale y\n",
        "plot 'it''s.dat' index 2 using 1:2 with linespoints ls 1 title 'pio'\nunset multiplot\n"})
    CHECK_THAT(script, Catch::Contains(line));
}

TEST_CASE("plot: the script for a terminal holds its data and names no file") {
  const std::string script = terminal_script(tiny(), 1, 70, 20, false);
  CHECK_THAT(script, Catch::Contains("set terminal dumb size 70,20 noenhanced mono\n") &&
                         Catch::Contains("$data0 << end_of_data\n8 8\n16 6.4\nend_of_data\n") &&
                         Catch::Contains("plot $data0 using 1:2 with linespoints pt 1 title 'pio'\n"));
  CHECK_THAT(terminal_script(tiny(), 0, 70, 20, true), Catch::Contains("noenhanced ansi\n"));
}

TEST_CASE("plot: names cannot break out of the script") {
  Plot plot = tiny();
  plot.title = "x'\n! touch evil\n'";
  plot.panels[0].series[0].name = "'; system('true') #";
  const std::string script = svg_script(plot, "p");
  CHECK_THAT(script,
             Catch::Contains("title 'x'' ! touch evil '''") && Catch::Contains("title '''; system(''true'') #'"));
  CHECK(script.find("\n! ") == std::string::npos);
}

TEST_CASE("plot: gnuplot draws the SVG and keeps script and data beside it") {
  if (!has_gnuplot()) return;
  const test::TemporaryFolder folder;
  const std::string stem = (folder.path() / "it's a plot").string();
  write(tiny(), stem);
  std::ifstream in(stem + ".svg");
  const std::string svg{std::istreambuf_iterator<char>(in), {}};
  CHECK_THAT(svg, Catch::Contains("latency (us)") && Catch::Contains("16 B") && Catch::Contains("</svg>"));
  CHECK(std::filesystem::exists(stem + ".gp"));
  CHECK(std::filesystem::exists(stem + ".dat"));
  CHECK_THROWS_WITH(write(tiny(), (folder.path() / "none" / "x").string()), Catch::Contains("cannot write"));
}

TEST_CASE("plot: the terminal gets text of its width") {
  if (!has_gnuplot()) return;
  const std::string text = in_terminal(tiny(), 60, 15, false);
  CHECK_THAT(text, Catch::Contains("latency (us)") && Catch::Contains("bandwidth (MB/s)"));
  CHECK(text.find('\x1b') == std::string::npos);
  std::size_t start = 0;
  for (auto end = text.find('\n'); end != std::string::npos; start = end + 1, end = text.find('\n', start))
    CHECK(end - start <= 60);
}
