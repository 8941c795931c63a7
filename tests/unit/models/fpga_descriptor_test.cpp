// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "models/fpga/descriptor.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace fpga_descriptor_test {

using namespace tsunagi;
using namespace tsunagi::fpga;

namespace {

Descriptor of_kernel() { return {0x12'3456'7890, 0x4000, 4_KiB, 130}; }

template <class F>
std::string refusal(F f) {
  try {
    f();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

std::string refusal_of(const Descriptor& d, Writer by) {
  return refusal([&] { check(d, by); });
}

}  // namespace

TEST_CASE("a descriptor has the form of table 1") {
  // [31:0] source low, [63:32] high, [95:64] destination low, [127:96] high, [145:128] length in words, [153:146] id.
  CHECK(encode(of_kernel(), Writer::kernel) ==
        DescriptorWords{0x3456'7890, 0x12, 0x4000, 0, 130u << 18 | 1024u, 0, 0, 0});
  const Descriptor longest{0, 4, Descriptor::longest, 127};
  CHECK(Descriptor::longest == 1_MiB - 4_B);
  CHECK(encode(longest, Writer::host)[4] == (127u << 18 | 0x3ffffu));
}

TEST_CASE("descriptors that were encoded are decoded") {
  for (const int id : {128, 200, 255})
    for (const Bytes n : {4_B, 1_MiB - 4_B}) {
      const Descriptor d = decode(encode({(std::uint64_t{1} << 38), 8, n, id}, Writer::kernel), Writer::kernel);
      CHECK(d.source == (std::uint64_t{1} << 38));
      CHECK(d.destination == 8);
      CHECK(d.length == n);
      CHECK(d.id == id);
      CHECK(d.writer() == Writer::kernel);
    }
}

TEST_CASE("descriptors that the data movers cannot run are refused") {
  CHECK(refusal_of(of_kernel(), Writer::kernel) == "");
  Descriptor d = of_kernel();
  d.length = 0_B;
  CHECK(refusal_of(d, Writer::kernel) == "a descriptor with a length of 0 B");
  d.length = 6_B;
  CHECK(refusal_of(d, Writer::kernel) == "a descriptor with a length of 6 B, which is no multiple of 4 B");
  d.length = 1_MiB;
  CHECK(refusal_of(d, Writer::kernel) == "a descriptor with a length of 1 MiB, but its field holds 1048572 B at most");
  d = of_kernel();
  d.source += 2;
  CHECK(refusal_of(d, Writer::kernel) == "a descriptor with the source 0x1234567892, which is no multiple of 4 B");
  d = of_kernel();
  d.destination += 1;
  CHECK(refusal_of(d, Writer::kernel) == "a descriptor with the destination 0x4001, which is no multiple of 4 B");
}

TEST_CASE("ids of the other half would complete to the other writer") {
  Descriptor d = of_kernel();
  CHECK(refusal_of(d, Writer::host) == "a descriptor with id 130, but those of the host are 0 to 127");
  d.id = 127;
  CHECK(refusal_of(d, Writer::kernel) == "a descriptor with id 127, but those of a kernel are 128 to 255");
  CHECK(refusal_of(d, Writer::host) == "");
  for (const int id : {-1, 256}) {
    d.id = id;
    CHECK(refusal_of(d, Writer::host) != "");
    CHECK(refusal_of(d, Writer::kernel) != "");
  }
}

TEST_CASE("reserved bits of a descriptor must be 0") {
  for (std::size_t word = 4; word < 8; ++word) {
    DescriptorWords words = encode(of_kernel(), Writer::kernel);
    words[word] |= 1u << 31;
    CHECK(refusal([&] { decode(words, Writer::kernel); }) == "a descriptor with reserved bits that are set");
  }
}

}  // namespace fpga_descriptor_test
