// SPDX-License-Identifier: Apache-2.0
// Chains that a DMA channel refuses, and fetches that nobody answers.
#include "model/peach2/peach2_bench.hpp"

namespace peach2_chain_refused_test {

using namespace tsunagi;
using namespace tsunagi::test;

TEST_CASE("a descriptor that says nothing is refused with its place") {
  Peach2Bench b;
  b.build();
  b.at(0_ns, [&] { b.ring_chain(Peach2Bench::table(3)); });
  CHECK(b.failure() == "chip: DMA channel 0: descriptor at 0x100100060: a length of 0 B");
}

TEST_CASE("a chain starts at a whole descriptor") {
  Peach2Bench b;
  b.build();
  b.at(0_ns, [&] { b.ring_chain(0x10'0008); });
  CHECK(b.failure() == "chip: DMA channel 0: a chain starts at 0x100008, not at a multiple of 32 B");
}

TEST_CASE("descriptors of another node cannot be read") {
  Peach2Bench b;
  b.build();
  b.at(0_ns, [&] { b.ring_chain(Peach2Bench::remote(0x1000)); });
  CHECK(b.failure() ==
        "chip: DMA channel 0 would have to read address 0xc000001000: PEACH2 only puts; it reads host-local addresses "
        "and its own memory");
}

TEST_CASE("a channel that runs cannot be started") {
  Peach2Bench b;
  b.build();
  b.at(0_ns, [&] {
    b.write_chain({{far + 0x20'0000, Peach2Bench::remote(0x1000), 32_B, {}, {}, false, false}});
    b.ring_chain(Peach2Bench::table(0));
    b.ring_chain(Peach2Bench::table(0));
  });
  CHECK(b.failure() == "chip: DMA channel 0: started while it runs");
}

TEST_CASE("a fetch that is never answered is left over") {
  Bench b;
  peach2::Peach2Config c;
  c.routes = {{peach2::east, 1, 1}};
  b.device("chip", c);
  b.device("host", port("link"));
  b.wire("host.link", "chip.n", quiet(gen2_x8()));
  b.device("at_e", port("link"));
  b.wire("at_e.link", "chip.e", quiet(gen2_x8()));
  b.build();
  b.at(0_ns, [&] {
    b.probe("host").says(0x4000);
    b.probe("host").write(Peach2Bench::own(peach2::Registers::chain), 8_B);
  });
  b.run();
  CHECK(b.machine().leftovers() == std::vector<std::string>{"chip: DMA channel 0 still runs"});
}

}  // namespace peach2_chain_refused_test
