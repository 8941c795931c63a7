// SPDX-License-Identifier: Apache-2.0
// A card at a host whose memory has a last-level cache, and how long its transactions take.
#pragma once

#include "support/bench.hpp"

namespace tsunagi::test::llc {

constexpr std::uint64_t GiB = std::uint64_t{1} << 30;
constexpr Time ring = 1_ns;
constexpr Time flight = 1_ns;
constexpr Time posted = 150_ns;
constexpr Time reading = 200_ns;
constexpr Time completing = 190_ns;
constexpr Time hit = 50_ns;
constexpr Time dram = 65_ns;
constexpr Time burst = 2_ns;

inline Time on_wire(Bytes n) { return 250_ps * n.count(); }

inline host::OnChipConfig bus(Time t) {
  host::OnChipConfig c;
  c.max_payload_size = 256_B;
  c.bandwidth = Rate::infinite();
  c.flight = t;
  return c;
}

inline host::MemoryConfig memory_config() {
  host::MemoryConfig m;
  m.size = 4_GiB;
  m.read_latency = hit;
  m.record = true;
  m.llc.size = 20_KiB;  // 2 KiB of it for devices
  m.llc.dram_latency = dram;
  m.llc.dram_rate = Rate::bytes_per_second(32'000'000'000);
  return m;
}

/// A card at a host; `far`: a second socket, whose memory lies behind the first one's.
inline void build(Bench& b, int max_train = 1, bool far = false, const host::MemoryConfig& m = memory_config(),
                  const std::string& findings = {}) {
  for (int s = 0; s <= (far ? 1 : 0); ++s) {
    const std::string n = std::to_string(s);
    host::MemoryConfig memory = m;
    memory.base = 4_GiB * s;
    host::RootComplexConfig rc;
    rc.memory_base = memory.base;
    rc.memory_size = memory.size;
    rc.posted_latency = posted;
    rc.read_latency = reading;
    rc.completion_latency = completing;
    rc.slots = {{"slot0", 512_GiB * (1 + s), 4_KiB}};
    if (far) rc.remotes = {{"qpi", 4_GiB * (1 - s), 4_GiB}};
    b.device("memory" + n, memory);
    b.device("rc" + n, rc);
    b.wire("rc" + n + ".memory", "memory" + n + ".bus", bus(ring));
  }
  b.device("card", port("link"));
  b.wire("rc0.slot0", "card.link", quiet(gen2_x8()));
  if (far) b.wire("rc0.qpi", "rc1.qpi", bus(20_ns));
  b.build(max_train, 1, findings);
}

inline host::Memory& memory(Bench& b, int socket = 0) {
  return b.machine().get<host::Memory>("memory" + std::to_string(socket));
}

/// Of a read below 4 GiB that finds its data in the cache; one completion.
inline Time read_time(Bytes n) {
  return on_wire(20_B) + flight + reading + ring + hit + ring + completing + on_wire(n + 20_B) + flight;
}

}  // namespace tsunagi::test::llc
