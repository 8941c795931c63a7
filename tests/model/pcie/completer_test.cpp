// SPDX-License-Identifier: Apache-2.0
// How a card answers reads of its memory: what each completion says of itself, byte by byte, and when it is there.
#include "models/pcie/completer.hpp"

#include <random>

#include "models/catalog.hpp"
#include "support/bench.hpp"
#include "support/child.hpp"

namespace completer_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

constexpr Time flight = 1_ns, reading = 100_ns;
Time on_wire(Bytes n) { return 250_ps * n.count(); }

/// Asks for bytes, and is asked for some: they say their address in each completion's last word.
struct CardConfig {
  net::PortSpec port;
};
inline void describe(CardConfig&, config::Describer&) {}

class Card final : public net::Device {
 public:
  Card(DeviceArgs args, const CardConfig& c)
      : Device(args.sim, args.pool, args.name), completer_{*this, args.pool, args.max_train} {
    add_port(c.port);
  }
  void ask(std::uint64_t address, Bytes n, std::int32_t count) {
    flow::PacketPtr p = pcie::memory_read(pool(), address, n);
    pcie::set_read(*p, address, count, n);
    p->header<pcie::Tlp>().requester = {7, 42};
    port(0).send(0, {std::move(p), net::Schedule::at(now(), count), {}});
  }
  void receive(int, net::Delivery&& d) override {
    const flow::Packet& p = *d.packet;
    if (p.header<pcie::Tlp>().type == pcie::TlpType::memory_read) {
      for (std::int32_t i = 0; i < p.count; ++i) {
        const Time read = d.schedule[static_cast<std::size_t>(i)].tail;
        completer_.answer(p, i, read, read + reading, [](flow::Packet& c) { c.say_last(c.address); });
      }
      return d.slot.release(d.schedule);
    }
    net::Schedule left;
    for (std::int32_t i = 0; i < p.count; ++i) {
      const Time tail = d.schedule[static_cast<std::size_t>(i)].tail;
      const pcie::Tlp& h = p.header<pcie::Tlp>();
      arrivals.push_back({0,
                          p.id,
                          p.address + unsigned_of(p.stride * i),
                          p.payload_of(i),
                          p.last_word_of(i),
                          {},
                          pcie::tlp_class(p),
                          Bytes::zero(),
                          h.requester,
                          now(),
                          tail,
                          tail});
      left.push_back({tail + hold, tail + hold});
    }
    d.slot.release(left);
  }
  std::vector<Arrival> arrivals;
  Time hold;

 private:
  pcie::Completer completer_;
};

template <class C>
config::AnyConfig any_of(const char* kind, C c) {
  auto holder = std::make_shared<config::ConfigHolder<C>>();
  holder->value = std::move(c);
  return {kind, std::move(holder)};
}

struct Question {
  std::uint64_t address = far;
  Bytes size;
  std::int32_t count = 1;
  Bytes max_payload = 256_B;
  int max_train = 1;
  /// Room for completions where they are asked for, and how long one takes it.
  flow::Credits room = {flow::Credits::infinite, flow::Credits::infinite};
  Time hold = {};
};

/// What comes back for reads that one card asks another for at 0.
std::vector<Arrival> answers(const Question& q) {
  sim::Simulation sim;
  ModelCatalog catalog = model_catalog();
  catalog.devices.push_back(
      {config::kind<CardConfig>("card", "a test's card"), [](DeviceArgs args, const config::AnyConfig& c) {
         return std::make_unique<Card>(std::move(args), c.as<CardConfig>());
       }});
  net::PortSpec asking = port("link");
  constexpr std::int32_t infinite = flow::Credits::infinite;
  asking.rx.buffers = {{infinite, infinite}, {infinite, infinite}, q.room};
  pcie::LinkConfig link = quiet(gen2_x8());
  link.max_payload_size = q.max_payload;
  topo::Graph graph;
  graph.nodes.push_back({"asks", any_of("card", CardConfig{asking}), "/devices"});
  graph.nodes.push_back({"answers", any_of("card", CardConfig{port("link")}), "/devices"});
  graph.links.push_back({{any_of("pcie", link), "/links"}, {0, "link"}, {1, "link"}});
  Machine machine(sim, std::move(graph), catalog, 1, q.max_train);
  Card& card = machine.get<Card>("asks");
  card.hold = q.hold;
  sim.spawn("ask", [&](Fiber&) { card.ask(q.address, q.size, q.count); });
  REQUIRE(sim.run(1_s));
  REQUIRE(machine.leftovers() == std::vector<std::string>{});
  return card.arrivals;
}

/// The answers to that, one after the other, in pieces of these sizes.
void expect(const Question& q, const std::vector<Bytes>& pieces) {
  const std::vector<Arrival> seen = answers(q);
  REQUIRE(seen.size() == pieces.size());
  const Time asked = on_wire(24_B) + flight;
  Time left;  // what came before
  std::uint64_t at = q.address;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    CAPTURE(i, q.max_train, q.max_payload.count());
    const std::int64_t read = Bytes(static_cast<std::int64_t>(at - q.address)) / q.size;
    left = std::max(left, asked + on_wire(24_B) * read + reading) + on_wire(pieces[i] + 20_B);
    CHECK(seen[i].tail == left + flight);
    CHECK(seen[i].tlp_class == pcie::completion);
    CHECK(seen[i].address == at);
    CHECK(seen[i].payload == pieces[i]);
    CHECK(seen[i].requester.device == 7);
    CHECK(seen[i].requester.tag == 42);
    at += unsigned_of(pieces[i]);
  }
}

}  // namespace

TEST_CASE("completer: completions end at multiples of max payload and follow each other when the data is there") {
  for (const int max_train : {1, 64}) {
    in_child([&] {
      expect({far + 0x40, 600_B, 1, 256_B, max_train}, {192_B, 256_B, 152_B});
      return std::string();
    });
    in_child([&] {
      expect({far + 0x40, 600_B, 1, 128_B, max_train}, {64_B, 128_B, 128_B, 128_B, 128_B, 24_B});
      return std::string();
    });
  }
}

TEST_CASE("completer: of a train of reads each is answered by itself") {
  for (const int max_train : {1, 64}) {
    in_child([&] {
      expect({far + 0x80, 320_B, 3, 256_B, max_train}, {128_B, 192_B, 64_B, 256_B, 256_B, 64_B});
      return std::string();
    });
  }
}

TEST_CASE("completer: each completion says what it is filled with, of a train the whole") {
  for (const int max_train : {1, 64}) {
    const std::string said = in_child([&] {
      std::string all;
      for (const Arrival& a : answers({0x1000, 1024_B, 1, 256_B, max_train})) all += std::to_string(a.value) + " ";
      return all;
    });
    CHECK(said == (max_train == 1 ? "4096 4352 4608 4864 " : "0 0 0 4096 "));
  }
}

TEST_CASE("completer: completions wait for room where they go") {
  // Room for one, which keeps it for a microsecond.
  const std::vector<Arrival> seen = answers({far, 512_B, 1, 256_B, 1, {1, 16}, 1_us});
  REQUIRE(seen.size() == 2);
  const Time first = on_wire(24_B) + flight + reading + on_wire(276_B) + flight;
  CHECK(seen[0].tail == first);
  CHECK(seen[1].tail == first + 1_us + flight + on_wire(276_B) + flight);
}

TEST_CASE("completer: trains of completions cover a read byte by byte and have its transaction ID") {
  std::mt19937_64 random(5);
  flow::PacketPool pool;
  for (int round = 0; round < 3'000; ++round) {
    const Bytes largest(std::int64_t{64} << random() % 4);
    const auto most = static_cast<std::int64_t>(1 + random() % 64);
    const Bytes n(static_cast<std::int64_t>(1 + random() % (round % 4 == 0 ? 4096 : 300)));
    const auto count = static_cast<std::int32_t>(1 + random() % 3), i = static_cast<std::int32_t>(random() % 3) % count;
    const flow::PacketPtr request = pcie::memory_read(pool, far + random() % 5000, n);
    pcie::set_read(*request, request->address, count, n);
    request->header<pcie::Tlp>().requester = {static_cast<std::uint32_t>(random()), 9};
    request->origin = 3;
    std::uint64_t at = request->address + unsigned_of(n) * static_cast<unsigned>(i);
    const std::uint64_t end = at + unsigned_of(n);
    std::int64_t completions = 0;
    const auto fewest = static_cast<std::int64_t>((end - 1) / unsigned_of(largest) - at / unsigned_of(largest)) + 1;
    pcie::cut_completions(pool, *request, i, largest, most, [&](flow::PacketPtr p) {
      const pcie::Tlp& h = p->header<pcie::Tlp>();
      CHECK((h.type == pcie::TlpType::completion_with_data && h.status == pcie::CompletionStatus::successful));
      CHECK((h.requester.device == request->header<pcie::Tlp>().requester.device && h.requester.tag == 9));
      CHECK((p->parent == request->id && p->origin == 3));
      CHECK((p->address == at && p->origin_offset == at));
      CHECK((p->count >= 1 && p->count <= most));
      CHECK((p->last_payload == p->payload && p->stride == p->payload && p->payload > 0_B && p->payload <= largest));
      completions += p->count;
      at += unsigned_of(p->total_payload());
      CHECK((at == end || at % unsigned_of(largest) == 0));
    });
    CHECK(at == end);
    CHECK(completions == fewest);
  }
}

}  // namespace completer_test
