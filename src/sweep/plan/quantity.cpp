// SPDX-License-Identifier: Apache-2.0
#include "sweep/plan/quantity.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace tsunagi::sweep {
namespace {

using Kind = Quantity::Kind;

constexpr double most_values = 1e6;

void same_kind(const Quantity& from, const Quantity& other, const char* name) {
  if (from.kind != other.kind)
    throw std::invalid_argument(
        fmt::format("\"from\" is {}, but \"{}\" is {}", name_of(from.kind), name, name_of(other.kind)));
}

std::vector<Quantity> series(const Quantity& from, double step, double count) {
  if (count > most_values) throw std::invalid_argument("gives more than a million values");
  std::vector<Quantity> out;
  for (double i = 0; i < count; ++i) {
    out.push_back({from.kind, from.value + i * step});
    out.back().value = tidy(out.back());
  }
  return out;
}

}  // namespace

double in_expressions(const Quantity& q) {
  return q.kind == Kind::time || q.kind == Kind::length ? q.value / 1e6 : q.value;
}

std::vector<Quantity> stepped(const Quantity& from, const Quantity& to, const Quantity& step) {
  same_kind(from, to, "to");
  same_kind(from, step, "step");
  if (!(step.value > 0)) throw std::invalid_argument("\"step\" must be above 0");
  const double length = to.value - from.value;
  const double steps = std::floor(std::abs(length) / step.value * (1 + 1e-12));
  return series(from, std::copysign(step.value, length), steps + 1);
}

std::vector<Quantity> counted(const Quantity& from, const Quantity& to, std::int64_t count) {
  same_kind(from, to, "to");
  if (count < 2) throw std::invalid_argument("\"count\" must be at least 2");
  const auto n = static_cast<double>(count);
  return series(from, (to.value - from.value) / (n - 1), n);
}

std::vector<Quantity> doubled(const Quantity& from, const Quantity& to) {
  same_kind(from, to, "to");
  if (!(from.value > 0)) throw std::invalid_argument("\"from\" must be above 0");
  if (from.value > to.value) throw std::invalid_argument("\"from\" must not be above \"to\"");
  std::vector<Quantity> out;
  for (double value = from.value; value <= to.value; value *= 2) out.push_back({from.kind, value});
  return out;
}

}  // namespace tsunagi::sweep
