// SPDX-License-Identifier: Apache-2.0
// Tables and plots that the tests of plots share.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "plot/plot.hpp"

namespace plot_test {

using namespace tsunagi;
using namespace tsunagi::plot;

/// Two methods over two sizes, as a ping-pong records them.
inline report::Rows ping_pong() {
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

inline Plot tiny() {
  Plot plot{"a 'tiny' one", {"size", Unit::bytes, true}, {}, ""};
  plot.panels.push_back({{"latency", Unit::time, true}, {{"pio", {{8, 1e-6}, {16, 2.5e-6}}}}, {}});
  plot.panels.push_back({{"bandwidth", Unit::rate, false}, {{"pio", {{8, 8e6}, {16, 6.4e6}}}}, {}});
  add(plot, {"size", "8 B", "latency", "0.9 us", "", Bound::none, "paper \"1\""});
  return plot;
}

/// `count` curves in each of two panels, the second one without `missing`.
inline Plot crowded(int count, int missing = -1) {
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
inline std::vector<std::string> rests(const std::string& text, const std::string& before) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (const auto at = line.find(before); at != std::string::npos) out.push_back(line.substr(at + before.size()));
  return out;
}

inline double number_behind(const std::string& text, const std::string& before) {
  return std::stod(rests(text, before).at(0));
}

}  // namespace plot_test
