// SPDX-License-Identifier: Apache-2.0
#include "models/fpga/descriptor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "units/parse.hpp"

namespace tsunagi::fpga {

namespace {

constexpr int length_bits = 18;
constexpr int id_bits = 8;
constexpr std::uint32_t length_mask = (std::uint32_t{1} << length_bits) - 1;
constexpr std::uint32_t id_mask = (std::uint32_t{1} << id_bits) - 1;

void require(bool ok, const std::string& why) {
  if (!ok) throw std::invalid_argument("a descriptor with " + why);
}

std::uint32_t low(std::uint64_t address) { return static_cast<std::uint32_t>(address); }
std::uint32_t high(std::uint64_t address) { return static_cast<std::uint32_t>(address >> 32); }
std::uint64_t joined(std::uint32_t low, std::uint32_t high) { return std::uint64_t{high} << 32 | low; }

void check_address(std::uint64_t address, const char* which) {
  require(address % unsigned_of(Descriptor::unit) == 0,
          fmt::format("{} {:#x}, which is no multiple of {}", which, address, to_string(Descriptor::unit)));
}

}  // namespace

void check(const Descriptor& d, Writer by) {
  require(d.length > Bytes::zero(), "a length of 0 B");
  require(d.length.count() % Descriptor::unit.count() == 0,
          fmt::format("a length of {}, which is no multiple of {}", to_string(d.length), to_string(Descriptor::unit)));
  require(d.length <= Descriptor::longest, fmt::format("a length of {}, but its field holds {} at most",
                                                       to_string(d.length), to_string(Descriptor::longest)));
  check_address(d.source, "the source");
  check_address(d.destination, "the destination");
  require(d.id >= 0 && d.id < Descriptor::ids && d.writer() == by,
          fmt::format("id {}, but those of {}", d.id,
                      by == Writer::host ? "the host are 0 to 127" : "a kernel are 128 to 255"));
}

DescriptorWords encode(const Descriptor& d, Writer by) {
  check(d, by);
  return {low(d.source),
          high(d.source),
          low(d.destination),
          high(d.destination),
          static_cast<std::uint32_t>(d.id) << length_bits | static_cast<std::uint32_t>(d.length / Descriptor::unit),
          0,
          0,
          0};
}

Descriptor decode(const DescriptorWords& words, Writer by) {
  const bool reserved = words[4] >> (length_bits + id_bits) != 0 ||
                        std::any_of(words.begin() + 5, words.end(), [](std::uint32_t w) { return w != 0; });
  require(!reserved, "reserved bits that are set");
  const Descriptor d{joined(words[0], words[1]), joined(words[2], words[3]),
                     Descriptor::unit * static_cast<std::int64_t>(words[4] & length_mask),
                     static_cast<int>(words[4] >> length_bits & id_mask)};
  check(d, by);
  return d;
}

}  // namespace tsunagi::fpga
