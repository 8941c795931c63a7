// SPDX-License-Identifier: Apache-2.0
// A card whose inside is a TLM-2.0 model: what the model asks of the cluster.
#include <algorithm>
#include <array>

#include "model/tlm/tlm_bench.hpp"

namespace tlm_card_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

/// A card's write of 64 B, asked for with that delay, at the other end of its link.
void first_arrival(Time delay) {
  card::TlmCardConfig c;
  c.port_latency = 30_ns;
  LoneCard b(c);
  Initiator dma("dma", b.card());
  Time returned;
  thread([&] {
    CHECK(dma.write(far, Data(64, 1), delay) == tlm::TLM_OK_RESPONSE);
    returned = kernel_time();
  });
  b.run();
  b.probe("host").expect_first_at(delay + 30_ns + on_wire(on_link(64_B)) + 1_ns);
  CHECK(b.probe("host").arrivals()[0].bytes == Data(64, 1));
  CHECK(returned == delay);
  b.expect_all_home();
}

// Of a read of `n` bytes of host memory, from the card and back.
constexpr Time in_host = 200_ns + 1_ns + 50_ns + 1_ns + 200_ns;
Time request() { return on_wire(20_B) + 1_ns; }
Time completion(Bytes n) { return on_wire(n + 20_B) + 1_ns; }

}  // namespace

TEST_CASE("a model's write is on the link at once") { first_arrival(Time::zero()); }
TEST_CASE("a model's write that comes with a delay is on the link exactly so much later") { first_arrival(7_ns); }

TEST_CASE("a model's read ends when its last byte is there") {
  TlmBench b;
  Initiator dma("dma", b.card(0));
  Time returned;
  thread([&] {
    Data data(64);
    CHECK(dma.read(0x1000, data, 7_ns) == tlm::TLM_OK_RESPONSE);
    returned = kernel_time();
    CHECK(data == Data(64, 0));  // nobody has said anything there
  });
  b.run();
  CHECK(returned == 7_ns + request() + in_host + completion(64_B));
  b.expect_all_home();
}

namespace {

/// How long a read of two requests of 128 B takes with so many tags.
Time two_requests(int tags) {
  TlmBench b([&](card::TlmCardConfig& c) {
    c.tags = tags;
    c.max_read_request = 128_B;
  });
  Initiator dma("dma", b.card(0));
  Time returned;
  thread([&] {
    dma.read(0x1000, 256);
    returned = kernel_time();
  });
  b.run();
  b.expect_all_home();
  return returned;
}

}  // namespace

TEST_CASE("a read of two requests waits for the first one's tag if there is one only") {
  CHECK(two_requests(1) == (request() + in_host + completion(128_B)) * 2);
}

TEST_CASE("a read of two requests has them under way together if there are tags") {
  CHECK(two_requests(2) == request() + in_host + completion(128_B) + on_wire(148_B));
}

TEST_CASE("requests end at the link's and the card's largest, and at each 4 KiB") {
  Bench b(sim::Kernel::shared);
  card::TlmCardConfig c;
  c.max_read_request = 1024_B;
  b.device("card", c);
  b.device("host", port("link"));
  pcie::LinkConfig link = quiet(gen2_x8());
  link.max_payload_size = 512_B;
  b.wire("card.pcie", "host.link", link);
  b.build();
  Initiator dma("dma", b.machine().get<card::TlmCard>("card"));
  Dice dice(5);
  const Data data = drawn(dice, 2500);
  bool ended = false;
  thread([&] {
    dma.write(far + 0x0f00, data);
    Data back(2500);
    CHECK(dma.read(far + 0x0f00, back) == tlm::TLM_OK_RESPONSE);
    ended = true;
  });
  const std::vector<std::pair<std::uint64_t, Bytes>> reads = {
      {far + 0x0f00, 256_B}, {far + 0x1000, 1024_B}, {far + 0x1400, 1024_B}, {far + 0x1800, 196_B}};
  b.at(10_us, [&] {
    const std::vector<Arrival> seen = b.probe("host").arrivals();
    REQUIRE(seen.size() == 6 + reads.size());
    for (std::size_t i = 0; i < reads.size(); ++i) {
      CHECK(seen[6 + i].address == reads[i].first);
      for (Bytes done; done < reads[i].second; done += 128_B)
        b.probe("host").answer(seen[6 + i], std::min(reads[i].second - done, 128_B));
    }
  });
  b.run();
  CHECK(ended);
  const auto& seen = b.probe("host").arrivals();
  std::uint64_t address = far + 0x0f00;
  Data all;
  const Bytes writes[] = {256_B, 512_B, 512_B, 512_B, 512_B, 196_B};
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(seen[i].address == address);
    CHECK(seen[i].payload == writes[i]);
    address += static_cast<std::uint64_t>(writes[i].count());
    all.insert(all.end(), seen[i].bytes.begin(), seen[i].bytes.end());
  }
  CHECK(all == data);
  b.expect_all_home();
}

TEST_CASE("reads of several threads share the tags") {
  TlmBench b([](card::TlmCardConfig& c) { c.tags = 3; });
  Initiator dma("dma", b.card(0));
  std::vector<Time> ends;
  for (std::uint64_t i = 0; i < 6; ++i)
    thread([&, i] {
      dma.read(0x1000 * i, 64);
      ends.push_back(kernel_time());
    });
  b.run();
  std::sort(ends.begin(), ends.end());
  const Time round_trip = request() + in_host + completion(64_B);
  REQUIRE(ends.size() == 6);
  for (std::size_t i = 0; i < 3; ++i) {
    const Time more = on_wire(84_B) * static_cast<std::int64_t>(i);  // completions one behind the other
    CHECK(ends[i] == round_trip + more);
    CHECK(ends[i + 3] == round_trip * 2 + more);  // each with the tag of one before
  }
  b.expect_all_home();
}

TEST_CASE("writes wait for places in the card's queue, and a write is OK when its last packet has one") {
  TlmBench b([](card::TlmCardConfig& c) { c.queue = 1; });
  Initiator dma("dma", b.card(0));
  std::vector<Time> returned;
  thread([&] {
    for (int i = 0; i < 4; ++i) {
      CHECK(dma.write(0x1000, Data(256, 1)) == tlm::TLM_OK_RESPONSE);
      returned.push_back(kernel_time());
    }
  });
  b.run();
  // One leaves at once, and one waits in the place.
  const Time packet = on_wire(256_B + 20_B);
  CHECK(returned == std::vector<Time>{0_ns, 0_ns, packet, packet * 2});
  b.expect_all_home();
}

TEST_CASE("where writes are not taken, their card waits with them") {
  // The other card's target takes a microsecond for a packet, and each receive buffer holds two.
  pcie::BufferConfig buffers;
  buffers.posted_headers = 2;
  buffers.posted_data = 512;
  host::RootComplexConfig host;
  host.buffers = buffers;
  TlmBench b(
      [&](card::TlmCardConfig& c) {
        c.queue = 2;
        c.buffers = buffers;
      },
      quiet(gen2_x8()), host);
  Initiator dma("dma", b.card(1));
  Target slow("slow", b.card(0));
  slow.before = [](tlm::tlm_generic_payload&) { sc_core::wait(sc(1_us)); };
  std::size_t left = 0;
  thread([&] {
    dma.write(TlmBench::window, Data(64 * 256, 7));
    left = 64 - slow.served.size();
  });
  b.run();
  REQUIRE(slow.served.size() == 64);
  for (std::size_t i = 1; i < slow.served.size(); ++i) CHECK(slow.served[i].begin == slow.served[i - 1].begin + 1_us);
  CHECK(std::all_of(slow.bytes.begin(), slow.bytes.begin() + 64 * 256, [](std::uint8_t x) { return x == 7; }));
  CHECK(left == 1 + 2 + 2);  // beside the one in the target: in that buffer, the root complex's and the card's queue
  b.expect_all_home();
}

namespace {

/// Five threads each do the same 20 times, and end together.
void expect_fair(TlmBench& b, const std::function<void(std::uint64_t thread)>& once) {
  std::array<int, 5> done{};
  for (std::uint64_t i = 0; i < done.size(); ++i)
    thread([&, i] {
      for (int k = 0; k < 20; ++k) {
        once(i);
        ++done[i];
        const auto [least, most] = std::minmax_element(done.begin(), done.end());
        CHECK(*most - *least <= 2);
      }
    });
  b.run();
  b.expect_all_home();
}

}  // namespace

TEST_CASE("threads that wait for places in the card's queue have one in turn") {
  TlmBench b([](card::TlmCardConfig& c) { c.queue = 1; });
  Initiator dma("dma", b.card(0));
  expect_fair(b, [&](std::uint64_t i) { dma.write(0x1000 * i, Data(256)); });
}

TEST_CASE("threads that wait for a tag have one in turn") {
  TlmBench b([](card::TlmCardConfig& c) { c.tags = 2; });
  Initiator dma("dma", b.card(0));
  expect_fair(b, [&](std::uint64_t i) { dma.read(0x1000 * i, 256); });
}

}  // namespace tlm_card_test
