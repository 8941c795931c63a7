// SPDX-License-Identifier: Apache-2.0
// Arithmetic with what users give, before time 0: what does not fit 64 bits is nothing, never a wrong number. Behind
// that border quantities are known to be in range, and their own operators do not look.
#pragma once

#include <cstdint>
#include <optional>

#include "units/bytes.hpp"
#include "units/time.hpp"

namespace tsunagi {

/// No address, window or size that a user gives is larger, so that a few of them can be added: 1 EiB.
constexpr Bytes largest_given{std::int64_t{1} << 60};

constexpr std::optional<std::int64_t> checked_product(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  return __builtin_mul_overflow(a, b, &out) ? std::nullopt : std::optional<std::int64_t>(out);
}
constexpr std::optional<Bytes> checked_product(std::optional<Bytes> a, std::int64_t k) {
  const auto n = a ? checked_product(a->count(), k) : std::nullopt;
  return n ? std::optional<Bytes>(*n) : std::nullopt;
}
constexpr std::optional<Time> checked_product(std::optional<Time> a, std::int64_t k) {
  const auto n = a ? checked_product(a->fs(), k) : std::nullopt;
  return n ? std::optional<Time>(Time::from_fs(*n)) : std::nullopt;
}

}  // namespace tsunagi
