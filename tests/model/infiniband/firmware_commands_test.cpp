// SPDX-License-Identifier: Apache-2.0
// Commands of the driver to a card whose transport is firmware: what they cost, to the femtosecond, and what queue
// pairs that have been stopped, reset or restored do and do not.
#include <fmt/format.h>

#include <sstream>

#include "model/infiniband/firmware_times.hpp"
#include "support/child.hpp"

namespace firmware_commands_test {

using namespace tsunagi;
using namespace tsunagi::test;
using namespace tsunagi::test::firmware_times;
using infiniband::Command;
using infiniband::Operation;
using Code = Command::Code;

namespace {

constexpr int command_cycles = 300, range_cycles = 20, context_cycles = 60;
constexpr Bytes context_size = 256_B;

HcaParts parts() {
  HcaParts p = firmware_parts(48_B);
  p.firmware->command_cycles = command_cycles;
  p.firmware->range_cycles = range_cycles;
  p.firmware->context_cycles = context_cycles;
  p.firmware->context_size = context_size;
  p.rc.completion_size = 256_B;
  return p;
}

/// When the card has read a command that the driver leaves at 0.
Time command_read() {
  // Instructions of 0.4 ns: eight bytes each of the command, and of the register.
  const Time told = 400_ps * 9 + to_bus + hca_flight + posted + on_wire(8_B + 24_B) + hca_flight + port_latency;
  return read(told, 64_B);
}

Command command(Code code, std::uint32_t first = 0, std::uint32_t count = 1,
                Command::Of of = Command::Of::queue_pairs) {
  Command c;
  c.code = code;
  c.of = of;
  c.first = first;
  c.count = count;
  return c;
}

/// When the card's answers to a command, the only one, came to memory, the last first.
std::vector<Time> answers(const Command& c, int pairs, const std::vector<Command>& before = {}) {
  const std::string text = in_child([&] {
    HcaBench b(parts(), pairs);
    Time begin;
    b.program(0, [&](Fiber& f) {
      for (const Command& first : before) b.commands(0).run(f, first);
      if (!before.empty()) f.wait_until(100_us);
      begin = f.now();
      b.commands(0).run(f, c);
    });
    b.run();
    std::string out;
    for (const host::Extent& e : b.memory(0).extents())
      if (e.when > begin && e.length == 8_B) out += fmt::format("{} ", (e.when - begin).fs());
    return out;
  });
  std::istringstream in(text);
  std::vector<Time> out;
  for (std::int64_t fs = 0; in >> fs;) out.push_back(Time::from_fs(fs));
  return out;
}

/// What ends a program of node 0; node 1 does nothing.
std::string ended(const std::function<void(HcaBench&, Fiber&)>& program, int pairs = 1) {
  return in_child([&] {
    HcaBench b(parts(), pairs);
    b.program(0, [&](Fiber& f) { program(b, f); });
    try {
      return b.ended();
    } catch (const std::exception& e) {
      return std::string(e.what());
    }
  });
}

/// Whether node 1 has the 256 bytes from an offset on.
bool came(HcaBench& b, std::uint64_t offset) { return !b.seen(1, b.user(1, offset), 256_B).empty(); }

}  // namespace

TEST_CASE("a command costs its reading, its cycles, a word for each 32 queue pairs, and its answers") {
  for (const int pairs : {1, 32, 33, 100}) {
    CAPTURE(pairs);
    const int words = (pairs + 31) / 32;
    const Time carried_out = run(command_read(), command_cycles + range_cycles * words);
    const Time first = write(carried_out, 8_B), second = write(run(carried_out, dma_cycles), 8_B);
    const auto count = static_cast<std::uint32_t>(pairs);
    CHECK(answers(command(Code::stop, 0, count), pairs) == std::vector<Time>{first, second});
    // On the way of a command behind others it is where it was.
    CHECK(answers(command(Code::start, 0, count), pairs, {command(Code::stop, 0, count)}).size() == 1);
  }
}

TEST_CASE("contexts cost cycles each, and a transfer for each 4 KiB") {
  for (const int pairs : {1, 16, 17}) {
    CAPTURE(pairs);
    const auto count = static_cast<std::uint32_t>(pairs);
    const Command stop = command(Code::stop, 0, count);
    // An idle card runs on edges of its own, from any time on alike: 100 us are a whole number of cycles.
    Time t = run(command_read(), command_cycles);
    Time free = t;
    for (int left = pairs; left > 0; left -= 16) {
      const int n = std::min(left, 16);
      t = run(std::max(t, free), context_cycles * n);
      free = run(t, dma_cycles);
    }
    const std::vector<Time> saved = answers(command(Code::save, 0, count), pairs, {stop});
    REQUIRE(saved.size() == 1);
    // Behind the contexts on the same wire, of which the last ones are 4 KiB or less.
    CHECK(saved.front() >= write(free, 8_B));
    CHECK(saved.front() <= write(free, 8_B) + on_wire(5_KiB));
    const std::vector<Time> restored =
        answers(command(Code::restore, 0, count), pairs, {stop, command(Code::save, 0, count)});
    REQUIRE(restored.size() == 1);
    if (pairs == 1) {
      const Time there = read(run(command_read(), command_cycles), context_size);
      CHECK(restored.front() == write(run(there, context_cycles), 8_B));
    }
  }
}

TEST_CASE("a queue pair that has been stopped ends what it has begun, and begins nothing until it is started") {
  const std::string said = in_child([&] {
    HcaBench b(parts(), 2);
    for (int q = 0; q < 2; ++q)
      for (std::uint64_t i = 0; i < 4; ++i)
        b.node(1).preset_receive(b.receives(1, q), b.user(1, 0x10000 * static_cast<std::uint64_t>(q) + 4096 * i),
                                 4_KiB);
    std::string out;
    b.program(0, [&](Fiber& f) {
      for (int i = 0; i < 4; ++i) b.post(f, 0, work_request(Operation::send, 4_KiB, b.user(0)));
      b.commands(0).run(f, command(Code::stop));
      const bool under_way = !came(b, 4096 - 256);
      b.commands(0).await_stable(f, 0);
      out += fmt::format("{} {} ", under_way, came(b, 4096 - 256));
      f.wait_until(f.now() + 1_ms);
      int begun = 0;
      for (std::uint64_t i = 0; i < 4; ++i) begun += came(b, 4096 * i) ? 1 : 0;
      // The other queue pair goes on meanwhile.
      b.post(f, 0, work_request(Operation::send, 64_B, b.user(0)), 1);
      f.wait_until(f.now() + 100_us);
      out += fmt::format("{} {} ", begun, came(b, 0x10000));
      b.commands(0).run(f, command(Code::start));
      for (int i = 0; i < 5; ++i) b.done(f, 0);
      out += fmt::format("{}", came(b, 4096 * 3));
    });
    return b.ended() + out;
  });
  CHECK(said == "true true 1 true true");
}

TEST_CASE("a message that waits for a receiver does not keep a queue pair from coming to rest") {
  for (const bool stopped_first : {true, false}) {
    CAPTURE(stopped_first);
    const std::string said = in_child([&] {
      HcaBench b(parts());
      std::string out;
      b.program(0, [&](Fiber& f) {
        for (int i = 0; i < 3; ++i) b.post(f, 0, work_request(Operation::send, 64_B, b.user(0)));
        if (!stopped_first) f.wait_until(100_us);
        b.commands(0).run(f, command(Code::stop));
        b.commands(0).await_stable(f, 0);
        const Time stable = f.now();
        // Whose receiver looks again only behind that time.
        f.wait_until(2_ms);
        for (std::uint64_t i = 0; i < 3; ++i) b.node(1).preset_receive(b.receives(1), b.user(1, 4096 * i), 4_KiB);
        f.wait_until(10_ms);
        out += fmt::format("{} {} ", stable < 500_us, came(b, 0));
        b.commands(0).run(f, command(Code::start));
        for (int i = 0; i < 3; ++i) b.done(f, 0);
        for (std::uint64_t i = 0; i < 3; ++i) out += b.once(1, b.user(1, 4096 * i), 64_B, 0);
        out += fmt::format("{}", came(b, 4096 * 2));
      });
      return b.ended() + out;
    });
    CHECK(said == "true false true");
  }
}

TEST_CASE("an atomic operation that the peer has executed is answered before what is behind it is given back") {
  const std::string said = in_child([&] {
    HcaParts p = parts();
    int answers = 0;
    p.loses = [&answers](const Tapped& t) {
      return t.code == infiniband::Opcode::atomic_acknowledge && ++answers == 1;
    };
    HcaBench b(p);
    std::string out;
    const std::uint64_t counter = b.user(1, 0x8000), found = b.user(0, 0x8000);
    b.program(0, [&](Fiber& f) {
      infiniband::WorkRequest add = work_request(Operation::fetch_and_add, 8_B, found, counter);
      add.operand = 1;
      b.post(f, 0, add);
      b.post(f, 0, work_request(Operation::send, 64_B, b.user(0)));
      f.wait_until(100_us);  // the send has found no receive, and the answer is lost
      b.commands(0).run(f, command(Code::stop));
      b.commands(0).await_stable(f, 0);
      out += fmt::format("{} ", answers);
      f.wait_until(10_ms);
      b.node(1).preset_receive(b.receives(1), b.user(1), 4_KiB);
      b.commands(0).run(f, command(Code::start));
      for (int i = 0; i < 2; ++i) b.done(f, 0);
      out += fmt::format("{}", b.memory(1).word_ending_at(counter + 8).value);
    });
    b.program(1, [&](Fiber& f) {
      f.wait_until(5_ms);
      for (const Code code : {Code::stop, Code::save, Code::reset, Code::restore, Code::start})
        b.commands(1).run(f, command(code));
    });
    return b.ended() + out;
  });
  CHECK(said == "2 1");
}

TEST_CASE("a queue pair that is reset drops what comes for it, and goes on where it was when it is restored") {
  const std::string said = in_child([&] {
    HcaParts p = parts();
    p.verbs.timeout_code = 8;  // a millisecond
    HcaBench b(p);
    for (std::uint64_t i = 0; i < 3; ++i) b.node(1).preset_receive(b.receives(1), b.user(1, 4096 * i), 4_KiB);
    std::string out;
    b.program(0, [&](Fiber& f) {
      b.post(f, 0, work_request(Operation::send, 64_B, b.user(0)));
      b.done(f, 0);
      f.wait_until(1_ms);
      b.post(f, 0, work_request(Operation::send, 64_B, b.user(0)));
      f.wait_until(1500_us);
      out += fmt::format("{} ", came(b, 4096));
      b.done(f, 0);
      out += fmt::format("{} ", f.now() > 3_ms);
    });
    b.program(1, [&](Fiber& f) {
      f.wait_until(500_us);
      for (const Code code : {Code::stop, Code::save, Code::reset}) b.commands(1).run(f, command(code));
      f.wait_until(3_ms);
      for (const Code code : {Code::restore, Code::start}) b.commands(1).run(f, command(code));
    });
    const std::string wrong = b.ended();
    return wrong + out + fmt::format("{}", b.once(1, b.user(1, 4096), 64_B, 0).empty() && !came(b, 8192));
  });
  CHECK(said == "false true true");
}

TEST_CASE("a command that is seen done is behind what the card had received before") {
  const std::string said = in_child([&] {
    HcaParts p = parts();
    p.slot.lanes = 1;  // slower than the cable
    HcaBench b(p);
    b.node(1).preset_receive(b.receives(1), b.user(1), 64_KiB);
    std::string out;
    b.program(0, [&](Fiber& f) {
      b.post(f, 0, work_request(Operation::send, 64_KiB, b.user(0)));
      b.done(f, 0);  // the peer has acknowledged it
      out += fmt::format("{} ", came(b, 65536 - 256));
      b.commands(1).run(f, command(Code::stop));
      out += fmt::format("{}", came(b, 65536 - 256));
    });
    b.program(1, [](Fiber&) {});
    return b.ended() + out;
  });
  CHECK(said == "false true");
}

TEST_CASE("commands that cannot be are refused by name") {
  const auto one = [](const Command& c) { return ended([&](HcaBench& b, Fiber& f) { b.commands(0).run(f, c); }, 2); };
  CHECK(one(command(Code::stop, 1, 2)) == "node0.hca: a command for queues 1 to 2, of which there are 2");
  CHECK(one(command(Code::stop, 0, 0)).find("of which there are 2") != std::string::npos);
  CHECK(one(command(static_cast<Code>(9))) == "node0.hca: there is no such command");
  CHECK(one(command(Code::start, 0, 1, Command::Of::receive_queues)) ==
        "node0.hca: only queue pairs are stopped and started");
  const std::string at_rest = "queue pair 0 has not been stopped, or is not stable yet: its context is not at rest";
  for (const Code code : {Code::save, Code::reset, Code::restore})
    CHECK(one(command(code)).find(code == Code::restore ? "contexts that nobody has saved" : at_rest) !=
          std::string::npos);
  const auto stopped = [](Code code) {
    return ended([&](HcaBench& b, Fiber& f) {
      for (const Code c : {Code::stop, Code::reset, code}) b.commands(0).run(f, command(c));
    });
  };
  CHECK(stopped(Code::start) == "node0.hca: queue pair 0 is reset: it cannot be started");
}

}  // namespace firmware_commands_test
