// SPDX-License-Identifier: Apache-2.0
// Results never depend on the order in which the kernel runs what happens at one time.
#include "model/peach2/peach2_bench.hpp"
#include "support/child.hpp"

namespace ties_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

/// Four cards write to one memory at the same instants, each through a link of its own; the links
/// have small buffers and all kinds of DLLPs. Returns every extent with its time.
std::string contention(bool reversed) {
  Bench b;
  host::RootComplexConfig rc;
  rc.buffers.posted_headers = 3;
  rc.memory_size = 1_GiB;
  for (int i = 0; i < 4; ++i) rc.slots.push_back({"slot" + std::to_string(i), 4_GiB + 4_KiB * i, 4_KiB});
  b.device("rc", rc);
  host::MemoryConfig memory;
  memory.size = rc.memory_size;
  memory.record = true;
  b.device("memory", memory);
  host::OnChipConfig bus;
  bus.bandwidth = Rate::bytes_per_second(6'000'000'000);  // slower than four links
  b.wire("rc.memory", "memory.bus", bus);
  for (int i = 0; i < 4; ++i) {
    const std::string card = "card" + std::to_string(i);
    b.device(card, port("link"));
    b.wire(card + ".link", "rc.slot" + std::to_string(i), gen2_x8());
  }
  b.build();
  b.sim().agenda().reverse_ties(reversed);
  b.at(10_ns, [&b] {
    for (int i = 0; i < 4; ++i)
      for (int k = 0; k < 50; ++k)
        b.probe("card" + std::to_string(i)).write(static_cast<std::uint64_t>(i * 50 + k) * 256, 256_B);
  });
  b.run();
  b.expect_all_home();
  return extents_text(b.machine().get<host::Memory>("memory"));
}

/// A DMA channel between two places of its host: its buffer holds one request, so that the next can be made when a
/// write leaves, which is when the next write can be built. Both go to the host.
std::string copy_within_host(bool reversed, int max_train) {
  Peach2Bench b;
  b.root.completion_size = 64_B;  // gathered into larger writes
  b.chip.datapath_width = 8_B;    // slower than they come
  b.chip.dma.buffer = 4_KiB;
  b.chip.dma.max_read_request = 256_B;
  b.chip.dma.tags = 32;
  b.build(max_train);
  b.sim().agenda().reverse_ties(reversed);
  b.at(0_ns, [&b] {
    b.set_descriptor(0, {far + 0x20'0000, Peach2Bench::host(far + 0x30'0000), 64_KiB, {}, {}, false, false});
    b.ring_registers(1);
  });
  b.run();
  b.expect_all_home();
  return extents_text(b.memory());
}

}  // namespace

TEST_CASE("contended results do not change when simultaneous alarms ring the other way round") {
  const std::string forward = in_child([] { return contention(false); });
  const std::string reversed = in_child([] { return contention(true); });
  CHECK(!forward.empty());
  CHECK(forward == reversed);
}

TEST_CASE("a DMA channel's write goes before its request of the same time, whichever alarm rings first") {
  const std::string forward = in_child([] { return copy_within_host(false, 1); });
  CHECK(!forward.empty());
  CHECK(forward == in_child([] { return copy_within_host(true, 1); }));
  CHECK(forward == in_child([] { return copy_within_host(false, 64); }));
}

}  // namespace ties_test
