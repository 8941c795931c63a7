// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "models/peach2/descriptor.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace peach2_descriptor_test {

using namespace tsunagi;
using namespace tsunagi::peach2;

namespace {

Descriptor plain() { return {0x1234'5678, 0x80'0000'0040, 4_KiB, {}, {}, false, false}; }

/// 16 bursts of 256 B, 768 B between them.
Descriptor strided() { return {0x1000, 0x80'0000'0000, 4_KiB, 256_B, 768_B, true, true}; }

std::string refusal(const Descriptor& d) {
  try {
    check(d);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

std::string refusal(const DescriptorWords& words) {
  try {
    decode(words);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a descriptor is four words") {
  CHECK(encode({plain(), 0}) == DescriptorWords{0x1234'5678, 0x80'0000'0040, 0, 4096});
  CHECK(encode({strided(), 0x20'0020}) ==
        DescriptorWords{0x0040'0000'0000'1000, 0x00c0'0080'0000'0000, 0x20'0020, 0x3'0000'1000});
  Descriptor far = strided();
  far.gap = 2_MiB - 256_B;
  CHECK(encode({far, 0x20'0020})[1] >> 48 == 0xffc0);
  CHECK(encode({far, 0x20'0020})[2] == 0x0007'0000'0020'0020);
}

TEST_CASE("what was encoded is decoded") {
  Descriptor widest{0xffff'ffff'ffff, 0xffff'ffff'fffe, Bytes(65535 * 4), Bytes(65535 * 4), 4_GiB - 4_B, false, true};
  widest.length = widest.burst * 16384;  // 2^32 - 65536
  for (const Descriptor& d : {plain(), strided(), widest}) {
    const Chained c = decode(encode({d, 0xffff'ffff'ffe0}));
    CHECK(c.next == 0xffff'ffff'ffe0);
    CHECK(c.what.source == d.source);
    CHECK(c.what.destination == d.destination);
    CHECK(c.what.length == d.length);
    CHECK(c.what.burst == d.burst);
    CHECK(c.what.gap == d.gap);
    CHECK(c.what.source_strided == d.source_strided);
    CHECK(c.what.destination_strided == d.destination_strided);
  }
}

TEST_CASE("what no engine could run is refused") {
  const auto with = [](auto change) {
    Descriptor d = strided();
    change(d);
    return refusal(d);
  };
  CHECK(refusal(plain()) == "");
  CHECK(refusal(strided()) == "");
  CHECK(with([](Descriptor& d) { d.gap = 0_B; }) == "");
  CHECK(with([](Descriptor& d) { d.length = 0_B; }) == "a length of 0 B");
  CHECK(with([](Descriptor& d) { d.length = 4_GiB; }) == "a length of 4294967296 B, more than 32 bits hold");
  CHECK(with([](Descriptor& d) { d.length = 4_KiB + 128_B; }) ==
        "a length of 4224 B, not a multiple of the burst of 256 B");
  CHECK(with([](Descriptor& d) { d.burst = 0_B; }) == "a gap of 768 B but no burst length");
  CHECK(with([](Descriptor& d) { d.burst = d.gap = 0_B; }) == "strided, but no burst length");
  CHECK(with([](Descriptor& d) { d.source_strided = d.destination_strided = false; }) ==
        "a burst of 256 B, but neither source nor destination is strided");
  CHECK(with([](Descriptor& d) { d.burst = 6_B; }) == "a burst length of 6 B, not a multiple of 4 B up to 262140 B");
  CHECK(with([](Descriptor& d) { d.gap = 2_MiB; }) == "");
  CHECK(with([](Descriptor& d) { d.gap = 4_GiB; }) ==
        "a gap length of 4294967296 B, not a multiple of 4 B up to 4294967292 B");
  CHECK(with([](Descriptor& d) { d.source = std::uint64_t{1} << 48; }) ==
        "source 0x1000000000000 has more than 48 bits");
  CHECK(with([](Descriptor& d) { d.destination = std::uint64_t{1} << 48; }) ==
        "destination 0x1000000000000 has more than 48 bits");
}

TEST_CASE("words that are no descriptor are refused") {
  CHECK(refusal(DescriptorWords{}) == "a length of 0 B");
  CHECK(refusal(DescriptorWords{0, 0, 0, 0x4'0000'0008}) == "unknown flags in 0x400000008");
  CHECK(refusal(DescriptorWords{0, 0, 8, 8}) == "its next descriptor is at 0x8, not at a multiple of 32 B");
  CHECK_THROWS_AS(encode({plain(), 16}), std::invalid_argument);
}

TEST_CASE("a side without stride is contiguous") {
  const Layout l = plain().from();
  CHECK(l.address_of(0_B) == 0x1234'5678);
  CHECK(l.address_of(4095_B) == 0x1234'5678 + 4095);
  CHECK(l.run(100_B, 3000_B) == 3000_B);
  Descriptor one_side = strided();
  one_side.source_strided = false;
  CHECK(one_side.from().address_of(300_B) == 0x1000 + 300);
  CHECK(one_side.to().address_of(300_B) == 0x80'0000'0000 + 1024 + 44);
}

TEST_CASE("a strided side has a gap behind each burst") {
  const Layout l = strided().from();
  for (int burst = 0; burst < 16; ++burst)
    for (int byte = 0; byte < 256; ++byte)
      REQUIRE(l.address_of(Bytes(burst * 256 + byte)) == 0x1000 + static_cast<std::uint64_t>(burst * 1024 + byte));
  CHECK(l.run(0_B, 4_KiB) == 256_B);
  CHECK(l.run(200_B, 4_KiB) == 56_B);
  CHECK(l.run(512_B, 100_B) == 100_B);
  CHECK(l.run(767_B, 4_KiB) == 1_B);
}

}  // namespace peach2_descriptor_test
