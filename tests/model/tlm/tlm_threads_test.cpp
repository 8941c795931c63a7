// SPDX-License-Identifier: Apache-2.0
// Several threads of models at the same cards: killed ones, and random ones whose data have to be right.
#include <algorithm>
#include <array>

#include "model/tlm/tlm_bench.hpp"
#include "support/child.hpp"
#include "support/sanitized.hpp"

namespace tlm_threads_test {

using namespace tsunagi;
using namespace tsunagi::test;

TEST_CASE("a thread that is killed while it reads leaves its completions to the card") {
  TlmBench b;
  Initiator dma("dma", b.card(0));
  bool ended = false;
  sc_core::sc_process_handle reader = thread([&] {
    Data data(4096);
    dma.read(0x1000, data);
    ended = true;
  });
  thread([&] {
    sc_core::wait(sc(300_ns));
    reader.kill();
    CHECK(dma.read(0x1000, 64) == Data(64, 0));
  });
  b.run();
  CHECK_FALSE(ended);
  b.expect_all_home();
}

TEST_CASE("threads that are killed while they wait for a tag or a place hold up nobody") {
  TlmBench b([](card::TlmCardConfig& c) { c.tags = c.queue = 1; });
  Initiator dma("dma", b.card(0));
  std::vector<sc_core::sc_process_handle> all;
  int ended = 0;
  for (int i = 0; i < 8; ++i)
    all.push_back(thread([&, i] {
      Data data(2000);
      if (i % 2 == 0)
        dma.read(0x1000, data);
      else
        dma.write(0x1000, data);
      ++ended;
    }));
  thread([&] {
    sc_core::wait(sc(300_ns));
    for (const std::size_t i : {0, 1, 4, 5}) all[i].kill();
  });
  b.run();
  CHECK(ended == 4);
  b.expect_all_home();
}

namespace {

/// A machine whose ordering rules are in danger: what must not pass is faster than what it must not pass.
struct Danger {
  card::TlmCardConfig card;
  host::RootComplexConfig host;
  pcie::LinkConfig link;
  explicit Danger(Dice& d) {
    card.queue = static_cast<int>(d.any({1, 2, 32}));
    card.tags = static_cast<int>(d.any({1, 3, 32}));
    card.max_read_request = d.any({128_B, 256_B, 4096_B});
    card.target_threads = static_cast<int>(d.any({1, 2, 8}));
    card.port_latency = Time::from_fs(d.any({0, 100'000'000}));
    if (d.one_in(2)) {
      card.buffers.posted_headers = d.number(2, 4);
      card.buffers.posted_data = 512;
      card.buffers.non_posted_headers = d.number(1, 3);
      card.buffers.non_posted_data = 8;
    }
    host.posted_latency = Time::from_fs(d.number(0, 2'000) * 1'000'000);
    host.read_latency = Time::from_fs(d.number(0, 300) * 1'000'000);
    host.peer.latency = Time::from_fs(d.number(0, 300) * 1'000'000);
    host.peer.reads = static_cast<int>(d.number(1, 8));
    if (d.one_in(2)) link = quiet(gen2_x8());
    link.max_payload_size = d.any({128_B, 256_B, 1024_B});
  }
};

std::string text(const char* what, std::uint64_t address, std::size_t n) {
  return std::string(what) + " of " + std::to_string(n) + " B at " + std::to_string(address);
}

/// Threads of both cards' models write and read back data at places of their own, in host memory and in the other
/// card's window. What went wrong; empty: nothing.
std::string to_and_fro(std::uint64_t seed) {
  Dice dice(seed);
  const Danger danger(dice);
  TlmBench b(
      [&](card::TlmCardConfig& c) {
        const Bytes base = c.bar_base;
        c = danger.card;
        c.bar_base = base;
      },
      danger.link, danger.host);
  Initiator dma0("dma0", b.card(0));
  Initiator dma1("dma1", b.card(1));
  Target target0("target0", b.card(0));
  Target target1("target1", b.card(1));
  std::string wrong;
  std::array<int, 2> writing{};
  Dice work(seed + 1000);
  for (Target* t : {&target0, &target1})
    t->before = [&, t](tlm::tlm_generic_payload& p) {
      int& writes = writing[t == &target0 ? 0 : 1];
      if (p.is_write() && writes != 0) wrong += " a write begins beside another";
      t->annotates = Time::from_fs(work.number(0, 100) * 1'000'000);
      if (p.is_write()) ++writes;
      if (work.one_in(2)) sc_core::wait(sc(Time::from_fs(work.number(0, 300) * 1'000'000)));
      if (p.is_write()) --writes;
    };
  constexpr std::uint64_t area = 1 << 16;
  constexpr std::uint64_t of_cards = 8 * area;
  int ended = 0;
  const auto run_thread = [&](int i) {
    Dice d(seed * 100 + static_cast<std::uint64_t>(i));
    Initiator& dma = i % 2 == 0 ? dma0 : dma1;
    const bool in_memory = i < 4;
    const std::uint64_t place = static_cast<std::uint64_t>(i) * area;
    const std::uint64_t base =
        in_memory ? of_cards + place : (i % 2 == 0 ? TlmBench::window1 : TlmBench::window) + place;
    Data mirror(area, 0);
    for (int k = 0; k < 12; ++k) {
      const std::int64_t n = d.one_in(3) ? d.number(1, 9000) : d.number(1, 300);
      const std::int64_t at = d.number(0, static_cast<std::int64_t>(area) - n);
      const std::uint64_t address = base + static_cast<std::uint64_t>(at);
      const Time delay = Time::from_fs(d.number(0, 200) * 1'000'000);
      if (!d.one_in(3)) {
        const Data data = drawn(d, n);
        std::copy(data.begin(), data.end(), mirror.begin() + at);
        if (dma.write(address, data, delay) != tlm::TLM_OK_RESPONSE)
          wrong += " failed: " + text("write", address, data.size());
      }
      if (d.one_in(2)) continue;
      Data back(static_cast<std::size_t>(n), 0xee);
      if (dma.read(address, back, delay) != tlm::TLM_OK_RESPONSE)
        wrong += " failed: " + text("read", address, back.size());
      if (!std::equal(back.begin(), back.end(), mirror.begin() + at))
        wrong += " stale: " + text("read", address, back.size());
    }
    ++ended;
  };
  for (int i = 0; i < 8; ++i) thread([&, i] { run_thread(i); });
  if (!b.sim().run(1_s)) wrong += " no end";
  if (ended != 8) wrong += " only " + std::to_string(ended) + " threads have ended";
  for (const std::string& s : b.machine().leftovers()) wrong += " " + s;
  if (b.sim().complaints() != 0 || b.card(0).failed_writes() + b.card(1).failed_writes() != 0) wrong += " complaints";
  return wrong;
}

}  // namespace

TEST_CASE("models' threads read back what they wrote, in host memory and in each other's window") {
  for (std::uint64_t seed = 1; seed <= (sanitized ? 4 : 40); ++seed) {
    const std::string wrong = in_child([&] { return to_and_fro(seed); });
    CAPTURE(seed);
    CHECK(wrong == "");
  }
}

}  // namespace tlm_threads_test
