// SPDX-License-Identifier: Apache-2.0
// Copies between two GPUs over NVLink: links of 20 GB/s, a flit of 16 B in 800 ps, engines that read 256 B a cycle.
#include "config/message.hpp"
#include "model/gpu_fpga/nvlink_bench.hpp"

namespace nvlink_test {

using namespace copy_engine_test;

TEST_CASE("a copy over NVLink: header flit and data, then a flush, then the semaphore over PCI Express") {
  NvlinkBench b(1);
  const auto seen = b.copy_to_peer(0x5000, 0x9000, 64_B);
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].when == read_first() + across(5) + writing_gpu);
  expect_copied(seen, 0x9000, 0x5000, 64_B);
  const Time flush = edge(read_first()) + cycle * release_cycles;
  CHECK(b.said(semaphore + 4, 7) == released(flush + flushing()));
}

TEST_CASE("links of a bundle take turns by 256 B of the peer's memory") {
  NvlinkBench b(2);
  const auto seen = b.copy_to_peer(0x5000, 0x9000, 1_KiB);
  REQUIRE(seen.size() == 4);
  for (int i = 0; i < 4; ++i) {
    INFO("packet " << i);
    // Read a cycle after each other; every other one by the same link, on which it waits for the one before.
    const Time ready = read_first() + cycle * (i % 2) + (i < 2 ? 0_ns : packet);
    CHECK(seen[static_cast<std::size_t>(i)].when == ready + across(17) + writing_gpu);
  }
  expect_copied(seen, 0x9000, 0x5000, 1_KiB);
}

TEST_CASE("packets cross no multiple of 256 B, and are what they are by address in the peer's memory") {
  NvlinkBench b(3);
  auto seen = b.copy_to_peer(0x5001, 0x90f0, 600_B);
  REQUIRE(seen.size() == 4);
  std::sort(seen.begin(), seen.end(), [](const auto& x, const auto& y) { return x.address < y.address; });
  const Bytes expected[] = {16_B, 256_B, 256_B, 72_B};
  for (std::size_t i = 0; i < 4; ++i) CHECK(seen[i].length == expected[i]);
  expect_copied(seen, 0x90f0, 0x5001, 600_B);
}

namespace {

void check_stream(int links) {
  NvlinkBench b(links);
  const auto seen = b.copy_to_peer(0, 0, 256_B * 300);
  REQUIRE(seen.size() == 300);
  // The last link's first packet is ready some cycles later; then each follows the one before.
  const Time first = read_first() + cycle * (links - 1);
  CHECK(seen.back().when == first + packet * (300 / links - 1) + across(17) + writing_gpu);
}

}  // namespace

TEST_CASE("a stream over one link runs at 16 of 17 bytes of it") { check_stream(1); }
TEST_CASE("a stream over three links runs at 16 of 17 bytes of all") { check_stream(3); }

namespace {

/// Four links with packets of 128 B, each by the next link.
struct LineBench : NvlinkBench {
  LineBench() : NvlinkBench(4) {
    max_payload = 128_B;
    config.nvlink.interleave = config.nvlink.packet = 128_B;
  }
};

}  // namespace

TEST_CASE("packets carry no more than the link's max payload, whatever engines would send") {
  NvlinkBench b(1);
  b.max_payload = 128_B;
  const auto seen = b.copy_to_peer(0, 0, 256_B * 300);
  REQUIRE(seen.size() == 600);
  CHECK(seen.back().when == read_first() + flit * 9 * 599 + across(9) + writing_gpu);
}

TEST_CASE("what an engine reads in one cycle leaves as several whole packets") {
  LineBench b;
  const auto seen = by_address(b.copy_to_peer(0, 0, 512_B));
  REQUIRE(seen.size() == 4);
  // 256 B a cycle: two packets, then the next two.
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(seen[i].when == read_first() + cycle * static_cast<std::int64_t>(i / 2) + across(9) + writing_gpu);
}

// Of 512 B from 64 on, 300 B a cycle: 64 and 128, 128 and 128, 64.
constexpr std::int64_t cycle_of[] = {0, 0, 1, 1, 2};
constexpr std::int64_t flits_of[] = {5, 9, 9, 9, 5};

TEST_CASE("a packet that does not wholly fit into what is left of a cycle is read in the next") {
  LineBench b;
  b.config.nvlink.width = 300_B;
  const auto seen = by_address(b.copy_to_peer(0, 64, 512_B));
  REQUIRE(seen.size() == 5);
  for (std::size_t i = 0; i < 5; ++i)
    CHECK(seen[i].when == read_first() + cycle * cycle_of[i] + across(flits_of[i]) + writing_gpu);
}

TEST_CASE("packets that buffer space is free for later are read in a later cycle, as many as fit") {
  LineBench b;
  b.config.nvlink.width = 3_KiB;  // 24 packets, then the eight that there is room for
  b.config.nvlink.buffer = 4_KiB;
  const auto seen = by_address(b.copy_to_peer(0, 0, 8_KiB));
  REQUIRE(seen.size() == 64);
  CHECK(seen[31].when == read_first() + flit * 9 * 7 + across(9) + writing_gpu);
  // When the first packet of each link has left.
  const Time out = read_first() + port + flit * 9;
  for (std::size_t i = 32; i < 36; ++i)
    CHECK(seen[i].when == edge(out) + cycle + reading_gpu + across(9) + writing_gpu);
}

TEST_CASE("a command's first packet shares no cycle with the last one of the command before") {
  LineBench b;
  b.config.nvlink.width = 160_B;  // a packet, and room for a short one
  b.build();
  b.run_commands(0, 0,
                 {copy(Aperture::local, 0, Aperture::nvlink, other, 256_KiB),
                  copy(Aperture::local, 0, Aperture::nvlink, other + 0x800000, 16_B)});
  b.run();
  const auto seen = by_address(b.gpu(1).extents());
  REQUIRE(seen.size() == 2049);
  const Time ended = edge(begins() + cycle * 2048 + reading_gpu) + cycle * release_cycles;
  CHECK(seen.back().when == ended + cycle * 2 + reading_gpu + across(2) + writing_gpu);
}

TEST_CASE("an engine that reads a peer asks for as many bytes a cycle as it reads of its own") {
  LineBench b;
  b.build();
  b.run_commands(0, 0, {copy(Aperture::nvlink, other, Aperture::local, 0, 512_B)});
  b.run();
  b.expect_all_home();
  const auto seen = by_address(b.gpu(0).extents());
  REQUIRE(seen.size() == 4);
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(seen[i].when ==
          begins() + cycle * static_cast<std::int64_t>(i / 2) + across(1) + reading_gpu + across(9) + writing_gpu);
}

TEST_CASE("a read that does not wholly fit into what is left of a cycle leaves in the next") {
  LineBench b;
  b.config.nvlink.width = 300_B;
  b.build();
  b.run_commands(0, 0, {copy(Aperture::nvlink, other + 64, Aperture::local, 64, 512_B)});
  b.run();
  const auto seen = by_address(b.gpu(0).extents());
  REQUIRE(seen.size() == 5);
  for (std::size_t i = 0; i < 5; ++i)
    CHECK(seen[i].when == begins() + cycle * cycle_of[i] + across(1) + reading_gpu + across(flits_of[i]) + writing_gpu);
}

TEST_CASE("a command's first read shares no cycle with the last one of the command before") {
  LineBench b;
  b.build();
  const Bytes first = 64_KiB + 128_B;  // half of the last cycle is left
  b.run_commands(0, 0,
                 {copy(Aperture::nvlink, other, Aperture::local, 0, first),
                  copy(Aperture::nvlink, other + 0x800000, Aperture::local, 0x800000, 128_B)});
  b.run();
  const auto seen = by_address(b.gpu(0).extents());
  REQUIRE(seen.size() == 514);
  const Time between = cycle * release_cycles + across(1) + reading_gpu + across(9);
  CHECK(seen[513].when - seen[512].when >= between);
}

TEST_CASE("a read that has waited for its tag leaves in a cycle behind that") {
  LineBench b;
  b.config.nvlink.tags = 1;
  b.config.nvlink.packet = 64_B;
  b.build();
  b.run_commands(0, 0, {copy(Aperture::nvlink, other, Aperture::local, 0, 256_B)});
  b.run();
  const auto seen = by_address(b.gpu(0).extents());
  REQUIRE(seen.size() == 4);
  const Time trip = across(1) + reading_gpu + across(5);  // no whole cycles
  REQUIRE(edge(trip) != trip);
  for (std::size_t i = 1; i < 4; ++i) CHECK(seen[i].when - seen[i - 1].when == edge(trip));
}

TEST_CASE("a switch takes a packet its latency, head to head") {
  NvlinkBench b(1, true);
  const auto seen = b.copy_to_peer(0x5000, 0x9000, 64_B);
  REQUIRE(seen.size() == 1);
  const Time hop = flight + crossing;
  CHECK(seen[0].when == read_first() + across(5) + hop + writing_gpu);
  const Time flush = edge(read_first()) + cycle * release_cycles;
  CHECK(b.said(semaphore + 4, 7) == released(flush + flushing() + hop * 2));
}

TEST_CASE("a switch's buffer bounds a link: packets that it holds over the loop of their credits") {
  NvlinkBench b(1, true);
  b.buffers.posted_headers = 2;
  b.buffers.posted_data = 32;
  const auto seen = b.copy_to_peer(0, 0, 256_B * 40);
  REQUIRE(seen.size() == 40);
  // A packet that is let go passes the port, crosses, stays for the switch's latency and leaves; its credit flies back.
  const Time loop = port + flight + crossing + packet + flight;
  for (std::size_t i = 4; i < 40; i += 2) CHECK(seen[i].when - seen[i - 2].when == loop);
}

TEST_CASE("a flush goes by every link that was written by") {
  // Packets 0 to 3 by link 0, the last one, 4, by link 1, all behind each other there: link 0 is busy for longer.
  NvlinkBench b(2);
  b.config.nvlink.interleave = 1_KiB;
  const auto seen = b.copy_to_peer(0, 0, 256_B * 5);
  REQUIRE(seen.size() == 5);
  const Time last_by_first = read_first() + packet * 3 + across(17) + writing_gpu;
  const auto latest =
      std::max_element(seen.begin(), seen.end(), [](const auto& x, const auto& y) { return x.when < y.when; });
  CHECK(latest->when == last_by_first);
  CHECK(latest->address == 256 * 3);
  // The flush by link 0 follows its writes: on the wire when the fourth packet has left.
  const Time left = read_first() + port + packet * 4;
  const Time answered = left + flit + flight + port + reading_gpu + across(2);
  CHECK(b.said(semaphore + 4, 7) == released(answered));
}

namespace {

/// What a buffer says goes to gpu0, over NVLink to gpu1, which is read by gpu0 again, and back to the host.
void check_round(bool switched, int links) {
  NvlinkBench b(links, switched);
  b.build();
  constexpr Bytes n = 40'001_B;
  std::vector<std::uint8_t> said(static_cast<std::size_t>(n.count()));
  for (std::size_t i = 0; i < said.size(); ++i) said[i] = static_cast<std::uint8_t>(i * 7 + i / 256);
  b.program("buffer", [&](Fiber& f) {
    for (std::size_t i = 0; i < said.size(); i += 1000)
      b.core().store(f, buffer + i, {said.data() + i, std::min<std::size_t>(1000, said.size() - i)});
  });
  std::vector<gpu::Command> all;
  all.push_back(copy(Aperture::host, buffer, Aperture::local, 0x7003, n));
  CopyCommand there = copy(Aperture::local, 0x7003, Aperture::nvlink, other + 0x1001, n);
  there.flush = true;
  all.push_back(there);
  all.push_back(copy(Aperture::nvlink, other + 0x1001, Aperture::local, 0x5'0005, n));
  b.run_commands(0, 0, all);
  b.run();
  CHECK(b.gpu(1).bytes(0x1001, n) == said);
  CHECK(b.gpu(0).bytes(0x5'0005, n) == said);
  b.expect_all_home();
}

}  // namespace

TEST_CASE("copies over NVLink carry what bytes say, written and read") { check_round(false, 3); }
TEST_CASE("copies over an NVSwitch carry what bytes say, written and read") { check_round(true, 2); }

TEST_CASE("a copy to an address that NVLink does not lead to fails") {
  NvlinkBench b(1);
  b.build();
  b.run_commands(0, 0, {copy(Aperture::local, 0, Aperture::nvlink, other + (std::uint64_t{1} << 30), 64_B)});
  CHECK(b.failure().find("NVLink leads to nobody who has address") != std::string::npos);
}

TEST_CASE("a GPU without NVLink runs no copies over it") {
  CopyBench b;
  b.build();
  b.run_commands(0, 0, {copy(Aperture::local, 0, Aperture::nvlink, other, 64_B)});
  CHECK(b.failure().find("gpu0 has no NVLink") != std::string::npos);
}

namespace {

std::string refusal(const std::function<void(CopyBench&)>& more) {
  NvlinkBench b(2);
  b.more = [&] { more(b); };
  try {
    b.build();
  } catch (const config::ConfigError& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a link from a GPU to itself is told before time 0") {
  CHECK_THAT(refusal([](CopyBench& b) { b.wire("gpu0.nvlink0", "gpu0.nvlink1", first_generation()); }),
             Catch::Contains("leads back to itself"));
}

TEST_CASE("a link between switches is told before time 0") {
  CHECK_THAT(refusal([](CopyBench& b) {
               b.device("s0", nvlink::NvSwitchConfig{});
               b.device("s1", nvlink::NvSwitchConfig{});
               b.wire("s0.port0", "s1.port0", first_generation());
             }),
             Catch::Contains("links between switches are not modelled"));
}

}  // namespace nvlink_test
