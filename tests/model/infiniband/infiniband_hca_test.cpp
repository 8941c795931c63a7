// SPDX-License-Identifier: Apache-2.0
// How long a host channel adapter takes for what, to the femtosecond, from its parts.
#include "model/infiniband/hca_bench.hpp"
#include "support/child.hpp"

namespace infiniband_hca_test {

using namespace tsunagi;
using namespace tsunagi::test;
using infiniband::Operation;
using infiniband::WorkRequest;

namespace {

constexpr Time instruction = 400_ps;  // of the core
const Clock card_clock(Frequency(250'000'000));
constexpr int decode = 10, build = 4;
constexpr Time sending = 150_ns, receiving = 250_ns, port_latency = 48_ns;
constexpr Time to_bus = 80_ns, posted = 100_ns, reading = 200_ns, completing = 190_ns, reading_memory = 60_ns;

/// On Gen2 x8, and on QDR 4x: 4 GB/s each.
Time on_wire(Bytes n) { return 250_ps * n.count(); }

HcaParts parts(Bytes inline_limit = 28_B) {
  HcaParts p;
  p.hca.clock = card_clock.frequency();
  p.hca.decode_cycles = decode;
  p.hca.build_cycles = build;
  p.hca.send_latency = sending;
  p.hca.receive_latency = receiving;
  p.hca.pcie_latency = port_latency;
  p.hca.max_read_request = 4_KiB;
  p.hca.request_fetch = 64_B;
  p.core.store_to_bus = to_bus;
  p.rc.posted_latency = posted;
  p.rc.read_latency = reading;
  p.rc.completion_latency = completing;
  p.memory.read_latency = reading_memory;
  p.verbs.inline_limit = inline_limit;  // requests of 64 B
  p.verbs.post_cycles = 0;
  return p;
}

/// A store of `n` bytes to the card, until the card has it: `instructions` before it leaves.
Time rung(int instructions, Bytes n) {
  return instruction * instructions + to_bus + hca_flight + posted + on_wire(n + 24_B) + hca_flight + port_latency;
}
/// A read of the card, at an edge, that is answered by completions of 256 B.
Time round_trip(Bytes n) {
  return port_latency + on_wire(24_B) + hca_flight + reading + hca_flight + reading_memory + hca_flight + completing +
         on_wire(n + 20_B * units_of(n, 256_B)) + hca_flight + port_latency;
}
/// From a packet's last data to where it is taken in.
Time carried(Time t, Bytes on_cable) {
  return card_clock.after(t, build) + sending + on_wire(on_cable) + hca_flight + receiving;
}
/// From there to memory: every write of up to 256 B starts on an edge.
Time to_memory(Time taken_in, Bytes n) {
  Time t = card_clock.at_or_after(taken_in + port_latency);
  for (; n > 256_B; n -= 256_B) t = card_clock.at_or_after(t + on_wire(256_B + 24_B));
  return t + on_wire(n + 24_B) + hca_flight + posted + hca_flight;
}

constexpr Bytes write_only = 44_B, read_request = 44_B, read_response = 32_B;  // around the data

/// When the last byte of what a request brings is in memory.
Time taken(const HcaParts& p, Operation o, Bytes n, int max_train = 1) {
  HcaBench b(p, 1, max_train);
  b.program(0, [&](Fiber& f) {
    WorkRequest w;
    w.operation = o;
    w.length = n;
    w.local = b.user(0);
    w.remote = b.user(1);
    b.post(f, 0, w);
    b.done(f, 0);
  });
  b.run();
  const int to = o == Operation::read ? 0 : 1;
  const auto seen = b.seen(to, b.user(to), n);
  REQUIRE_FALSE(seen.empty());
  return seen.back().when;
}

/// The same in a process of its own.
Time apart(const HcaParts& p, Operation o, Bytes n) {
  return Time::from_fs(std::stoll(in_child([&] { return std::to_string(taken(p, o, n).fs()); })));
}

}  // namespace

TEST_CASE("an inline write by BlueFlame goes from store to memory without a read") {
  // 48 B to the ring and to the card, eight at a time.
  const Time came = rung(12, 48_B);
  const Time decoded = card_clock.after(came, decode);
  CHECK(taken(parts(), Operation::write, 8_B) == to_memory(carried(decoded, write_only + 8_B), 8_B));
}

TEST_CASE("libmlx5 writes a request without its data into the card: it takes the read of the data alone") {
  HcaParts p = parts(0_B);
  p.verbs.provider = libraries::Provider::mlx5;
  // 48 B to the ring, the doorbell record, and a whole line to the card.
  const Time data = card_clock.after(rung(15, 64_B), decode) + round_trip(8_B);
  CHECK(taken(p, Operation::write, 8_B) == to_memory(carried(data, write_only + 8_B), 8_B));
}

TEST_CASE("libmlx5 rings for a request that the card's register does not take, behind the doorbell record") {
  HcaParts p = parts(220_B);
  p.verbs.provider = libraries::Provider::mlx5;
  p.hca.blueflame = 64_B;
  p.hca.request_fetch = 320_B;
  const Time fetched = card_clock.after(rung(16, 4_B), decode) + round_trip(320_B);
  const Time decoded = card_clock.after(fetched, decode);
  CHECK(taken(p, Operation::write, 64_B) == to_memory(carried(decoded, write_only + 64_B), 64_B));
}

TEST_CASE("libmlx5's post ends when the core's last store has been acknowledged, libmlx4's with the store") {
  const auto post = [](libraries::Provider provider, int requests) {
    return Time::from_fs(std::stoll(in_child([&] {
      HcaParts p = parts(0_B);
      p.verbs.provider = provider;
      p.verbs.post_cycles = 20;
      p.core.store_acknowledged = 70_ns;
      HcaBench b(p);
      Time took;
      b.program(0, [&](Fiber& f) {
        const Time begin = f.now();
        for (int i = 0; i < requests; ++i) b.post(f, 0, work_request(Operation::write, 8_B, b.user(0), b.user(1)));
        took = f.now() - begin;
        for (int i = 0; i < requests; ++i) b.done(f, 0);
      });
      b.run();
      return std::to_string(took.fs());
    })));
  };
  for (const int requests : {1, 5}) {
    CHECK(post(libraries::Provider::mlx4, requests) == instruction * (20 + 7) * requests);
    CHECK(post(libraries::Provider::mlx5, requests) == (instruction * (20 + 15) + to_bus + 70_ns) * requests);
  }
}

TEST_CASE("libmlx5's doorbell record counts the requests of a send queue, in the line behind it") {
  HcaParts p = parts(0_B);
  p.verbs.provider = libraries::Provider::mlx5;
  HcaBench b(p);
  b.program(0, [&](Fiber& f) {
    b.post_all(f, 0, std::vector<WorkRequest>(3, work_request(Operation::write, 8_B, b.user(0), b.user(1))));
  });
  b.run();
  const libraries::QueueEnd& q = b.queue(0);
  CHECK(q.record == q.sends.base + unsigned_of(q.sends.entry * q.sends.entries));
  CHECK(b.memory(0).bytes(q.record, 4_B) == std::vector<std::uint8_t>{3, 0, 0, 0});
}

TEST_CASE("a write that is not inline takes two reads, one behind the other") {
  const Time fetched = card_clock.after(rung(7, 4_B), decode) + round_trip(64_B);
  const Time data = card_clock.after(fetched, decode) + round_trip(8_B);
  CHECK(taken(parts(0_B), Operation::write, 8_B) == to_memory(carried(data, write_only + 8_B), 8_B));
}

TEST_CASE("an inline write that does not fit BlueFlame takes one read") {
  HcaParts p = parts(220_B);
  p.hca.blueflame = 64_B;
  p.hca.request_fetch = 320_B;  // an entry
  // 64 B of data: 32 B of segments, two headers of 4 B, in 112 B.
  const Time fetched = card_clock.after(rung(15, 4_B), decode) + round_trip(320_B);
  const Time decoded = card_clock.after(fetched, decode);
  CHECK(taken(p, Operation::write, 64_B) == to_memory(carried(decoded, write_only + 64_B), 64_B));
}

TEST_CASE("an RDMA read goes by BlueFlame and takes one read there") {
  const Time came = rung(12, 48_B);
  const Time asked = carried(card_clock.after(came, decode), read_request);
  const Time data = card_clock.at_or_after(asked) + round_trip(256_B);
  CHECK(taken(parts(), Operation::read, 256_B) == to_memory(carried(data, read_response + 256_B), 256_B));
}

TEST_CASE("a read's answer is set up before its data are read, one after the other") {
  const auto last = [](int cycles, int reads) {
    return Time::from_fs(std::stoll(in_child([&] {
      HcaParts p = parts();
      p.hca.read_cycles = cycles;
      p.hca.packet_cycles = 1;
      p.hca.request_fetch = 4_KiB;
      HcaBench b(p);
      b.program(0, [&](Fiber& f) {
        for (int i = 0; i < reads; ++i) b.post(f, 0, work_request(Operation::read, 8_B, b.user(0), b.user(1)));
        for (int i = 0; i < reads; ++i) b.done(f, 0);
      });
      b.run();
      const auto seen = b.seen(0, b.user(0), 8_B);
      return std::to_string(seen.back().when.fs());
    })));
  };
  CHECK(last(1000, 1) - last(0, 1) == card_clock.cycles(1000));
  CHECK(last(1000, 4) - last(1000, 1) >= card_clock.cycles(3000));
  CHECK(last(1000, 4) - last(1000, 1) <= card_clock.cycles(3000) + 1_us);
}

TEST_CASE("an idle queue pair's context is looked up while its request is read") {
  const auto with = [](int cycles, Bytes inline_limit, Bytes n) {
    HcaParts p = parts(inline_limit);
    p.hca.context_cycles = cycles;
    return apart(p, Operation::write, n);
  };
  CHECK(with(100, 28_B, 8_B) - with(0, 28_B, 8_B) == card_clock.cycles(100 - decode));
  CHECK(with(decode, 28_B, 8_B) == with(0, 28_B, 8_B));
  CHECK(with(100, 0_B, 8_B) == with(0, 0_B, 8_B));  // reading it takes longer
}

TEST_CASE("at the inline limit a fetch and a read more begin") {
  const HcaParts p = parts();
  const Time below = apart(p, Operation::write, 28_B);
  const Time above = apart(p, Operation::write, 29_B);
  const Time inlined = to_memory(carried(card_clock.after(rung(16, 64_B), decode), write_only + 28_B), 28_B);
  const Time fetched = card_clock.after(rung(7, 4_B), decode) + round_trip(64_B);
  // On either wire data are padded to whole 4 B.
  const Time data = card_clock.after(fetched, decode) + round_trip(32_B);
  CHECK(below == inlined);
  CHECK(above == to_memory(carried(data, write_only + 32_B), 32_B));
}

TEST_CASE("what a packet carries is read, sent and written one after the other") {
  const HcaParts p = parts();
  const Time one = apart(p, Operation::write, 1_KiB), two = apart(p, Operation::write, 2_KiB);
  const Time fetched = card_clock.after(rung(7, 4_B), decode) + round_trip(64_B);
  for (const auto& [n, seen] : {std::pair{1_KiB, one}, {2_KiB, two}}) {
    const Time data = card_clock.after(fetched, decode) + round_trip(n);
    CHECK(seen == to_memory(carried(data, write_only + n), n));
  }
}

TEST_CASE("packets of a message overlap: a longer one costs the slowest stage alone") {
  HcaParts p = parts();
  p.hca.packet_cycles = 1;
  const Time per_packet = card_clock.cycles(18) * 8;  // writes of 280 B to host memory, at 16 B a cycle
  const Time t32 = apart(p, Operation::write, 64_KiB), t64 = apart(p, Operation::write, 128_KiB);
  CHECK(t64 - t32 == per_packet * 32);
}

TEST_CASE("on a fast slot the cable is the slowest stage") {
  HcaParts p = parts();
  p.slot.lanes = 16;
  p.rc.buffers = {};
  const Time per_packet = on_wire(2_KiB + 28_B);  // a middle packet
  const Time t32 = apart(p, Operation::write, 64_KiB), t64 = apart(p, Operation::write, 128_KiB);
  CHECK(t64 - t32 == per_packet * 32);
  const Time whole = apart(p, Operation::write, 1_MiB);
  CHECK(whole > per_packet * 512);
  CHECK(whole < per_packet * 512 + Time::from_fs((per_packet * 512).fs() / 50));
}

TEST_CASE("a card makes a packet each so many cycles") {
  HcaParts p = parts();
  p.hca.packet_cycles = 1000;
  const Time t8 = apart(p, Operation::write, 16_KiB), t16 = apart(p, Operation::write, 32_KiB);
  CHECK(t16 - t8 == card_clock.cycles(1000) * 8);
}

TEST_CASE("a small send buffer makes packets wait for each other") {
  HcaParts p = parts();
  p.hca.send_buffer = 4_KiB;
  p.cable.mtu = p.verbs.mtu = 4_KiB;
  // The next packet's data are asked for at the first edge behind the last one's way out.
  const Time t4 = apart(p, Operation::write, 16_KiB), t8 = apart(p, Operation::write, 32_KiB);
  const Time once = round_trip(4_KiB) + sending + on_wire(4_KiB + 28_B);
  CHECK(t8 - t4 >= (once + card_clock.cycles(build)) * 4);
  CHECK(t8 - t4 <= (once + card_clock.cycles(build + 2)) * 4);
}

TEST_CASE("messages take the same time in trains") {
  const HcaParts p = parts();
  for (const Operation o : {Operation::write, Operation::read})
    for (const Bytes n : {8_B, 5001_B, 64_KiB}) {
      const auto in = [&](int max_train) {
        return in_child([&] { return std::to_string(taken(p, o, n, max_train).fs()); });
      };
      CHECK(in(1) == in(64));
    }
}

TEST_CASE("a queue pair has so many reads under way at most") {
  HcaParts p = parts();
  p.hca.reads_under_way = 2;
  p.hca.request_fetch = 4_KiB;
  HcaBench b(p);
  b.program(0, [&](Fiber& f) {
    for (int i = 0; i < 6; ++i) {
      WorkRequest w;
      w.operation = Operation::read;
      w.length = 8_B;
      w.local = b.user(0, 0x1000 * static_cast<std::uint64_t>(i));
      w.remote = b.user(1);
      b.post(f, 0, w);
    }
    for (int i = 0; i < 6; ++i) b.done(f, 0);
  });
  b.run();
  std::vector<Time> when;
  for (int i = 0; i < 6; ++i)
    when.push_back(b.seen(0, b.user(0, 0x1000 * static_cast<std::uint64_t>(i)), 8_B).at(0).when);
  // Two wait for the answers of the two before.
  const Time once = sending + receiving + round_trip(8_B) + sending + receiving;
  CHECK(when[1] - when[0] < once);
  CHECK(when[2] - when[0] > once);
  CHECK(when[3] - when[1] > once);
  CHECK(when[4] - when[2] > once);
  CHECK(when[5] - when[3] > once);
}

}  // namespace infiniband_hca_test
