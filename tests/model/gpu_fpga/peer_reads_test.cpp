// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "explain/path.hpp"
#include "support/bench.hpp"

namespace peer_reads_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

constexpr Time peer = 150_ns;
constexpr Time recovery = 200_ns;
constexpr Time inside_gpu = 70_ns + 50_ns + 100_ns + 70_ns;
constexpr Time flight = 1_ns;
constexpr std::uint64_t window = std::uint64_t{256} << 30;

Time on_wire(Bytes n) { return 250_ps * n.count(); }

host::RootComplexConfig root_complex(int reads) {
  host::RootComplexConfig rc;
  rc.peer.latency = peer;
  rc.peer.reads = reads;
  rc.peer.read_recovery = recovery;
  rc.slots = {{"slot0", 256_GiB, 256_MiB + 16_MiB}, {"slot1", 512_GiB, 1_MiB}, {"slot2", 516_GiB, 1_MiB}};
  return rc;
}

/// A GPU in slot0, probes in slots 1 and 2.
void build(Bench& b, const host::RootComplexConfig& rc) {
  b.device("rc", rc);
  b.device("memory", host::MemoryConfig{});
  b.device("gpu", gpu::GpuConfig{});
  b.device("card1", port("link"));
  b.device("card2", port("link"));
  b.wire("rc.memory", "memory.bus", host::OnChipConfig{});
  b.wire("rc.slot0", "gpu.pcie", quiet(gen2_x8()));
  b.wire("rc.slot1", "card1.link", quiet(gen2_x8()));
  b.wire("rc.slot2", "card2.link", quiet(gen2_x8()));
  b.build();
  b.machine().get<gpu::Gpu>("gpu").pin(0_B, 1_MiB);
}

/// From the request at the root complex to the completion of a piece there.
constexpr Bytes request{24};
Time round_trip() { return peer + on_wire(request) + flight + inside_gpu + on_wire(84_B) + flight; }
/// From the card to the root complex, and of a completion back.
Time there() { return on_wire(request) + flight; }
Time back() { return peer + on_wire(84_B) + flight; }

}  // namespace

TEST_CASE("a card reads another one's memory through the root complex") {
  Bench b;
  build(b, root_complex(8));
  b.at(0_ns, [&] { b.probe("card1").read(window, 64_B); });
  b.run();
  b.probe("card1").expect_first_at(there() + round_trip() + back());
  CHECK(b.probe("card1").arrivals()[0].payload == 64_B);
  b.expect_all_home();
}

TEST_CASE("peer-to-peer reads are cut at cache lines, and their completions keep the order") {
  Bench b;
  build(b, root_complex(8));
  b.at(0_ns, [&] { b.probe("card1").read(window + 0x30, 200_B); });
  b.run();
  const auto& seen = b.probe("card1").arrivals();
  REQUIRE(seen.size() == 4);
  const Bytes expected[] = {16_B, 64_B, 64_B, 56_B};
  for (std::size_t i = 0; i < 4; ++i) CHECK(seen[i].payload == expected[i]);
  b.expect_all_home();
}

TEST_CASE("peer-to-peer reads run at places x 64 B over the round trip and the recovery") {
  Bench b;
  constexpr int reads = 4;
  build(b, root_complex(reads));
  constexpr int requests = 16;
  b.at(0_ns, [&] {
    for (int i = 0; i < requests; ++i) b.probe("card1").read(window + 4096u * static_cast<unsigned>(i), 4_KiB);
  });
  b.run();
  const auto& seen = b.probe("card1").arrivals();
  constexpr std::size_t pieces = requests * 64;
  REQUIRE(seen.size() == pieces);
  // Every place is used again a period later; what is left of the first requests' serialisation stays as it was.
  const Time period = round_trip() + recovery;
  CHECK(seen[0].head == there() + round_trip() + back());
  for (std::size_t i = reads; i < pieces; ++i) REQUIRE(seen[i].head - seen[i - reads].head == period);
  b.expect_all_home();
  // The walk back from the last completion goes from place to place.
  const auto path = explain::walk(b.history(), seen.back().id, 0_ns, seen.back().tail);
  const auto waits = std::count_if(path.segments.begin(), path.segments.end(), [](const explain::Segment& s) {
    return s.what == "peer-to-peer read slot" && s.kind == explain::Kind::tag;
  });
  CHECK(waits == static_cast<std::ptrdiff_t>(pieces / reads - 1));
}

TEST_CASE("peer-to-peer reads of two cards share the places, first come first served") {
  Bench b;
  build(b, root_complex(1));
  b.at(0_ns, [&] {
    b.probe("card2").read(window, 128_B);
    b.probe("card1").read(window + 4096, 128_B);
  });
  b.run();
  const Time first = there() + round_trip() + back();
  const Time period = round_trip() + recovery;
  // Requests of one instant: the lower slot first.
  b.probe("card1").expect_at(0, first);
  b.probe("card1").expect_at(1, first + period);
  b.probe("card2").expect_at(0, first + 2 * period);
  b.probe("card2").expect_at(1, first + 3 * period);
  b.expect_all_home();
}

TEST_CASE("a peer-to-peer read keeps its request's credits until its last piece is issued") {
  Bench b;
  host::RootComplexConfig rc = root_complex(1);
  rc.buffers.non_posted_headers = 1;
  build(b, rc);
  b.at(0_ns, [&] {
    b.probe("card1").read(window, 128_B);
    b.probe("card1").read(window + 4096, 64_B);
  });
  b.run();
  const Time period = round_trip() + recovery;
  // The second request leaves when the first one's second piece has: a credit back, the request there.
  const Time second = there() + period + flight + there();
  const Time place = there() + 2 * period;
  REQUIRE(second < place);
  b.probe("card1").expect_at(2, place + round_trip() + back());
  b.expect_all_home();
}

TEST_CASE("without recovery a place is used again at once") {
  Bench b;
  host::RootComplexConfig rc = root_complex(1);
  rc.peer.read_recovery = 0_ns;
  build(b, rc);
  b.at(0_ns, [&] { b.probe("card1").read(window, 256_B); });
  b.run();
  for (std::size_t i = 0; i < 4; ++i)
    b.probe("card1").expect_at(i, there() + round_trip() + back() + round_trip() * static_cast<std::int64_t>(i));
  b.expect_all_home();
}

}  // namespace peer_reads_test
