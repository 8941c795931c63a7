// SPDX-License-Identifier: Apache-2.0
// The scenario alone, on a card whose operations take what the test says; and its units.
#include "scenarios/benchmarks/pcie_bench.hpp"

#include <set>
#include <stdexcept>

#include "scenarios/benchmarks/transfer_units.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace pcie_bench_test {

using namespace tsunagi;
using namespace tsunagi::scenarios;
using comm::DmaOperation;
using Kind = DmaOperation::Kind;

TEST_CASE("a unit is a transfer and its offset in whole cache lines") {
  const auto unit = [](Bytes size, Bytes offset) { return TransferUnits{1_MiB, size, offset}.unit(); };
  CHECK(unit(1_B, 0_B) == 64_B);
  CHECK(unit(64_B, 0_B) == 64_B);
  CHECK(unit(64_B, 1_B) == 128_B);
  CHECK(unit(63_B, 1_B) == 64_B);
  CHECK(unit(65_B, 0_B) == 128_B);
  CHECK(unit(4_KiB, 0_B) == 4_KiB);
}

TEST_CASE("a window has whole units") {
  CHECK(TransferUnits{8_KiB, 64_B, 0_B}.count() == 128);
  CHECK(TransferUnits{1000_B, 65_B, 0_B}.count() == 7);
  CHECK(TransferUnits{64_B, 64_B, 1_B}.count() == 0);
}

TEST_CASE("sequential transfers go round the window behind their offset") {
  const TransferUnits u{300_B, 60_B, 8_B};  // of 128 B: two
  stats::RandomStream random(1, "test");
  CHECK(u.places(5, UnitOrder::sequential, random) == std::vector<Bytes>{8_B, 136_B, 8_B, 136_B, 8_B});
}

TEST_CASE("random transfers reach all units and nothing else and are the same for the same seed") {
  const TransferUnits u{1_KiB, 64_B, 0_B};
  stats::RandomStream random(1, "test"), again(1, "test"), other(2, "test");
  const std::vector<Bytes> places = u.places(1000, UnitOrder::random, random);
  std::set<std::int64_t> seen;
  for (const Bytes at : places) seen.insert(at.count());
  CHECK(seen.size() == 16);
  for (const std::int64_t at : seen) CHECK((at % 64 == 0 && at < 1024));
  CHECK(places == u.places(1000, UnitOrder::random, again));
  CHECK(places != u.places(1000, UnitOrder::random, other));
}

namespace {

class StoryFiber final : public Fiber {
 public:
  std::string_view name() const override { return "fake"; }
  Time now() const override { return now_; }
  void wait_until(Time when) override { now_ = std::max(now_, when); }

 protected:
  void suspend() override { throw std::logic_error("waits"); }
  void suspend_until(Time when) override { wait_until(when); }
  void wake() override {}

 private:
  Time now_;
};

/// Takes 10 ns for the first operation, 20 for the second and so on, or what `takes` says; tells what was asked for.
class StoryCard final : public comm::Library, public comm::Dma {
 public:
  StoryCard() { add_facet<comm::Dma>(*this); }
  int ranks() const override { return 1; }
  std::string place(int) const override { return "card"; }
  Bytes largest_message() const override { return 1_MiB; }
  void send(Fiber&, int, int, const comm::Buffer&) override {}
  void recv(Fiber&, int, int, const comm::Buffer&) override {}

  std::vector<std::string> methods() const override { return {"dma", "command"}; }
  Bytes largest(int method) const override { return method == 0 ? 1_MiB : 64_B; }
  Bytes buffer(comm::DmaMemory m) const override { return m == comm::DmaMemory::local ? 1_MiB : 64_KiB; }
  Rate link_rate() const override { return Rate::bytes_in(1, 1000); }  // a byte a picosecond
  comm::DmaLoad load(const DmaOperation& o) const override {
    return o.kind == Kind::write ? comm::DmaLoad{o.size, {}} : comm::DmaLoad{10_B, o.size};
  }
  Time least(const DmaOperation& o) const override { return o.kind == Kind::write ? 3_ns : 4_ns; }
  comm::Request start(Fiber& f, const DmaOperation& o) override {
    story += (o.kind == Kind::write ? "w" : "r") + std::to_string(o.offset.count()) + (o.method == 0 ? " " : "c ");
    comm::Request r = pool.make(f.now());
    const auto n = static_cast<std::size_t>(operations++);
    r.reach(comm::Milestone::completed, f.now() + (n < takes.size() ? takes[n] : 10_ns * operations));
    return r;
  }
  void make_cold() override { story += "cold "; }
  void warm(comm::DmaMemory m, Bytes offset, Bytes n, comm::WarmedBy by) override {
    story += std::string(by == comm::WarmedBy::host ? "host" : "device") +
             (m == comm::DmaMemory::local ? "" : ", remote") + "[" + std::to_string(offset.count()) + "," +
             std::to_string(n.count()) + ") ";
  }
  std::string story;
  int operations = 0;
  std::vector<Time> takes;
  comm::RequestPool pool;
};

/// What the card was asked for, and the only row.
struct Told {
  std::string story;
  report::Row row;
};

Told run(PcieBenchConfig c, const std::vector<Time>& takes = {}) {
  StoryCard card;
  card.takes = takes;
  comm::World world(card);
  StoryFiber fiber;
  comm::Rank rank(world, fiber, 0);
  report::Recorder recorder;
  PcieBench bench(c);
  bench.fit(world);
  bench.declare(recorder, card);
  bench.program(rank, recorder);
  CHECK(recorder.judge().empty());
  return {card.story, recorder.rows().rows.at(0)};
}

/// Two units, in turn.
PcieBenchConfig two_units() {
  PcieBenchConfig c;
  c.windows = {128_B};
  c.pattern = UnitOrder::sequential;
  return c;
}

Time time(const Told& t, const char* column) { return std::get<Time>(*t.row.find(column)); }

}  // namespace

TEST_CASE("latencies are of reads one at a time behind warm-up and warmed caches") {
  PcieBenchConfig c = two_units();
  c.warm_up = 1;
  c.transactions = 4;
  const Told t = run(c);
  CHECK(t.story == "r0 cold host[0,128) r0 r64 r0 r64 ");
  CHECK(time(t, "min") == 20_ns);
  CHECK(time(t, "median") == 30_ns);  // the second of four
  CHECK(time(t, "mean") == 35_ns);
  CHECK(time(t, "p95") == 50_ns);
  CHECK(time(t, "p99") == 50_ns);
  CHECK(time(t, "least") == 4_ns);
}

TEST_CASE("a write is waited for before the read of the same bytes") {
  PcieBenchConfig c = two_units();
  c.benchmark = PcieBenchmark::lat_wrrd;
  c.cache = CacheState::device_warm;
  c.transactions = 2;
  const Told t = run(c);
  CHECK(t.story == "cold device[0,128) w0 r0 w64 r64 ");
  CHECK(time(t, "min") == 30_ns);   // 10 + 20
  CHECK(time(t, "mean") == 50_ns);  // and 30 + 40
  CHECK(time(t, "least") == 7_ns);
}

TEST_CASE("a cold window is warmed by nobody and a remote one is remote") {
  PcieBenchConfig c = two_units();
  c.transactions = 1;
  c.cache = CacheState::cold;
  CHECK(run(c).story == "cold r0 ");
  c.cache = CacheState::host_warm;
  c.node = comm::DmaMemory::remote;
  CHECK(run(c).story == "cold host, remote[0,128) r0 ");
}

TEST_CASE("bandwidth is of all transactions from the first start to the last end") {
  PcieBenchConfig c = two_units();
  c.benchmark = PcieBenchmark::bw_rd;
  c.transactions = 3;
  const Told t = run(c);
  CHECK(t.story == "cold host[0,128) r0 r64 r0 ");
  CHECK(time(t, "time") == 30_ns);
  CHECK(std::get<Bytes>(*t.row.find("bytes")) == 192_B);
}

TEST_CASE("the bandwidth of measured transactions begins behind those of the warm-up") {
  PcieBenchConfig c = two_units();
  c.benchmark = PcieBenchmark::bw_wr;
  c.warm_up = 3;
  c.transactions = 2;
  const Told t = run(c);
  CHECK(t.story == "w0 w64 w0 cold host[0,128) w0 w64 ");
  CHECK(time(t, "time") == 50_ns);  // the fifth, which is started with the fourth
}

TEST_CASE("bandwidth is to the last end, whichever transaction's that is") {
  PcieBenchConfig c = two_units();
  c.benchmark = PcieBenchmark::bw_rd;
  c.transactions = 3;
  CHECK(time(run(c, {70_ns, 20_ns, 30_ns}), "time") == 70_ns);
}

TEST_CASE("quantiles are the latencies that so many do not exceed") {
  PcieBenchConfig c = two_units();
  c.transactions = 100;  // of 10 to 1000 ns
  const Told t = run(c);
  CHECK(time(t, "median") == 500_ns);
  CHECK(time(t, "p95") == 950_ns);
  CHECK(time(t, "p99") == 990_ns);
}

TEST_CASE("what is drawn for the warm-up says nothing of what is drawn behind it") {
  PcieBenchConfig c;
  c.transactions = c.warm_up = 20;
  std::string story = run(c).story;
  const std::string prepared = "cold host[0,8192) ";
  const std::size_t between = story.find(prepared);
  REQUIRE(between != std::string::npos);
  CHECK(story.substr(0, between) != story.substr(between + prepared.size()));
}

TEST_CASE("the ceiling is that of the direction with more bytes") {
  PcieBenchConfig c;
  c.transactions = 10;
  const auto least = [&](PcieBenchmark b, Bytes size) {
    c.benchmark = b;
    c.sizes = {size};
    StoryCard card;
    comm::World world(card);
    StoryFiber fiber;
    comm::Rank rank(world, fiber, 0);
    report::Recorder recorder;
    PcieBench bench(c);
    bench.fit(world);
    bench.program(rank, recorder);
    return std::get<Time>(*recorder.rows().rows.at(0).find("least"));
  };
  constexpr Time rounding = 1_fs;
  CHECK(least(PcieBenchmark::bw_rd, 64_B) == 640_ps - rounding);
  CHECK(least(PcieBenchmark::bw_rd, 4_B) == 100_ps - rounding);  // the requests
  CHECK(least(PcieBenchmark::bw_wr, 64_B) == 640_ps - rounding);
  CHECK(least(PcieBenchmark::bw_rdwr, 64_B) == 5 * 74_ps - rounding);  // writes and requests
}

TEST_CASE("reads and writes in turn count the bytes of one direction") {
  PcieBenchConfig c = two_units();
  c.benchmark = PcieBenchmark::bw_rdwr;
  c.transactions = 4;
  c.method = "command";
  const Told t = run(c);
  CHECK(t.story == "cold host[0,128) w0c r64c w0c r64c ");
  CHECK(std::get<Bytes>(*t.row.find("bytes")) == 128_B);
}

TEST_CASE("what the card and the memory cannot do is refused") {
  StoryCard card;
  comm::World world(card);
  PcieBenchConfig c;
  c.method = "command";
  c.sizes = {64_B};
  CHECK_NOTHROW(PcieBench(c).fit(world));
  c.sizes = {8_B, 65_B};
  CHECK_THROWS_WITH(PcieBench(c).fit(world), Catch::Contains("a command moves 64 B at most, not 65 B"));
  c.method = "";
  c.windows = {4_KiB, 1_MiB, 4_KiB};
  CHECK_NOTHROW(PcieBench(c).fit(world));
  c.node = comm::DmaMemory::remote;
  CHECK_THROWS_WITH(PcieBench(c).fit(world), Catch::Contains("a window of 1 MiB is more than the memory has: 64 KiB"));
}

TEST_CASE("a time below its bound is told and marks its row") {
  report::Recorder r;
  r.least("time", "least", "the wire");
  r.row().time("time", 10_ns).time("least", 10_ns);
  r.row().time("time", 9_ns).time("least", 10_ns);
  CHECK(r.judge() == std::vector<std::string>{"a simulated time of 9 ns beats the bound \"the wire\" of 10 ns"});
  CHECK(r.rows().rows[0].find("beats") == nullptr);
  REQUIRE(r.rows().rows[1].find("beats") != nullptr);
  CHECK(std::get<std::string>(*r.rows().rows[1].find("beats")) == "the wire");
}

}  // namespace pcie_bench_test
