// SPDX-License-Identifier: Apache-2.0
#include "models/host/core_config.hpp"

#include <algorithm>

namespace tsunagi::host {

namespace {

constexpr Rate slowest = Rate::bytes_per_second(1'000'000);

}  // namespace

void describe(CopyLevel& c, config::Describer& d) {
  using namespace config;
  d.field("size", c.size, "bytes of the cache", within(64_B, 1024_GiB), required);
  d.field("rate", c.rate, "bytes copied a second within it", at_least(slowest), ideal(Rate::infinite()), required);
}

void describe(CopyConfig& c, config::Describer& d) {
  using namespace config;
  d.list("levels", c.levels, "caches, the smallest first: the first that holds source and destination counts");
  d.field("memory_rate", c.memory_rate, "bytes copied a second from memory to memory", at_least(slowest),
          ideal(Rate::infinite()));
  d.field("unread_rate", c.unread_rate,
          "bytes copied a second of lines that cards have written past the caches (a memory's \"device_writes\"); they "
          "take "
          "\"poll_detect\" at least",
          at_least(slowest), ideal(Rate::infinite()));
  d.field(
      "line", c.line,
      "what memory moves at least for a block of a strided copy, or up to the next block: a cache line; 0: its bytes",
      within(0_B, 4_KiB), ideal(0_B));
  d.require(std::is_sorted(c.levels.begin(), c.levels.end(),
                           [](const CopyLevel& a, const CopyLevel& b) { return a.size < b.size; }),
            "\"levels\" must ascend by \"size\"");
}

Rate CopyConfig::rate(Bytes n) const {
  const auto holds = std::find_if(levels.begin(), levels.end(), [&](const CopyLevel& l) { return n * 2 <= l.size; });
  return holds == levels.end() ? memory_rate : holds->rate;
}

Time CoreConfig::copy_time(Bytes n, std::int64_t unread) const {
  const Rate rate = copy.rate(n);
  if (unread == 0) return rate.time(n);
  const Bytes fetched = std::min(n, UnreadLines::line * unread);
  const Time fetch = std::max(poll_detect, std::min(rate, copy.unread_rate).time(fetched));
  return fetch + rate.time(n - fetched);
}

void describe(CoreComputeConfig& c, config::Describer& d) {
  using namespace config;
  constexpr std::int64_t most = 1'000'000;
  d.field("flops_per_cycle", c.flops_per_cycle, "floating-point operations that it does a cycle at most",
          within(std::int64_t{1}, most), ideal(most));
  d.field("memory_rate", c.memory_rate, "bytes a second between it and the memory while it computes", at_least(slowest),
          ideal(Rate::infinite()));
}

void describe(CoreConfig& c, config::Describer& d) {
  using namespace config;
  d.field("clock", c.clock, "core clock", within(Frequency(10'000'000), Frequency(10'000'000'000)),
          ideal(Frequency(10'000'000'000)));
  d.field("write_combining_buffers", c.write_combining_buffers, "64-byte lines that can be on their way out",
          within(1, 64), ideal(64));
  d.field("store_cycles", c.store_cycles, "cycles a store takes to retire", within(std::int64_t{1}, std::int64_t{1000}),
          ideal(std::int64_t{1}));
  d.field("store_width", c.store_width, "bytes that a store instruction stores at most", one_of({8, 16, 32, 64}));
  d.field("store_to_bus", c.store_to_bus, "from the store that completes a line to the line on the bus", at_most(1_us),
          ideal(0_ns));
  d.field("store_acknowledged", c.store_acknowledged,
          "from a stored line that has left the core to its acknowledgement, which a store fence waits for",
          at_most(1_us), ideal(0_ns));
  d.field("poll_cycles", c.poll_cycles, "cycles of one iteration of a polling loop",
          within(std::int64_t{1}, std::int64_t{10000}), ideal(std::int64_t{1}));
  d.field("poll_detect", c.poll_detect, "from the poll that misses in the cache to the new value in a register",
          at_most(1_us), ideal(0_ns));
  d.field("load_to_bus", c.load_to_bus, "from the issue of an uncached load to its request on the bus", at_most(1_us),
          ideal(0_ns));
  d.field("uncached_load", c.uncached_load,
          "from the answer to an uncached load on the bus to the instruction behind it: nothing follows it earlier",
          at_most(1_us), ideal(0_ns));
  d.field("load_buffer", c.load_buffer, "loads that a copy out of a write-combining mapping has under way",
          within(1, 1024), ideal(1024));
  d.field("streaming_lines", c.streaming_lines,
          "64-byte lines that such a copy has under way, each read whole, by one request; 0: each load of 16 B is a "
          "request, and those of a line follow each other",
          within(0, 1024));
  d.choice("sharing", c.sharing,
           {{"steps", static_cast<std::int64_t>(Sharing::steps), "programs take turns step by step"},
            {"run_to_completion", static_cast<std::int64_t>(Sharing::run_to_completion),
             "a program keeps the core until it waits for an interrupt or ends"}},
           "when the core passes from one program to another");
  d.field("switch_cycles", c.switch_cycles,
          "cycles to switch to another program than the one before; to and from interrupt handlers it costs nothing",
          within(std::int64_t{0}, std::int64_t{1'000'000}), ideal(std::int64_t{0}));
  d.object("copy", c.copy, "how fast it copies in memory");
  d.object("line_cache", c.line_cache, "what it keeps of the headers, flags and control words that libraries touch");
  d.object("compute", c.compute, "what it computes with");
}

}  // namespace tsunagi::host
