// SPDX-License-Identifier: Apache-2.0
#include "explain/text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "units/parse.hpp"

namespace tsunagi::explain {
namespace {

using namespace tsunagi::literals;

constexpr int most_decimals = 3;

}  // namespace

std::string short_text(Time t) {
  std::string exact = to_string(t);
  if (exact.size() <= 12) return exact;
  Scale scale(t);
  scale.fit(t);
  return scale(t) + " " + scale.unit();
}

std::string percent(Time part, Time whole) {
  if (whole == Time::zero()) return "-";
  return fmt::format("{:.1f} %", 100.0 * static_cast<double>(part.fs()) / static_cast<double>(whole.fs()));
}

std::string shortened(const std::string& text, std::size_t width) {
  if (text.size() <= width || width < 4) return text;
  const std::size_t front = (width - 2) / 2;
  return text.substr(0, front) + ".." + text.substr(text.size() - (width - 2 - front));
}

Scale::Scale(Time longest) : unit_(longest < 100_us ? "ns" : "us"), fs_((longest < 100_us ? 1_ns : 1_us).fs()) {}

void Scale::fit(Time t) {
  std::int64_t digit = fs_;
  for (int i = 0; i < decimals_; ++i) digit /= 10;
  for (; decimals_ < most_decimals && t.fs() % digit != 0; ++decimals_) digit /= 10;
}

std::string Scale::operator()(Time t) const {
  return fmt::format("{:.{}f}", static_cast<double>(t.fs()) / static_cast<double>(fs_), decimals_);
}

}  // namespace tsunagi::explain
