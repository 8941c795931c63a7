// SPDX-License-Identifier: Apache-2.0
// Random cards on random buses: no byte is lost or doubled, nothing stands still, whatever travels as a train.
#include <fmt/format.h>

#include <map>

#include "model/pcix/pcix_bench.hpp"
#include "stats/random.hpp"
#include "support/environment.hpp"

namespace pcix_random_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

constexpr std::uint64_t region = 1 << 16;  // of a card

struct Draw {
  explicit Draw(std::uint64_t seed) : random(seed, "pcix") {}
  std::int64_t operator()(std::int64_t from, std::int64_t to) {
    return from + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(to - from + 1)));
  }
  template <class T>
  T of(std::initializer_list<T> all) {
    return *(all.begin() + (*this)(0, static_cast<std::int64_t>(all.size()) - 1));
  }
  stats::RandomStream random;
};

void draw_machine(PcixBench& b, Draw& d) {
  b.bus.clock = d.of({Frequency(66'666'666), Frequency(100'000'000), Frequency(133'333'333)});
  b.bus.width = d.of({32, 64});
  b.bus.decode = static_cast<int>(d(1, 3));
  b.bus.arbitration = static_cast<int>(d(0, 4));
  b.bridge.split_requests = static_cast<int>(d(1, 4));
  b.bridge.posted_buffer = d.of({4_KiB, 8_KiB, 16_KiB});
  b.bridge.completion_start = d.of({128_B, 256_B});
  b.bridge.completion_size = d.of({256_B, 512_B, 4_KiB});
  b.bridge.request_size = d.of({64_B, 256_B, 4_KiB});
  b.bridge.write_size = d.of({64_B, 256_B, 4_KiB});
  b.bridge.downstream_requests = static_cast<int>(d(1, 4));
  b.bridge.upstream_latency = 1_ns * d(0, 200);
  b.bridge.downstream_latency = 1_ns * d(0, 200);
  b.rc.completion_size = d.of({64_B, 256_B});
  b.rc.bridges[0].write_lines = static_cast<int>(d(64, 200));
  b.rc.posted_latency = 1_ns * d(0, 200);
  b.mem.read_latency = 1_ns * d(0, 500);
  b.mem.record = true;
  b.imb.bandwidth = b.dram.bandwidth = Rate::bytes_per_second(1'000'000 * d(200, 4000));
  if (d(0, 1) == 1) {
    b.hub = pcix::HubLinkConfig{};
    b.hub->header = d.of({0_B, 16_B});
    b.hub->queue = static_cast<int>(d(1, 4));
    b.hub->turnaround = static_cast<int>(d(0, 8));
    b.hub->arbitration = static_cast<int>(d(0, 4));
    if (d(0, 1) == 1) b.pins.bandwidth = Rate::infinite();
  }
  if (d(0, 1) == 1) b.imb.bandwidth = Rate::infinite();
  for (DmaCardConfig& c : b.cards) {
    c.bus.max_read = d.of({512_B, 1_KiB, 4_KiB});
    c.bus.max_write = d.of({128_B, 512_B, 4_KiB});
    c.bus.reads = static_cast<int>(d(1, 8));
    c.bus.latency = 1_ns * d(0, 100);
    c.clock = d.of({Frequency(100'000'000), Frequency(266'000'000)});
    c.bus.buffers.posted_headers = d(1, 4);
    c.bus.buffers.posted_data = 512;
  }
}

/// All that happened in an attempt, by which runs are compared; begins with "wrong" if something is, and with "again "
/// if the attempt was refuted: it is to be done again with what follows.
std::string attempt(std::uint64_t seed, int max_train, const std::string& findings) {
  return in_child([&] {
    Draw d(seed);
    const int n = static_cast<int>(d(1, 4));
    PcixBench b(n);
    draw_machine(b, d);
    b.build(max_train, findings);
    std::map<std::uint64_t, Bytes> asked;
    Bytes written;
    std::uint64_t token = 0;
    std::int64_t orders = 0;
    for (int c = 0; c < n; ++c)
      for (std::int64_t i = d(1, 12); i > 0; --i) {
        const std::uint64_t at = PcixBench::memory + region * static_cast<std::uint64_t>(c) +
                                 static_cast<std::uint64_t>(d(0, region - 8192));
        const Bytes size(d(1, d.of<std::int64_t>({16, 600, 8000})));
        // No two at one time: which of them a card is told first would be the test's order.
        const Time when = 1_ns * d(0, 8000) + Time::from_fs(++orders);
        const std::int64_t what = d(0, 2);
        if (what == 0) {
          written += size;
          b.at(when, [&b, c, at, size] { b.card(c).write(at, size); });
          continue;
        }
        asked[++token] = size;
        b.at(when, [&b, c, at, size, token, what] {
          what == 1 ? b.card(c).read(token, at, size) : b.card(c).read_behind(token, at, size);
        });
      }
    const std::int64_t stores = d(0, 6);
    b.program("driver", [&](Fiber& f) {
      for (std::int64_t i = 0; i < stores; ++i)
        b.machine().get<host::Core>("core").store(
            f, PcixBench::window(static_cast<int>(i) % n) + 8 * static_cast<std::uint64_t>(i), 8_B, 1, 0);
    });
    try {
      b.sim().run(1_s);
    } catch (...) {
      if (!b.machine().foresight().refuted()) throw;
    }
    if (b.machine().foresight().refuted()) return "again " + b.machine().foresight().findings();
    std::string out;
    std::size_t stored = 0, came = 0;
    for (int c = 0; c < n; ++c) {
      stored += b.card(c).stores().size();
      came += b.card(c).came().size();
      for (const auto& [number, one] : b.card(c).came()) out += fmt::format("{}@{} ", number, one.when.fs());
      for (const auto& s : b.card(c).stores()) out += fmt::format("s{:x}@{} ", s.address, s.when.fs());
    }
    Bytes seen;
    for (const host::Extent& e : b.machine().get<host::Memory>("memory").extents()) seen += e.length;
    out += extents_text(b.machine().get<host::Memory>("memory"));
    for (const std::string& left : b.machine().leftovers()) out = "wrong: " + left + "; " + out;
    if (seen != written || came != asked.size() || static_cast<std::int64_t>(stored) != stores)
      out = fmt::format("wrong: {} of {} B, {} of {} reads, {} of {} stores; {}", seen.count(), written.count(), came,
                        asked.size(), stored, stores, out);
    return out;
  });
}

std::string run(std::uint64_t seed, int max_train) {
  std::string out = attempt(seed, max_train, {});
  while (out.rfind("again ", 0) == 0) out = attempt(seed, max_train, out.substr(6));
  return out;
}

}  // namespace

TEST_CASE("random cards on PCI-X lose nothing, whatever travels as a train") {
  const auto last = static_cast<std::uint64_t>(from_environment("TSUNAGI_MACHINES", 60));
  for (std::uint64_t seed = 1; seed <= last; ++seed) {
    CAPTURE(seed);
    const std::string alone = run(seed, 1);
    CHECK(alone.rfind("wrong", 0) == std::string::npos);
    CHECK(run(seed, 64) == alone);
  }
}

// Two of its wake-ups a line of 64 B and hop less than packet by packet: who has one source, and sends in order, wakes
// up for none of its packets; buses and bridges are handed what comes ahead.
TEST_CASE("lines that cross a hub link need few wake-ups, and come when they do packet by packet") {
  const auto cost = [](int max_train, std::int64_t what) {
    return in_child([&] {
      PcixBench b(1);
      b.hub = pcix::HubLinkConfig{};
      b.pins.bandwidth = Rate::infinite();
      b.bridge.write_size = b.rc.completion_size = 64_B;
      b.rc.posted_latency = b.rc.read_latency = b.rc.completion_latency = 50_ns;
      b.bridge.upstream_latency = b.bridge.downstream_latency = 50_ns;
      b.mem.record = true;
      b.build(max_train);
      b.at(0_ns, [&] {
        for (unsigned i = 0; i < 16; ++i)
          what == 0 ? b.card(0).write(PcixBench::memory + 4096 * i, 4_KiB)
                    : b.card(0).read(i, PcixBench::memory + 4096 * i, 4_KiB);
      });
      b.run();
      b.expect_all_home();
      std::string came = extents_text(b.machine().get<host::Memory>("memory"));
      for (const auto& [number, one] : b.card(0).came()) came += fmt::format("{}@{} ", number, one.when.fs());
      return fmt::format("{} {}", b.sim().agenda().wakeups(), came);
    });
  };
  for (const std::int64_t what : {0, 1}) {
    CAPTURE(what);
    const std::string alone = cost(1, what);
    const std::string trains = cost(64, what);
    CHECK(alone.substr(alone.find(' ')) == trains.substr(trains.find(' ')));
    constexpr std::int64_t lines = 16 * 64;
    UNSCOPED_INFO(trains.substr(0, trains.find(' ')) << " wake-ups, alone " << alone.substr(0, alone.find(' ')));
    CHECK(std::stoll(trains) < lines * 5);
    CHECK(std::stoll(trains) * 2 < std::stoll(alone));
  }
}

}  // namespace pcix_random_test
