// SPDX-License-Identifier: Apache-2.0
// Kernels and copies of streams: in order within one, at the same time in several, as far as engines allow.
#include "model/gpu_fpga/copy_engine_bench.hpp"
#include "support/child.hpp"

namespace streams_test {

using namespace copy_engine_test;
using gpu::Command;
using gpu::KernelCommand;
using gpu::WaitCommand;

namespace {

constexpr int streams = 2;  // behind the channels of two copy engines: the first one's number
constexpr Time launch = 1_us;
constexpr Time a_cycle = 2_ns;

struct StreamsBench : CopyBench {
  StreamsBench() {
    config.compute.clock = Frequency(500'000'000);
    config.compute.flops_per_cycle = 100;
    config.compute.single_flops_per_cycle = 300;
    config.compute.memory_rate = Rate::bytes_per_second(100'000'000'000);
    config.compute.launch_latency = launch;
  }
};

/// Where the `i`-th command says that it is over.
std::uint64_t semaphore_of(int i) { return semaphore + 64 * static_cast<std::uint64_t>(i); }

KernelCommand kernel(int i, Time t) {
  KernelCommand k;
  k.work.flops = t / a_cycle * 100;
  k.semaphore = semaphore_of(i);
  k.payload = 7;
  return k;
}
CopyCommand copy_out(int i, Bytes n) {
  CopyCommand c = copy(Aperture::local, 0, Aperture::host, buffer, n);
  c.semaphore = semaphore_of(i);
  return c;
}
CopyCommand copy_in(int i, Bytes n) {
  CopyCommand c = copy(Aperture::host, buffer + 0x100000, Aperture::local, 0x200000, n);
  c.semaphore = semaphore_of(i);
  return c;
}
WaitCommand wait(int i, int channel, std::uint64_t commands) {
  return {static_cast<std::uint32_t>(channel), commands, semaphore_of(i), 7};
}

/// When the first command of a channel that has the link to itself is there.
Time command_comes() {
  const Time doorbell = rung + 400_ps + 80_ns + flight + posted + on_wire(32_B) + flight + port_latency;
  const Time entry = edge(doorbell) + cycle * fetch_cycles + round_trip(8_B);
  return edge(entry) + cycle * fetch_cycles + round_trip(64_B);
}

/// Of a bench of its own.
Time of_child(const std::function<Time()>& f) {
  return Time::from_fs(std::stoll(in_child([&] { return std::to_string(f() / Time::from_fs(1)); })));
}

}  // namespace

TEST_CASE("a kernel runs when it is launched, for as long as the roofline says, and then releases its semaphore") {
  const auto ends_after = [](Work work) {
    return of_child([&] {
      StreamsBench b;
      b.build();
      KernelCommand k = kernel(0, Time::zero());
      k.work = work;
      b.run_commands(0, streams, {k});
      b.run();
      b.expect_all_home();
      return b.said(semaphore_of(0) + 4, 7);
    });
  };
  const auto end = [](Time runs) { return released(command_comes() + launch + runs); };
  CHECK(ends_after({1'000'000, 1000_B}) == end(20_us));
  CHECK(ends_after({1'000'000, 1000_B, Precision::single}) == end(a_cycle * 3334));
  CHECK(ends_after({100, 1'000'000_B}) == end(10_us));
  CHECK(ends_after({}) == end(Time::zero()));
}

TEST_CASE("kernels of one stream and of several run one after the other, a launch between them") {
  for (const bool together : {true, false}) {
    CAPTURE(together);
    const Time apart = of_child([&] {
      StreamsBench b;
      b.build();
      if (together) {
        b.run_commands(0, streams, {kernel(0, 20_us), kernel(1, 20_us)});
      } else {
        b.run_commands(0, streams, {kernel(0, 20_us)});
        b.run_commands(0, streams + 1, {kernel(1, 20_us)});
      }
      b.run();
      b.expect_all_home();
      const Time first = b.said(semaphore_of(0) + 4, 7);
      const Time second = b.said(semaphore_of(1) + 4, 7);
      return second > first ? second - first : first - second;  // which program comes first does not matter
    });
    CHECK(apart == launch + 20_us);  // both ends lie on edges alike
  }
}

TEST_CASE("two copies and a kernel of three streams take as long as the longest, copies of one way follow each other") {
  const Bytes n = 256_KiB;
  const auto last_of = [](const std::vector<std::vector<Command>>& of_streams, int commands) {
    return of_child([&] {
      StreamsBench b;
      b.build();
      for (std::size_t s = 0; s < of_streams.size(); ++s)
        b.run_commands(0, streams + static_cast<int>(s), of_streams[s]);
      b.run();
      b.expect_all_home();
      Time last;
      for (int i = 0; i < commands; ++i) last = std::max(last, b.said(semaphore_of(i) + 4, 7));
      return last - rung;
    });
  };
  const Time out = last_of({{copy_out(0, n)}}, 1);
  const Time in = last_of({{copy_in(0, n)}}, 1);
  const Time runs = last_of({{kernel(0, 100_us)}}, 1);
  CHECK(runs > out);
  CHECK(runs > in);
  const Time all = last_of({{kernel(0, 100_us)}, {copy_out(1, n)}, {copy_in(2, n)}}, 3);
  CHECK(all >= runs);
  CHECK(all < runs + 1_us);  // fetches share the link
  const Time both_out = last_of({{copy_out(0, n)}, {copy_out(1, n)}}, 2);
  CHECK(both_out > out * 2 - 5_us);  // of each, some microseconds are the way of the command
  // In one stream they follow each other, whatever engine they are for.
  const Time in_order = last_of({{kernel(0, 100_us), copy_out(1, n), copy_in(2, n)}}, 3);
  CHECK(in_order > 100_us + (out - 4_us) + (in - 4_us));
  CHECK(in_order < runs + out + in);
}

TEST_CASE("a copy behind a kernel in its stream begins when the kernel's release has left the GPU") {
  StreamsBench b;
  b.build();
  b.run_commands(0, streams, {kernel(0, 20_us), copy_out(1, 64_B)});
  b.run();
  b.expect_all_home();
  const Time last_thread = command_comes() + launch + 20_us;
  const Time left = edge(last_thread) + cycle * release_cycles + port_latency + on_wire(28_B);
  const Time begins = edge(left) + cycle * start_cycles;
  const Time read = begins + cycle * 2 + reading_gpu;  // 32 B a cycle
  CHECK(from(b.memory().extents(), buffer, 64_B).front().when == read + to_memory(64_B));
}

TEST_CASE("a stream waits for so many commands of another one, and says when that is over") {
  StreamsBench b;
  b.build();
  b.run_commands(0, streams, {kernel(0, 20_us), kernel(1, 20_us), kernel(2, 20_us)});
  b.run_commands(0, streams + 1, {wait(3, streams, 2), copy_out(4, 64_B), wait(5, streams, 3)});
  b.run();
  b.expect_all_home();
  const auto over = [&](int i) { return b.said(semaphore_of(i) + 4, 7); };
  CHECK(over(3) > over(1));
  CHECK(over(3) < over(1) + 200_ns);
  CHECK(over(4) > over(3));
  CHECK(over(4) < over(2));
  CHECK(over(5) > over(2));
}

TEST_CASE("a wait that is over already is told of behind the commands before it") {
  StreamsBench b;
  b.build();
  b.run_commands(0, streams, {kernel(0, 20_us), wait(1, streams + 1, 0), kernel(2, 20_us)});
  b.run();
  b.expect_all_home();
  const Time last_thread = command_comes() + launch + 20_us;
  CHECK(b.said(semaphore_of(0) + 4, 7) == released(last_thread));
  const Time left = edge(last_thread) + cycle * release_cycles + port_latency + on_wire(28_B);
  CHECK(b.said(semaphore_of(1) + 4, 7) == released(left));
  CHECK(b.said(semaphore_of(2) + 4, 7) > b.said(semaphore_of(1) + 4, 7) + launch + 20_us);
}

TEST_CASE("an engine's channel waits for a stream, and says so before it copies") {
  StreamsBench b;
  b.build();
  b.run_commands(0, streams, {kernel(0, 20_us)});
  b.run_commands(0, 0, {wait(1, streams, 1), copy_out(2, 64_B)});
  b.run();
  b.expect_all_home();
  const auto over = [&](int i) { return b.said(semaphore_of(i) + 4, 7); };
  CHECK(over(1) > over(0));
  CHECK(over(1) < over(0) + 200_ns);
  CHECK(over(2) > over(1));
}

TEST_CASE("a stream that waits for what never ends has not ended either") {
  StreamsBench b;
  b.build();
  b.run_commands(0, streams, {wait(0, streams + 1, 1)});
  b.run();
  CHECK_THAT(b.gpu(0).leftover(), Catch::Contains("a channel has commands"));
}

TEST_CASE("commands that a channel cannot have run end the run with their reason") {
  const auto refused = [](int channel, const Command& c, const char* why) {
    CHECK_THAT(in_child([&] {
                 StreamsBench b;
                 b.build();
                 b.run_commands(0, channel, {c});
                 return b.failure();
               }),
               Catch::Contains(why));
  };
  refused(0, kernel(0, 1_us), "a copy engine copies");
  refused(streams, wait(0, 99, 1), "waits for channel 99 of 34");
}

}  // namespace streams_test
