// SPDX-License-Identifier: Apache-2.0
// The picture of a plot: its script, page, axes, texts and legend.
#include <set>

#include "plot/page.hpp"
#include "plot/script.hpp"
#include "support/catch.hpp"
#include "unit/pictures/plot_fixture.hpp"

namespace plot_test {

TEST_CASE("plot: a long title is smaller, not cut") {
  Plot plot = tiny();
  plot.title = std::string(130, 'm');
  CHECK_THAT(svg_script(plot, "p"), Catch::Contains("m' font ',16' noenhanced"));
}

TEST_CASE("plot: counts that double lie evenly, where the small ones would lie on each other") {
  const auto script = [](const std::vector<std::int64_t>& ranks) {
    report::Recorder r;
    for (const std::int64_t n : ranks) r.row().count("ranks", n).count("kop_s", 150'000 * n);
    const Table table = table_of(r.rows());
    return svg_script(plot_of("speed", table, choose(table, {"ranks", {"kop_s"}, {}})), "p");
  };
  const std::string doubling = script({4, 8, 16, 64});
  CHECK_THAT(doubling, Catch::Contains("set logscale x 2\nset xtics ('4' 4, '8' 8, '16' 16, '32' 32, '64' 64)\n"));
  CHECK_THAT(doubling, Catch::Contains("set ylabel 'operations a second (Mop/s)'"));
  for (const auto& ranks : std::vector<std::vector<std::int64_t>>{{4, 8, 16, 32}, {4, 8, 24, 64}, {0, 4, 64}})
    CHECK_THAT(script(ranks), !Catch::Contains("set logscale x"));
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
  r.ceiling({"pull", "of what comes back", Rate::bytes_per_second(1'000'000'000), {}, true});
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

TEST_CASE("plot: long names of categories end at their bars, within the picture") {
  const std::string long_name = "µ" + std::string(100, 'm');
  const Table table{column_of("method", {long_name, "dma", long_name + "!"}),
                    column_of("latency", {"1 us", "2 us", "3 us"}),
                    column_of("bandwidth", {"8 MB/s", "4 MB/s", "3 MB/s"})};
  const Plot plot = plot_of("", table, choose(table, {}));
  CHECK(slanted(plot));
  const std::vector<std::string> names = with_fitting_names(plot).categories;
  CHECK_THAT(names.at(0), Catch::StartsWith("µm") && Catch::EndsWith("m…"));
  CHECK(letters_of(names.at(0)) < 30);
  CHECK(names.at(1) == "dma");
  CHECK(letters_of(names.at(2)) == 48);
  CHECK_THAT(svg_script(plot, "p"), Catch::Contains("set xtics rotate by 35 right\n") &&
                                        Catch::Contains("('" + names.at(0) + "' 0, 'dma' 1, "));
  CHECK(Page(with_fitting_names(plot)).panel(0).height > 200);
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

}  // namespace plot_test
