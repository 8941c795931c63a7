// SPDX-License-Identifier: Apache-2.0
#include "report/formats/column_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace tsunagi::report {
namespace {

struct UnitOfColumn {
  const char* name;
  double size;
  double from;  ///< of a value that stands alone
};

constexpr std::array<UnitOfColumn, 4> time_scale{
    {{"ns", 1e6, 0}, {"us", 1e9, 1e8}, {"ms", 1e12, 1e13}, {"s", 1e15, 1e16}}};
constexpr std::array<UnitOfColumn, 5> rate_scale{
    {{"B/s", 1, 0}, {"kB/s", 1e3, 1e3}, {"MB/s", 1e6, 1e6}, {"GB/s", 1e9, 1e9}, {"TB/s", 1e12, 1e12}}};

constexpr double long_number = 1e4;  // of the largest: then a coarser unit may make the column narrower
constexpr int most_decimals = 6;     // femtoseconds of nanoseconds

/// The least and the largest magnitude of numbers that are not 0.
struct Span {
  double smallest = std::numeric_limits<double>::infinity();
  double largest = 0;
};

Span span_of(const std::vector<double>& values) {
  Span out;
  for (const double v : values) {
    if (!std::isfinite(v) || v == 0) continue;
    out.smallest = std::min(out.smallest, std::abs(v));
    out.largest = std::max(out.largest, std::abs(v));
  }
  return out;
}

int magnitude(double value) { return static_cast<int>(std::floor(std::log10(value))); }

/// Decimals that show three digits of the smallest.
int decimals_for(const Span& span, double unit, int least) {
  return std::max(least, 2 - magnitude(span.smallest / unit));
}

/// Digits of the largest and as many decimals as the smallest needs.
int width_of(const Span& span, double unit, int least) {
  return std::max(0, magnitude(span.largest / unit)) + decimals_for(span, unit, least);
}

/// That of the smallest; coarser ones as far as they make long numbers shorter.
template <class Scale>
const UnitOfColumn& unit_for(const Span& span, const Scale& scale, int least) {
  auto unit = scale.begin();
  const auto is_better = [&](const UnitOfColumn& next) {
    if (span.smallest >= next.from) return true;
    return span.largest >= long_number * unit->size && decimals_for(span, next.size, least) <= most_decimals &&
           width_of(span, next.size, least) < width_of(span, unit->size, least);
  };
  while (unit + 1 != scale.end() && is_better(unit[1])) ++unit;
  return *unit;
}

/// Takes the last digits away that are 0 in all texts, down to `least` of `decimals`.
void trim(std::vector<std::string>& texts, int decimals, int least) {
  const auto is_exact_without = [](const std::string& t) { return t.empty() || t.back() == '0'; };
  for (; decimals > least && std::all_of(texts.begin(), texts.end(), is_exact_without); --decimals)
    for (std::string& text : texts)
      if (!text.empty()) text.pop_back();
}

/// Numbers in base units; what is not finite has no text.
template <class Scale>
std::vector<std::string> in_one_unit(const std::vector<double>& values, const Scale& scale, int least_decimals) {
  const Span span = span_of(values);
  const bool any = span.largest > 0;
  const UnitOfColumn& unit = any ? unit_for(span, scale, least_decimals) : scale.front();
  const int decimals = any ? std::min(most_decimals, decimals_for(span, unit.size, least_decimals)) : least_decimals;
  std::vector<std::string> out;
  for (const double v : values) out.push_back(std::isfinite(v) ? fmt::format("{:.{}f}", v / unit.size, decimals) : "");
  trim(out, decimals, least_decimals);
  for (std::string& text : out)
    if (!text.empty()) text += fmt::format(" {}", unit.name);
  return out;
}

}  // namespace

std::vector<std::string> times_in_one_unit(const std::vector<std::optional<Time>>& times) {
  std::vector<double> values;
  for (const auto& t : times) values.push_back(t ? static_cast<double>(t->fs()) : std::nan(""));
  return in_one_unit(values, time_scale, 3);
}

std::vector<std::string> rates_in_one_unit(const std::vector<double>& bytes_per_second) {
  std::vector<double> values;
  for (const double rate : bytes_per_second) values.push_back(rate > 0 ? rate : std::nan(""));
  std::vector<std::string> out = in_one_unit(values, rate_scale, 2);
  for (std::string& text : out)
    if (text.empty()) text = "-";
  return out;
}

std::vector<std::string> bytes_in_one_unit(const std::vector<std::optional<Bytes>>& amounts) {
  constexpr std::array<const char*, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  std::int64_t size = 1;
  const auto divides_all = [&](std::int64_t larger) {
    bool any = false;
    for (const auto& amount : amounts) {
      if (!amount || *amount == Bytes::zero()) continue;
      if (amount->count() % larger != 0) return false;
      any = true;
    }
    return any;
  };
  for (; unit + 1 < units.size() && divides_all(size * 1024); ++unit) size *= 1024;
  std::vector<std::string> out;
  for (const auto& amount : amounts)
    out.push_back(amount ? fmt::format("{} {}", amount->count() / size, units[unit]) : "");
  return out;
}

std::vector<std::string> shares_in_percent(const std::vector<std::optional<std::int64_t>>& ppm) {
  constexpr std::int64_t a_percent = 10'000;
  int decimals = 0;
  std::int64_t step = a_percent;  // what the last decimal stands for
  const auto is_exact = [&] {
    return std::all_of(ppm.begin(), ppm.end(), [&](const auto& p) { return !p || *p % step == 0; });
  };
  for (; step > 1 && !is_exact(); step /= 10) ++decimals;
  std::vector<std::string> out;
  for (const auto& p : ppm)
    out.push_back(p ? fmt::format("{:.{}f} %", static_cast<double>(*p) / static_cast<double>(a_percent), decimals)
                    : "");
  return out;
}

}  // namespace tsunagi::report
