// SPDX-License-Identifier: Apache-2.0
// A card whose transport is firmware: what each message costs which processor, to the femtosecond.
#include <fmt/format.h>

#include <sstream>

#include "model/infiniband/firmware_times.hpp"
#include "support/child.hpp"

namespace firmware_hca_test {

using namespace tsunagi;
using namespace tsunagi::test;
using namespace tsunagi::test::firmware_times;
using infiniband::Operation;

namespace {

constexpr int schedule = 40, request = 90, packet = 30;
constexpr Time sending = 150_ns, receiving = 250_ns;

HcaParts parts(Bytes inline_limit) {
  HcaParts p = firmware_parts(inline_limit);
  p.hca.send_latency = sending;
  p.hca.receive_latency = receiving;
  p.firmware->schedule_cycles = schedule;
  p.firmware->request_cycles = request;
  p.firmware->packet_cycles = packet;
  p.verbs.post_cycles = 0;
  return p;
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
    CHECK(seen.completion == write(run(fetched, dma_cycles), 32_B));
  }
}

TEST_CASE("data in the request are a parameter: without, each message is two reads") {
  CHECK(send(8_B, 0_B).reads == 2);
  CHECK(send(8_B, 48_B).data < send(8_B, 0_B).data);
}

TEST_CASE("queue pairs have their turns in the order of their numbers, whichever was made first") {
  const auto completions = [](bool last_first) {
    return in_child([&] {
      constexpr int pairs = 5;
      HcaParts p = parts(48_B);
      p.firmware->packet_cycles = 2000;  // long enough for all to wait for the sending processor
      p.last_first = last_first;
      HcaBench b(p, pairs);
      std::string order;
      b.program(0, [&](Fiber& f) {
        for (int q = pairs - 1; q >= 0; --q) b.post(f, 0, work_request(Operation::write, 8_B, b.user(0), b.user(1)), q);
        for (int q = 0; q < pairs; ++q)
          order += fmt::format("{} at {}, ", b.done(f, 0).queue_pair, b.sim().agenda().now().fs());
      });
      const std::string wrong = b.ended();
      return wrong.empty() ? order : wrong;
    });
  };
  const std::string order = completions(false);
  INFO(order);
  CHECK(order.find("4 at ") == 0);  // it asked first; the others waited then
  CHECK(order.find("3 at ") > order.find("2 at "));
  CHECK(order == completions(true));
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
