// SPDX-License-Identifier: Apache-2.0
// A card whose transport is firmware: what each message costs which processor, to the femtosecond.
#include <fmt/format.h>

#include <sstream>

#include "model/infiniband/hca_bench.hpp"
#include "support/child.hpp"

namespace firmware_hca_test {

using namespace tsunagi;
using namespace tsunagi::test;
using infiniband::Operation;

namespace {

constexpr int schedule = 40, request = 90, dma = 70, packet = 30;
const Clock card_clock(Frequency(250'000'000));
constexpr Time sending = 150_ns, receiving = 250_ns, port_latency = 48_ns;
constexpr Time to_bus = 80_ns, posted = 100_ns, reading = 200_ns, completing = 190_ns, reading_memory = 60_ns;

Time on_wire(Bytes n) { return 250_ps * n.count(); }  // Gen2 x8 and QDR 4x alike

HcaParts parts(Bytes inline_limit) {
  HcaParts p;
  p.hca.clock = card_clock.frequency();
  p.hca.send_latency = sending;
  p.hca.receive_latency = receiving;
  p.firmware.emplace();
  p.firmware->schedule_cycles = schedule;
  p.firmware->request_cycles = request;
  p.firmware->dma_cycles = dma;
  p.firmware->packet_cycles = packet;
  p.firmware->bus.latency = port_latency;
  p.firmware->bus.max_read = 4_KiB;
  p.core.store_to_bus = to_bus;
  p.rc.posted_latency = posted;
  p.rc.read_latency = reading;
  p.rc.completion_latency = completing;
  p.memory.read_latency = reading_memory;
  p.verbs.inline_limit = inline_limit;
  p.verbs.post_cycles = 0;
  return p;
}

/// What data weigh on both wires.
Bytes dwords(Bytes n) { return 4_B * units_of(n, 4_B); }

/// Work of a processor that is idle, from `t` on.
Time run(Time t, int cycles) { return card_clock.after(t, cycles); }

/// A read of the card that a processor starts at `t`: its TLP leaves on an edge, one completion of `n` comes back.
Time read(Time t, Bytes n) {
  t = card_clock.at_or_after(run(t, dma) + port_latency);
  return t + on_wire(24_B) + hca_flight + reading + hca_flight + reading_memory + hca_flight + completing +
         on_wire(dwords(n) + 20_B) + hca_flight + port_latency;
}

/// A write of `n` bytes that a processor starts at `t`, until memory has it.
Time write(Time t, Bytes n) {
  t = card_clock.at_or_after(run(t, dma) + port_latency);
  return t + on_wire(dwords(n) + 24_B) + hca_flight + posted + hca_flight;
}

/// When the sending processor hands the packet of a send of `n` bytes to the port.
Time built(Bytes n, bool inlined) {
  // Instructions of 0.4 ns: eight bytes of the request each (whole 16 B), the doorbell of four.
  const Bytes stored = 16_B + (inlined ? 16_B * units_of(n, 16_B) : 16_B);
  Time t = 400_ps * (units_of(stored, 8_B) + 1) + to_bus + hca_flight + posted + on_wire(4_B + 24_B) + hca_flight +
           port_latency;
  t = run(t, schedule);
  t = read(t, 64_B);
  t = run(t, request);
  t = run(t, packet);
  return inlined ? t : card_clock.at_or_after(read(t, n));
}

struct Seen {
  Time data;
  Time completion;
  std::int64_t reads = 0;
};

Seen simulated_send(Bytes n, Bytes inline_limit) {
  HcaBench b(parts(inline_limit));
  b.node(1).preset_receive(b.receives(1), b.user(1), 4_KiB);
  Seen out;
  b.program(0, [&](Fiber& f) {
    b.post(f, 0, work_request(Operation::send, n, b.user(0)));
    b.await_done(f, 0);
  });
  const std::uint64_t told = b.next_received(1);
  b.run();
  for (const host::Extent& e : b.seen(1, b.user(1), n)) out.data = e.when;
  for (const host::Extent& e : b.seen(1, told, 32_B)) out.completion = e.when;
  out.reads = b.card(0).sending_reads();
  return out;
}

/// In a child: an elaboration a process.
Seen send(Bytes n, Bytes inline_limit) {
  const std::string text = in_child([&] {
    const Seen s = simulated_send(n, inline_limit);
    return fmt::format("{} {} {}", s.data.fs(), s.completion.fs(), s.reads);
  });
  std::istringstream in(text);
  std::int64_t data = 0, completion = 0;
  Seen out;
  in >> data >> completion >> out.reads;
  INFO(text);
  REQUIRE(!in.fail());
  out.data = Time::from_fs(data);
  out.completion = Time::from_fs(completion);
  return out;
}

}  // namespace

TEST_CASE("a message of firmware costs the scheduler, a request, a packet, and each transfer its start") {
  struct Case {
    Bytes n;
    bool inlined;
  };
  for (const Case& c : {Case{8_B, true}, Case{48_B, true}, Case{49_B, false}, Case{200_B, false}}) {
    INFO(c.n.count() << " B");
    const Seen seen = send(c.n, 48_B);
    // LRH 8, BTH 12, ICRC 4, VCRC 2, two delimiters, data in whole 4 B.
    const Bytes on_cable = 28_B + dwords(c.n);
    Time t = built(c.n, c.inlined) + sending + on_wire(on_cable) + hca_flight + receiving;
    t = run(t, packet + request);
    const Time fetched = read(t, 64_B);  // nothing was fetched ahead: the receive
    const Time data = write(fetched, c.n);
    CHECK(seen.data == data);
    CHECK(seen.reads == (c.inlined ? 1 : 2));
    // Started one behind the other by one processor; the second write leaves behind the first.
    CHECK(seen.completion == write(run(fetched, dma), 32_B));
  }
}

TEST_CASE("data in the request are a parameter: without, each message is two reads") {
  CHECK(send(8_B, 0_B).reads == 2);
  CHECK(send(8_B, 48_B).data < send(8_B, 0_B).data);
}

TEST_CASE("a work request of 64 B cannot hold 49 B of data") {
  const std::string said = in_child([] {
    try {
      HcaBench b(parts(49_B));
    } catch (const std::exception& e) {
      return std::string(e.what());
    }
    return std::string("built");
  });
  CHECK(said.find("49 B of data do not fit into a work request of node0.hca: 48 B do") != std::string::npos);
}

}  // namespace firmware_hca_test
