// SPDX-License-Identifier: Apache-2.0
// A card whose inside is a TLM-2.0 model: what the model asks of the cluster.
#include <algorithm>
#include <array>

#include "model/tlm_bench.hpp"
#include "support/child.hpp"
#include "support/sanitized.hpp"

namespace tlm_card_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

/// A card's write of 64 B, asked for with that delay, at the other end of its link.
void first_arrival(Time delay) {
  Bench b(sim::Kernel::shared);
  card::TlmCardConfig c;
  c.port_latency = 30_ns;
  b.device("card", c);
  b.device("host", port("link"));
  b.wire("card.pcie", "host.link", quiet(gen2_x8()));
  b.build();
  Initiator dma("dma", b.machine().get<card::TlmCard>("card"));
  Time returned;
  thread([&] {
    CHECK(dma.write(far, Data(64, 1), delay) == tlm::TLM_OK_RESPONSE);
    returned = kernel_time();
  });
  b.run();
  b.probe("host").expect_first_at(delay + 30_ns + on_wire(on_link(64_B)) + 1_ns);
  CHECK(b.probe("host").arrivals()[0].bytes == Data(64, 1));
  CHECK(returned == delay);
  b.expect_all_home();
}

// Of a read of `n` bytes of host memory, from the card and back.
constexpr Time in_host = 200_ns + 1_ns + 50_ns + 1_ns + 200_ns;
Time request() { return on_wire(20_B) + 1_ns; }
Time completion(Bytes n) { return on_wire(n + 20_B) + 1_ns; }

}  // namespace

TEST_CASE("a model's write is on the link at once") { first_arrival(Time::zero()); }
TEST_CASE("a model's write that comes with a delay is on the link exactly so much later") { first_arrival(7_ns); }

TEST_CASE("a model's read ends when its last byte is there") {
  TlmBench b;
  Initiator dma("dma", b.card(0));
  Time returned;
  thread([&] {
    Data data(64);
    CHECK(dma.read(0x1000, data, 7_ns) == tlm::TLM_OK_RESPONSE);
    returned = kernel_time();
    CHECK(data == Data(64, 0));  // nobody has said anything there
  });
  b.run();
  CHECK(returned == 7_ns + request() + in_host + completion(64_B));
  b.expect_all_home();
}

namespace {

/// How long a read of two requests of 128 B takes with so many tags.
Time two_requests(int tags) {
  TlmBench b([&](card::TlmCardConfig& c) {
    c.tags = tags;
    c.max_read_request = 128_B;
  });
  Initiator dma("dma", b.card(0));
  Time returned;
  thread([&] {
    dma.read(0x1000, 256);
    returned = kernel_time();
  });
  b.run();
  b.expect_all_home();
  return returned;
}

}  // namespace

TEST_CASE("a read of two requests waits for the first one's tag if there is one only") {
  CHECK(two_requests(1) == (request() + in_host + completion(128_B)) * 2);
}

TEST_CASE("a read of two requests has them under way together if there are tags") {
  CHECK(two_requests(2) == request() + in_host + completion(128_B) + on_wire(148_B));
}

TEST_CASE("requests end at the link's and the card's largest, and at each 4 KiB") {
  Bench b(sim::Kernel::shared);
  card::TlmCardConfig c;
  c.max_read_request = 1024_B;
  b.device("card", c);
  b.device("host", port("link"));
  pcie::LinkConfig link = quiet(gen2_x8());
  link.max_payload_size = 512_B;
  b.wire("card.pcie", "host.link", link);
  b.build();
  Initiator dma("dma", b.machine().get<card::TlmCard>("card"));
  Dice dice(5);
  const Data data = drawn(dice, 2500);
  bool ended = false;
  thread([&] {
    dma.write(far + 0x0f00, data);
    Data back(2500);
    CHECK(dma.read(far + 0x0f00, back) == tlm::TLM_OK_RESPONSE);
    ended = true;
  });
  const std::vector<std::pair<std::uint64_t, Bytes>> reads = {
      {far + 0x0f00, 256_B}, {far + 0x1000, 1024_B}, {far + 0x1400, 1024_B}, {far + 0x1800, 196_B}};
  b.at(10_us, [&] {
    const std::vector<Arrival> seen = b.probe("host").arrivals();
    REQUIRE(seen.size() == 6 + reads.size());
    for (std::size_t i = 0; i < reads.size(); ++i) {
      CHECK(seen[6 + i].address == reads[i].first);
      for (Bytes done; done < reads[i].second; done += 128_B)
        b.probe("host").answer(seen[6 + i], std::min(reads[i].second - done, 128_B));
    }
  });
  b.run();
  CHECK(ended);
  const auto& seen = b.probe("host").arrivals();
  std::uint64_t address = far + 0x0f00;
  Data all;
  const Bytes writes[] = {256_B, 512_B, 512_B, 512_B, 512_B, 196_B};
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(seen[i].address == address);
    CHECK(seen[i].payload == writes[i]);
    address += static_cast<std::uint64_t>(writes[i].count());
    all.insert(all.end(), seen[i].bytes.begin(), seen[i].bytes.end());
  }
  CHECK(all == data);
  b.expect_all_home();
}

TEST_CASE("reads of several threads share the tags") {
  TlmBench b([](card::TlmCardConfig& c) { c.tags = 3; });
  Initiator dma("dma", b.card(0));
  std::vector<Time> ends;
  for (std::uint64_t i = 0; i < 6; ++i)
    thread([&, i] {
      dma.read(0x1000 * i, 64);
      ends.push_back(kernel_time());
    });
  b.run();
  std::sort(ends.begin(), ends.end());
  const Time round_trip = request() + in_host + completion(64_B);
  REQUIRE(ends.size() == 6);
  for (std::size_t i = 0; i < 3; ++i) {
    const Time more = on_wire(84_B) * static_cast<std::int64_t>(i);  // completions one behind the other
    CHECK(ends[i] == round_trip + more);
    CHECK(ends[i + 3] == round_trip * 2 + more);  // each with the tag of one before
  }
  b.expect_all_home();
}

TEST_CASE("writes wait for places in the card's queue, and a write is OK when its last packet has one") {
  TlmBench b([](card::TlmCardConfig& c) { c.queue = 1; });
  Initiator dma("dma", b.card(0));
  std::vector<Time> returned;
  thread([&] {
    for (int i = 0; i < 4; ++i) {
      CHECK(dma.write(0x1000, Data(256, 1)) == tlm::TLM_OK_RESPONSE);
      returned.push_back(kernel_time());
    }
  });
  b.run();
  // One leaves at once, and one waits in the place.
  const Time packet = on_wire(256_B + 20_B);
  CHECK(returned == std::vector<Time>{0_ns, 0_ns, packet, packet * 2});
  b.expect_all_home();
}

TEST_CASE("where writes are not taken, their card waits with them") {
  // The other card's target takes a microsecond for a packet, and each receive buffer holds two.
  pcie::BufferConfig buffers;
  buffers.posted_headers = 2;
  buffers.posted_data = 512;
  host::RootComplexConfig host;
  host.buffers = buffers;
  TlmBench b(
      [&](card::TlmCardConfig& c) {
        c.queue = 2;
        c.buffers = buffers;
      },
      quiet(gen2_x8()), host);
  Initiator dma("dma", b.card(1));
  Target slow("slow", b.card(0));
  slow.before = [](tlm::tlm_generic_payload&) { sc_core::wait(sc(1_us)); };
  std::size_t left = 0;
  thread([&] {
    dma.write(TlmBench::window, Data(64 * 256, 7));
    left = 64 - slow.served.size();
  });
  b.run();
  REQUIRE(slow.served.size() == 64);
  for (std::size_t i = 1; i < slow.served.size(); ++i) CHECK(slow.served[i].begin == slow.served[i - 1].begin + 1_us);
  CHECK(std::all_of(slow.bytes.begin(), slow.bytes.begin() + 64 * 256, [](std::uint8_t x) { return x == 7; }));
  CHECK(left == 1 + 2 + 2);  // beside the one in the target: in that buffer, the root complex's and the card's queue
  b.expect_all_home();
}

namespace {

/// Five threads each do the same 20 times, and end together.
void expect_fair(TlmBench& b, const std::function<void(std::uint64_t thread)>& once) {
  std::array<int, 5> done{};
  for (std::uint64_t i = 0; i < done.size(); ++i)
    thread([&, i] {
      for (int k = 0; k < 20; ++k) {
        once(i);
        ++done[i];
        const auto [least, most] = std::minmax_element(done.begin(), done.end());
        CHECK(*most - *least <= 2);
      }
    });
  b.run();
  b.expect_all_home();
}

}  // namespace

TEST_CASE("threads that wait for places in the card's queue have one in turn") {
  TlmBench b([](card::TlmCardConfig& c) { c.queue = 1; });
  Initiator dma("dma", b.card(0));
  expect_fair(b, [&](std::uint64_t i) { dma.write(0x1000 * i, Data(256)); });
}

TEST_CASE("threads that wait for a tag have one in turn") {
  TlmBench b([](card::TlmCardConfig& c) { c.tags = 2; });
  Initiator dma("dma", b.card(0));
  expect_fair(b, [&](std::uint64_t i) { dma.read(0x1000 * i, 256); });
}

TEST_CASE("a read of an address that nobody has is an address error, a write there is told and counted") {
  TlmBench b;
  Initiator dma("dma", b.card(0));
  thread([&] {
    Data data(700);
    CHECK(dma.read(TlmBench::nowhere, data) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(b.sim().complaints() == 2);  // requests
    CHECK(dma.write(TlmBench::nowhere, Data(64)) == tlm::TLM_OK_RESPONSE);
    CHECK(dma.read(0, 64) == Data(64, 0));  // all is well otherwise
  });
  b.run();
  CHECK(b.sim().complaints() == 3);
  b.expect_all_home();
}

TEST_CASE("bytes that are not enabled stay as they are, in memory and in what is read") {
  TlmBench b;
  Initiator dma("dma", b.card(0));
  thread([&] {
    dma.write(0x2000, Data(32, 0x11));
    Data enables{0xff, 0x00, 0xff};
    Data data(32, 0x22);
    tlm::tlm_generic_payload t;
    t.set_write();
    t.set_address(0x2000);
    t.set_data_ptr(data.data());
    t.set_data_length(32);
    t.set_streaming_width(16);
    t.set_byte_enable_ptr(enables.data());
    t.set_byte_enable_length(3);
    sc_core::sc_time none;
    dma.socket->b_transport(t, none);
    CHECK(t.get_response_status() == tlm::TLM_OK_RESPONSE);
    Data expected(32, 0x11);
    for (std::size_t i = 0; i < 32; ++i)
      if (enables[i % 3] != 0) expected[i % 16] = 0x22;
    CHECK(dma.read(0x2000, 32) == expected);
    t.set_read();
    t.set_address(0x2000);
    data.assign(32, 0x33);
    dma.socket->b_transport(t, none);
    CHECK(t.get_response_status() == tlm::TLM_OK_RESPONSE);
    Data seen(32, 0x33);
    for (std::size_t i = 0; i < 32; ++i)
      if (enables[i % 3] != 0) seen[i] = expected[i % 16];
    CHECK(data == seen);
  });
  b.run();
  b.expect_all_home();
}

TEST_CASE("commands that are none are answered at once") {
  TlmBench b;
  Initiator dma("dma", b.card(0));
  thread([&] {
    Data data(8);
    CHECK(dma.transfer(tlm::TLM_IGNORE_COMMAND, 0x1000, data) == tlm::TLM_OK_RESPONSE);
    CHECK(dma.transfer(static_cast<tlm::tlm_command>(3), 0x1000, data) == tlm::TLM_COMMAND_ERROR_RESPONSE);
    Data nothing;
    CHECK(dma.read(0x1000, nothing) == tlm::TLM_BURST_ERROR_RESPONSE);
    CHECK(kernel_time() == 0_ns);
  });
  b.run();
  CHECK(b.machine().packet_hops() == 0);
}

TEST_CASE("there is no direct memory interface") {
  TlmBench b;
  Initiator dma("dma", b.card(0));
  thread([&] {
    tlm::tlm_generic_payload t;
    tlm::tlm_dmi dmi;
    CHECK_FALSE(dma.socket->get_direct_mem_ptr(t, dmi));
  });
  b.run();
}

TEST_CASE("transport_dbg reads what a memory keeps, without time, and writes nothing") {
  TlmBench b;
  Initiator dma("dma", b.card(0));
  const Data said{1, 2, 3, 4, 5};
  thread([&] {
    dma.write(0x1ffe, said);
    dma.read(0x1ffe, 5);
    sc_core::wait(sc(1_us));
    const Time now = kernel_time();
    Data data(7, 0xee);
    tlm::tlm_generic_payload t;
    t.set_read();
    t.set_address(0x1ffd);
    t.set_data_ptr(data.data());
    t.set_data_length(7);
    CHECK(dma.socket->transport_dbg(t) == 7);
    CHECK(data == Data{0, 1, 2, 3, 4, 5, 0});
    t.set_address((std::uint64_t{128} << 30) - 6);  // beyond the memory's end
    CHECK(dma.socket->transport_dbg(t) == 0);
    t.set_address(TlmBench::window1);  // no memory
    CHECK(dma.socket->transport_dbg(t) == 0);
    t.set_address(TlmBench::nowhere);
    CHECK(dma.socket->transport_dbg(t) == 0);
    t.set_write();
    t.set_address(0x1ffd);
    data.assign(7, 9);
    CHECK(dma.socket->transport_dbg(t) == 0);
    CHECK(kernel_time() == now);
  });
  b.run();
  CHECK(b.memory(0x1ffe, 5) == said);
}

TEST_CASE("a thread that is killed while it reads leaves its completions to the card") {
  TlmBench b;
  Initiator dma("dma", b.card(0));
  bool ended = false;
  sc_core::sc_process_handle reader = thread([&] {
    Data data(4096);
    dma.read(0x1000, data);
    ended = true;
  });
  thread([&] {
    sc_core::wait(sc(300_ns));
    reader.kill();
    CHECK(dma.read(0x1000, 64) == Data(64, 0));
  });
  b.run();
  CHECK_FALSE(ended);
  b.expect_all_home();
}

TEST_CASE("threads that are killed while they wait for a tag or a place hold up nobody") {
  TlmBench b([](card::TlmCardConfig& c) { c.tags = c.queue = 1; });
  Initiator dma("dma", b.card(0));
  std::vector<sc_core::sc_process_handle> all;
  int ended = 0;
  for (int i = 0; i < 8; ++i)
    all.push_back(thread([&, i] {
      Data data(2000);
      if (i % 2 == 0)
        dma.read(0x1000, data);
      else
        dma.write(0x1000, data);
      ++ended;
    }));
  thread([&] {
    sc_core::wait(sc(300_ns));
    for (const std::size_t i : {0, 1, 4, 5}) all[i].kill();
  });
  b.run();
  CHECK(ended == 4);
  b.expect_all_home();
}

namespace {

/// A machine whose ordering rules are in danger: what must not pass is faster than what it must not pass.
struct Danger {
  card::TlmCardConfig card;
  host::RootComplexConfig host;
  pcie::LinkConfig link;
  explicit Danger(Dice& d) {
    card.queue = static_cast<int>(d.any({1, 2, 32}));
    card.tags = static_cast<int>(d.any({1, 3, 32}));
    card.max_read_request = d.any({128_B, 256_B, 4096_B});
    card.target_threads = static_cast<int>(d.any({1, 2, 8}));
    card.port_latency = Time::from_fs(d.any({0, 100'000'000}));
    if (d.one_in(2)) {
      card.buffers.posted_headers = d.number(2, 4);
      card.buffers.posted_data = 512;
      card.buffers.non_posted_headers = d.number(1, 3);
      card.buffers.non_posted_data = 8;
    }
    host.posted_latency = Time::from_fs(d.number(0, 2'000) * 1'000'000);
    host.read_latency = Time::from_fs(d.number(0, 300) * 1'000'000);
    host.peer.latency = Time::from_fs(d.number(0, 300) * 1'000'000);
    host.peer.reads = static_cast<int>(d.number(1, 8));
    if (d.one_in(2)) link = quiet(gen2_x8());
    link.max_payload_size = d.any({128_B, 256_B, 1024_B});
  }
};

std::string text(const char* what, std::uint64_t address, std::size_t n) {
  return std::string(what) + " of " + std::to_string(n) + " B at " + std::to_string(address);
}

/// Threads of both cards' models write and read back data at places of their own, in host memory and in the other
/// card's window. What went wrong; empty: nothing.
std::string to_and_fro(std::uint64_t seed) {
  Dice dice(seed);
  const Danger danger(dice);
  TlmBench b(
      [&](card::TlmCardConfig& c) {
        const Bytes base = c.bar_base;
        c = danger.card;
        c.bar_base = base;
      },
      danger.link, danger.host);
  Initiator dma0("dma0", b.card(0));
  Initiator dma1("dma1", b.card(1));
  Target target0("target0", b.card(0));
  Target target1("target1", b.card(1));
  std::string wrong;
  std::array<int, 2> writing{};
  Dice work(seed + 1000);
  for (Target* t : {&target0, &target1})
    t->before = [&, t](tlm::tlm_generic_payload& p) {
      int& writes = writing[t == &target0 ? 0 : 1];
      if (p.is_write() && writes != 0) wrong += " a write begins beside another";
      t->annotates = Time::from_fs(work.number(0, 100) * 1'000'000);
      if (p.is_write()) ++writes;
      if (work.one_in(2)) sc_core::wait(sc(Time::from_fs(work.number(0, 300) * 1'000'000)));
      if (p.is_write()) --writes;
    };
  constexpr std::uint64_t area = 1 << 16;
  constexpr std::uint64_t of_cards = 8 * area;
  int ended = 0;
  const auto run_thread = [&](int i) {
    Dice d(seed * 100 + static_cast<std::uint64_t>(i));
    Initiator& dma = i % 2 == 0 ? dma0 : dma1;
    const bool in_memory = i < 4;
    const std::uint64_t place = static_cast<std::uint64_t>(i) * area;
    const std::uint64_t base =
        in_memory ? of_cards + place : (i % 2 == 0 ? TlmBench::window1 : TlmBench::window) + place;
    Data mirror(area, 0);
    for (int k = 0; k < 12; ++k) {
      const std::int64_t n = d.one_in(3) ? d.number(1, 9000) : d.number(1, 300);
      const std::int64_t at = d.number(0, static_cast<std::int64_t>(area) - n);
      const std::uint64_t address = base + static_cast<std::uint64_t>(at);
      const Time delay = Time::from_fs(d.number(0, 200) * 1'000'000);
      if (!d.one_in(3)) {
        const Data data = drawn(d, n);
        std::copy(data.begin(), data.end(), mirror.begin() + at);
        if (dma.write(address, data, delay) != tlm::TLM_OK_RESPONSE)
          wrong += " failed: " + text("write", address, data.size());
      }
      if (d.one_in(2)) continue;
      Data back(static_cast<std::size_t>(n), 0xee);
      if (dma.read(address, back, delay) != tlm::TLM_OK_RESPONSE)
        wrong += " failed: " + text("read", address, back.size());
      if (!std::equal(back.begin(), back.end(), mirror.begin() + at))
        wrong += " stale: " + text("read", address, back.size());
    }
    ++ended;
  };
  for (int i = 0; i < 8; ++i) thread([&, i] { run_thread(i); });
  if (!b.sim().run(1_s)) wrong += " no end";
  if (ended != 8) wrong += " only " + std::to_string(ended) + " threads have ended";
  for (const std::string& s : b.machine().leftovers()) wrong += " " + s;
  if (b.sim().complaints() != 0 || b.card(0).failed_writes() + b.card(1).failed_writes() != 0) wrong += " complaints";
  return wrong;
}

}  // namespace

TEST_CASE("models' threads read back what they wrote, in host memory and in each other's window") {
  for (std::uint64_t seed = 1; seed <= (sanitized ? 4 : 40); ++seed) {
    const std::string wrong = in_child([&] { return to_and_fro(seed); });
    CAPTURE(seed);
    CHECK(wrong == "");
  }
}

}  // namespace tlm_card_test
