// SPDX-License-Identifier: Apache-2.0
// Copies between two GPUs over NVLink: links of 20 GB/s, a flit of 16 B in 800 ps, engines that read 256 B a cycle.
#include "config/message.hpp"
#include "model/gpu_fpga/copy_engine_bench.hpp"

namespace nvlink_test {

using namespace copy_engine_test;

namespace {

constexpr Time port = 40_ns;
constexpr Time crossing = 90_ns;
constexpr Time flit = 800_ps;
constexpr Time packet = flit * 17;                         // with 256 B
constexpr std::uint64_t other = std::uint64_t{257} << 30;  // window of gpu1

nvlink::LinkConfig first_generation() {
  nvlink::LinkConfig c;
  c.rate = TransferRate(20'000'000'000);
  c.lanes = 8;
  return c;
}

struct NvlinkBench : CopyBench {
  /// `switched`: by way of a switch, else wired to each other.
  explicit NvlinkBench(int links, bool switched = false) {
    config.memory_size = 256_MiB;
    config.nvlink.links = links;
    config.nvlink.port_latency = port;
    config.nvlink.buffer = 64_KiB;
    config.nvlink.tags = 64;
    more = [this, links, switched] {
      if (switched) {
        nvlink::NvSwitchConfig c;
        c.ports = 2 * links;
        c.latency = crossing;
        c.buffers = buffers;
        device("nvswitch", c);
      }
      for (int i = 0; i < links; ++i) {
        const std::string n = std::to_string(i);
        if (switched) {
          wire("gpu0.nvlink" + n, "nvswitch.port" + n, first_generation());
          wire("gpu1.nvlink" + n, "nvswitch.port" + std::to_string(links + i), first_generation());
        } else {
          wire("gpu0.nvlink" + n, "gpu1.nvlink" + n, first_generation());
        }
      }
    };
  }
  pcie::BufferConfig buffers;

  /// Copies to gpu1, with a flush; returns what came there.
  std::vector<host::Extent> copy_to_peer(std::uint64_t from_offset, std::uint64_t to_offset, Bytes n) {
    CopyCommand c = copy(Aperture::local, from_offset, Aperture::nvlink, other + to_offset, n);
    c.flush = true;
    build();
    run_commands(0, 0, {c});
    run();
    expect_all_home();
    return gpu(1).extents();
  }
};

/// From what is ready at an engine until it is in the other GPU.
Time across(std::int64_t flits) { return port + flit * flits + flight + port; }
/// When the first data have been read.
Time read_first() { return begins() + cycle + reading_gpu; }
/// From a flush that is ready until it is answered: header there, header and a flit back.
Time flushing() { return across(1) + reading_gpu + across(2); }

}  // namespace

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
