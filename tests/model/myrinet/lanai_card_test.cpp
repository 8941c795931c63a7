// SPDX-License-Identifier: Apache-2.0
// A LANai card: what each packet costs, to the femtosecond, and what it does when something is lacking.
#include "model/myrinet/lanai_bench.hpp"
#include "support/child.hpp"

namespace lanai_card_test {

using namespace tsunagi;
using namespace tsunagi::test;
using libraries::LanaiNode;

namespace {

constexpr int sending = 90, receiving = 110, starting = 30;
const Clock card_clock(Frequency(225'000'000));
constexpr Time to_wire = 120_ns, from_wire = 130_ns, port_latency = 48_ns;
constexpr Time to_bus = 80_ns, posted = 100_ns, reading = 200_ns, completing = 190_ns, reading_memory = 60_ns;

Time on_slot(Bytes n) { return 250_ps * n.count(); }  // Gen2 x8
Bytes dwords(Bytes n) { return 4_B * units_of(n, 4_B); }

LanaiParts parts() {
  LanaiParts p;
  p.card.clock = card_clock.frequency();
  p.card.send_cycles = sending;
  p.card.receive_cycles = receiving;
  p.card.dma_cycles = starting;
  p.card.send_latency = to_wire;
  p.card.receive_latency = from_wire;
  p.card.bus.latency = port_latency;
  p.card.bus.max_read = 4_KiB;
  p.core.store_to_bus = to_bus;
  p.rc.posted_latency = posted;
  p.rc.read_latency = reading;
  p.rc.completion_latency = completing;
  p.memory.read_latency = reading_memory;
  p.node.post_cycles = 0;
  p.cable.flight = 30_ns;
  p.cable.transceivers = 70_ns;
  return p;
}

Time run(Time t, int cycles) { return card_clock.after(t, cycles); }

/// A store of `n` bytes of a core that begins at 0, until the card has it.
Time stored(Bytes n) {
  return 400_ps * units_of(n, 8_B) + to_bus + lanai_flight + posted + on_slot(dwords(n) + 24_B) + lanai_flight +
         port_latency;
}

/// A read of the card that its processor starts at `t`.
Time read(Time t, Bytes n) {
  t = card_clock.at_or_after(run(t, starting) + port_latency);
  return t + on_slot(24_B) + lanai_flight + reading + lanai_flight + reading_memory + lanai_flight + completing +
         on_slot(dwords(n) + 20_B) + lanai_flight + port_latency;
}

/// A write of `n` bytes that it starts at `t`, until memory has it.
Time written(Time t, Bytes n) {
  t = card_clock.at_or_after(run(t, starting) + port_latency);
  return t + on_slot(dwords(n) + 24_B) + lanai_flight + posted + lanai_flight;
}

/// A packet of `n` bytes on the cable between two cards, from the first card's memory to the second's.
Time cabled(Bytes n) { return to_wire + 100_ns + 4_ns * (4 + n.count() + 2) + from_wire; }

/// When the last byte of data and the event of a packet came to the receiver's memory.
std::pair<Time, Time> seen_at(LanaiBench& b, Bytes n) {
  std::pair<Time, Time> out;
  for (const host::Extent& e : b.node(1).memory().extents()) {
    if (e.length == 16_B) out.second = e.when;
    if (n != 16_B && e.length == n) out.first = e.when;
  }
  return out;
}

}  // namespace

TEST_CASE("LANai: a packet costs a descriptor, two transfers and an event, and their starts") {
  for (const Bytes n : {1_B, 8_B, 64_B, 200_B, 250_B}) {
    const std::string seen = in_child([n] {
      LanaiBench b(parts());
      b.program(0, [&](Fiber& f) { b.node(0).post(f, 1, b.user(0), n, 7, false); });
      b.program(1, [&](Fiber& f) {
        const LanaiNode::Came came = b.node(1).next(f);
        REQUIRE(came.size == n);
        REQUIRE(came.type == 7);
        REQUIRE(came.buffer == 0);
      });
      b.run();
      Time t = read(run(stored(32_B), sending), n);
      t = run(t + cabled(n), receiving);
      const Time data = written(t, n);
      const auto [data_seen, event_seen] = seen_at(b, n);
      REQUIRE(data_seen == data);
      REQUIRE(event_seen == written(run(t, starting), 16_B));
      return std::string("ok");
    });
    CHECK(seen == "ok");
  }
}

TEST_CASE("LANai: a descriptor in host memory is one more read") {
  const auto came = [](myrinet::SendQueue q) {
    return std::stoll(in_child([q] {
      LanaiParts p = parts();
      p.card.send_queue = q;
      LanaiBench b(p);
      b.program(0, [&](Fiber& f) { b.node(0).post(f, 1, b.user(0), 64_B, 7, false); });
      b.program(1, [&](Fiber& f) { b.node(1).next(f); });
      b.run();
      return std::to_string(seen_at(b, 64_B).first.fs());
    }));
  };
  // The core stores 32 B in its memory beside the 4 B of the doorbell.
  const Time rung = stored(4_B) + 400_ps * 4;
  Time t = read(run(read(rung, 32_B), sending), 64_B);
  t = written(run(t + cabled(64_B), receiving), 64_B);
  CHECK(came(myrinet::SendQueue::host_memory) == t.fs());
  CHECK(came(myrinet::SendQueue::programmed_io) < t.fs());
}

TEST_CASE("LANai: packets of one destination arrive in order, at the wire's rate") {
  LanaiParts p = parts();
  p.card.send_cycles = p.card.receive_cycles = p.card.dma_cycles = 1;
  p.cable.max_payload = 2_KiB;
  LanaiBench b(p);
  constexpr int packets = 40;
  b.program(0, [&](Fiber& f) {
    for (std::uint32_t i = 0; i < packets; ++i) b.node(0).post(f, 1, b.user(0), 2_KiB, i, false);
  });
  std::vector<Time> came;
  b.program(1, [&](Fiber& f) {
    for (std::uint32_t i = 0; i < packets; ++i) {
      const LanaiNode::Came c = b.node(1).next(f);
      REQUIRE(c.type == i);
      REQUIRE(c.size == 2_KiB);
      came.push_back(f.now());
      b.node(1).release(f, c.buffer);
    }
  });
  b.run();
  // A packet of 2,048 B takes 2,054 bytes' time.
  const Time each = 4_ns * 2054;
  const Time all = came.back() - came[4];
  CHECK(all > each * (packets - 5) - 100_ns);
  CHECK(all < each * (packets - 5) + 100_ns);
}

TEST_CASE("LANai: what bytes say comes as it was sent") {
  for (const Bytes n : {8_B, 40_B, 3000_B}) {
    const std::string seen = in_child([n] {
      LanaiBench b(parts());
      b.program(0, [&](Fiber& f) {
        std::vector<std::uint8_t> text(static_cast<std::size_t>(n.count()));
        for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<std::uint8_t>(1 + i * 7 % 250);
        b.node(0).core().store(f, b.user(0), {text.data(), text.size()});
        b.node(0).post(f, 1, b.user(0), n, 7, false);
      });
      b.program(1, [&](Fiber& f) {
        const LanaiNode::Came c = b.node(1).next(f);
        const std::vector<std::uint8_t> bytes = b.node(1).memory().bytes(c.address, c.size);
        for (std::size_t i = 0; i < bytes.size(); ++i) REQUIRE(bytes[i] == 1 + i * 7 % 250);
      });
      b.run();
      return std::string("ok");
    });
    CHECK(seen == "ok");
  }
}

TEST_CASE("LANai: software is told how many sends have left its memory, when it asks") {
  LanaiBench b(parts());
  Time told, came;
  b.program(0, [&](Fiber& f) {
    for (std::uint32_t i = 0; i < 3; ++i) b.node(0).post(f, 1, b.user(0), 200_B, i, i == 2);
    b.node(0).await_sent(f, 3);
    told = f.now();
  });
  b.program(1, [&](Fiber& f) {
    for (int i = 0; i < 3; ++i) b.node(1).next(f);
    came = f.now();
  });
  b.run();
  CHECK(told > 0_ns);
  CHECK(told < came);
}

TEST_CASE("LANai: trains of pieces change no result") {
  const auto times = [](int max_train, const auto& again, const std::string& findings) -> std::string {
    const std::string seen = in_child([&] {
      LanaiParts p = parts();
      p.memory.record = false;
      p.card.receive_buffers = 2;
      LanaiBench b(p, 4, max_train, findings);
      std::string out[4];
      for (int me = 0; me < 4; ++me)
        b.program(me, [&b, &out, me](Fiber& f) {
          for (std::uint32_t i = 0; i < 9; ++i)
            b.node(me).post(f, (me + 1 + static_cast<int>(i) % 3) % 4, b.user(me), Bytes(10 + i * 777), i, false);
          for (int i = 0; i < 9; ++i) {
            const LanaiNode::Came c = b.node(me).next(f);
            out[me] += std::to_string(f.now().fs()) + " ";
            b.node(me).release(f, c.buffer);
          }
        });
      if (max_train > 1) {
        if (const std::string found = b.attempt(); !found.empty()) return "again " + found;
      } else {
        b.run();
      }
      return out[0] + out[1] + out[2] + out[3];
    });
    return seen.rfind("again ", 0) == 0 ? again(max_train, again, seen.substr(6)) : seen;
  };
  const std::string alone = times(1, times, "");
  CHECK(alone.size() > 300);
  CHECK(times(64, times, "") == alone);
}

}  // namespace lanai_card_test
