// SPDX-License-Identifier: Apache-2.0
#include "scenarios/traffic/traffic_matrix.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

#include "config/error_at.hpp"
#include "units/checked.hpp"
#include "units/wide.hpp"

namespace tsunagi::scenarios {

namespace {

constexpr std::string_view blanks = " \t\r";
constexpr int most_decimals = 6;
constexpr std::int64_t least_part = 1'000'000;  // of what the most eager rank offers
constexpr std::int64_t largest_sum = std::numeric_limits<std::int64_t>::max();

config::ConfigError error_in_row(std::size_t row, const std::string& text) {
  return config::error_at("/scenario/matrix/" + std::to_string(row), text);
}

std::string numbers(std::size_t n) { return std::to_string(n) + (n == 1 ? " number" : " numbers"); }

/// A number as written: `digits` over ten to the power of `decimals`.
struct Decimal {
  std::int64_t digits = 0;
  int decimals = 0;
};

/// None if `word` is no number of up to 15 digits and six decimals, from 0 on.
std::optional<Decimal> decimal(std::string_view word) {
  const std::size_t point = std::min(word.find('.'), word.size());
  std::string_view behind = word.substr(std::min(point + 1, word.size()));
  if (point == 0 || (point < word.size() && behind.empty())) return std::nullopt;
  while (!behind.empty() && behind.back() == '0') behind.remove_suffix(1);
  Decimal out;
  out.decimals = static_cast<int>(behind.size());
  int digits = 0;
  for (const std::string_view part : {word.substr(0, point), behind})
    for (const char c : part) {
      if (c < '0' || c > '9') return std::nullopt;
      out.digits = 10 * out.digits + (c - '0');
      digits += out.digits > 0 ? 1 : 0;
      if (digits > 15) return std::nullopt;
    }
  if (out.decimals > most_decimals) return std::nullopt;
  return out;
}

std::vector<Decimal> read_row(std::size_t row, std::string_view text, int ranks) {
  std::vector<Decimal> out;
  for (std::size_t at = 0; (at = text.find_first_not_of(blanks, at)) != std::string_view::npos;) {
    const std::string_view word = text.substr(at, text.find_first_of(blanks, at) - at);
    at += word.size();
    const std::optional<Decimal> d = decimal(word);
    if (!d)
      throw error_in_row(row, config::in_quotes(word) +
                                  " is no weight; write a number from 0 on, of up to 15 digits, " +
                                  std::to_string(most_decimals) + " of them behind the point");
    out.push_back(*d);
  }
  if (out.size() != static_cast<std::size_t>(ranks))
    throw error_in_row(row, "has " + numbers(out.size()) + " for " + std::to_string(ranks) + " ranks");
  if (out[row].digits != 0)
    throw error_in_row(row, "rank " + std::to_string(row) + " would send to itself: its own weight is to be 0");
  return out;
}

std::int64_t ten_to_the(int n) { return n == 0 ? 1 : 10 * ten_to_the(n - 1); }

/// The row's weights with so many decimals as whole numbers, added to `total`.
std::vector<DestinationTable::Entry> scaled(std::size_t row, const std::vector<Decimal>& weights, int decimals,
                                            std::int64_t& total) {
  std::vector<DestinationTable::Entry> out;
  for (std::size_t to = 0; to < weights.size(); ++to) {
    const Decimal& d = weights[to];
    if (d.digits == 0) continue;
    const auto weight = checked_product(d.digits, ten_to_the(decimals - d.decimals));
    if (!weight || largest_sum - total < *weight)
      throw error_in_row(row, "the weights up to here are too large to be added up; write smaller ones");
    total += *weight;
    out.push_back({static_cast<int>(to), *weight});
  }
  return out;
}

void expect_shares(const DestinationTable& table) {
  std::int64_t most = 0;
  for (int r = 0; r < table.senders(); ++r) most = std::max(most, table.sum(r));
  if (most == 0) throw config::error_at("/scenario/matrix", "nobody would send: all weights are 0");
  for (int r = 0; r < table.senders(); ++r)
    if (table.sum(r) > 0 && static_cast<Wide>(table.sum(r)) * least_part < most)
      throw error_in_row(static_cast<std::size_t>(r), "the weights' sum is less than a millionth of the largest row's");
}

}  // namespace

DestinationTable read_traffic_matrix(const std::vector<std::string>& rows, int ranks) {
  if (rows.size() != static_cast<std::size_t>(ranks))
    throw config::error_at("/scenario/matrix", "has " + std::to_string(rows.size()) +
                                                   (rows.size() == 1 ? " row for " : " rows for ") +
                                                   std::to_string(ranks) + " ranks");
  std::vector<std::vector<Decimal>> weights;
  int decimals = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    weights.push_back(read_row(row, rows[row], ranks));
    for (const Decimal& d : weights.back()) decimals = std::max(decimals, d.decimals);
  }
  DestinationTable out;
  std::int64_t total = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) out.add(scaled(row, weights[row], decimals, total));
  expect_shares(out);
  return out;
}

}  // namespace tsunagi::scenarios
