// SPDX-License-Identifier: Apache-2.0
// What gnuplot makes of a plot, in files and in a terminal.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "plot/script.hpp"
#include "support/catch.hpp"
#include "support/gnuplot.hpp"
#include "support/temporary_folder.hpp"
#include "unit/pictures/plot_fixture.hpp"

namespace plot_test {

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
