// SPDX-License-Identifier: Apache-2.0
#include "models/peach2/descriptor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace tsunagi::peach2 {

namespace {

constexpr int address_bits = 48;
constexpr std::uint64_t address_mask = (std::uint64_t{1} << address_bits) - 1;
constexpr std::uint64_t length_mask = 0xffffffff;
constexpr std::uint64_t source_flag = std::uint64_t{1} << 32;
constexpr std::uint64_t destination_flag = std::uint64_t{1} << 33;
constexpr Bytes unit{4};
constexpr int short_bits = 16;  // of a burst, and of the lower part of a gap
constexpr std::int64_t most_in_burst = 0xffff;
constexpr std::int64_t most_in_gap = 0x3fff'ffff;

void require(bool ok, const std::string& why) {
  if (!ok) throw std::invalid_argument(why);
}

void check_units(Bytes n, const char* what, std::int64_t most) {
  require(n >= Bytes::zero() && n.count() % unit.count() == 0 && n / unit <= most,
          fmt::format("a {} length of {} B, not a multiple of 4 B up to {} B", what, n.count(), (unit * most).count()));
}

void check_next(std::uint64_t next) {
  require(next % static_cast<std::uint64_t>(Descriptor::size.count()) == 0,
          fmt::format("its next descriptor is at {:#x}, not at a multiple of {} B", next, Descriptor::size.count()));
  require(next <= address_mask, fmt::format("its next descriptor is at {:#x}, which has more than 48 bits", next));
}

std::uint64_t units_in(Bytes n) { return static_cast<std::uint64_t>(n / unit); }

}  // namespace

std::uint64_t Layout::address_of(Bytes offset) const {
  if (burst == Bytes::zero()) return base + static_cast<std::uint64_t>(offset.count());
  return base + static_cast<std::uint64_t>((offset + gap * (offset / burst)).count());
}

Bytes Layout::run(Bytes offset, Bytes left) const {
  if (burst == Bytes::zero()) return left;
  return std::min(left, burst - Bytes(offset.count() % burst.count()));
}

void check(const Descriptor& d) {
  require(d.source <= address_mask, fmt::format("source {:#x} has more than 48 bits", d.source));
  require(d.destination <= address_mask, fmt::format("destination {:#x} has more than 48 bits", d.destination));
  require(d.length > Bytes::zero(), "a length of 0 B");
  require(static_cast<std::uint64_t>(d.length.count()) <= length_mask,
          fmt::format("a length of {} B, more than 32 bits hold", d.length.count()));
  check_units(d.burst, "burst", most_in_burst);
  check_units(d.gap, "gap", most_in_gap);
  const bool strided = d.source_strided || d.destination_strided;
  require(d.burst > Bytes::zero() || d.gap == Bytes::zero(),
          fmt::format("a gap of {} B but no burst length", d.gap.count()));
  require(d.burst > Bytes::zero() || !strided, "strided, but no burst length");
  require(d.burst == Bytes::zero() || strided,
          fmt::format("a burst of {} B, but neither source nor destination is strided", d.burst.count()));
  require(d.burst == Bytes::zero() || d.length.count() % d.burst.count() == 0,
          fmt::format("a length of {} B, not a multiple of the burst of {} B", d.length.count(), d.burst.count()));
}

DescriptorWords encode(const Chained& c) {
  const Descriptor& d = c.what;
  check(d);
  check_next(c.next);
  const std::uint64_t gap = units_in(d.gap);
  return {d.source | units_in(d.burst) << address_bits, d.destination | gap << address_bits,
          c.next | gap >> short_bits << address_bits,
          static_cast<std::uint64_t>(d.length.count()) | (d.source_strided ? source_flag : 0) |
              (d.destination_strided ? destination_flag : 0)};
}

Chained decode(const DescriptorWords& words) {
  const auto upper = [](std::uint64_t word) { return unit * static_cast<std::int64_t>(word >> address_bits); };
  require((words[3] & ~(length_mask | source_flag | destination_flag)) == 0,
          fmt::format("unknown flags in {:#x}", words[3]));
  Chained c;
  c.what.source = words[0] & address_mask;
  c.what.burst = upper(words[0]);
  c.what.destination = words[1] & address_mask;
  c.what.gap = upper(words[1]) + upper(words[2]) * (std::int64_t{1} << short_bits);
  c.next = words[2] & address_mask;
  c.what.length = Bytes(static_cast<std::int64_t>(words[3] & length_mask));
  c.what.source_strided = (words[3] & source_flag) != 0;
  c.what.destination_strided = (words[3] & destination_flag) != 0;
  check(c.what);
  check_next(c.next);
  return c;
}

}  // namespace tsunagi::peach2
