// SPDX-License-Identifier: Apache-2.0
// What perftest's programs print, as measured values of adapters.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "box/measured/measured.hpp"

namespace tsunagi::box {

/// Whether a line is the title of a program of perftest: "RDMA_Write BW Test".
bool is_perftest_title(std::string_view line);

/// Follows such a text, a line at a time. A table's value is that of 64 KiB, or else of the largest size, of a latency
/// of 8 B, or else the smallest; MB are 2^20 B, as perftest's. Device mlx5_n is the machine's adapter n. Memory is that
/// of the adapter's socket, or the GPU that the text says perftest picked. Who waited for a client is the side that is
/// written to, or read from.
class PerftestText {
 public:
  explicit PerftestText(const Plan& plan);
  /// `number`: of the line, from 1 on.
  void line(std::string_view text, int number);
  /// After the last line.
  void end() { finish(); }

  struct Left {
    int line = 0;
    std::string name;
    std::string why;
  };
  const std::vector<Measured>& cells() const { return cells_; }
  /// Tables without a cell.
  const std::vector<Left>& left_out() const { return left_out_; }

 private:
  struct Table {
    std::string name;
    int line = 0;
    std::optional<What> what;
    bool reads = false;
    double unit = 0;         // bytes a second, or seconds, of a number; 0: no line of columns so far
    std::size_t column = 0;  // of the value
    std::optional<double> size;
    double value = 0;
    int value_line = 0;
  };
  void begin(std::string_view title, int number);
  void columns(std::string_view line);
  void row(std::string_view line, int number);
  void finish();
  std::string why_not(std::optional<std::size_t>& from, std::optional<std::size_t>& to) const;

  const Plan& plan_;
  std::optional<Table> table_;
  std::size_t device_ = 0;
  std::optional<std::size_t> gpu_;
  bool waited_ = false;  // for a client
  std::vector<Measured> cells_;
  std::vector<Left> left_out_;
};

}  // namespace tsunagi::box
