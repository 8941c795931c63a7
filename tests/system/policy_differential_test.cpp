// SPDX-License-Identifier: Apache-2.0
// Trains against the reference where wires stop or drop, arbiters weigh and prefer, and slow wires meet fast ones:
// random stars of senders, a relay and a receiver; in some, writes meet reads and completions. TSUNAGI_MACHINES=n runs
// n; TSUNAGI_SEED=s only that one.
#include <fmt/format.h>

#include <cstdlib>
#include <random>

#include "net/ceilings.hpp"
#include "support/bench.hpp"
#include "support/child.hpp"
#include "support/environment.hpp"

namespace policy_differential_test {

using namespace tsunagi;
using namespace tsunagi::test;
using net::Arbitration;
using net::FlowPolicy;

namespace {

struct Burst {
  int sender = 0;
  int source = 0;
  pcie::TlpClass tlp_class = pcie::posted;
  Time at;
  int count = 1;
  Bytes each;
  Bytes last;
};

struct Star {
  std::vector<net::PortSpec> senders;
  std::vector<net::WireSpec> wires;  // of the senders, then that of the relay
  std::vector<net::PortSpec> ins;
  net::PortSpec out;
  net::PortSpec sink;
  std::vector<Time> holds;
  std::vector<Burst> bursts;
};

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  std::int64_t number(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool one_in(int n) { return number(1, n) == 1; }
  flow::Credits buffer() {
    const std::int64_t headers = one_in(2) ? flow::Credits::infinite : number(1, 8);
    return flow::Credits::of(headers, one_in(2) ? flow::Credits::infinite : number(16, 100));
  }
  Time time(Time most) { return Time::from_fs(number(0, most.fs())); }

  net::WireSpec wire() {
    pcie::LinkConfig link = one_in(3) ? gen3_x8() : gen2_x8();
    link.lanes = static_cast<int>(std::int64_t{1} << number(0, 3));
    link.flight = 1_fs + time(30_ns);
    link.acks = one_in(2);
    link.credit_updates = one_in(2);
    link.skip_ordered_sets = one_in(2);
    net::WireSpec w = spec_of(link);
    const auto policy = number(0, 3);
    if (policy > 1) {
      w.flow_control = policy == 2 ? FlowPolicy::stop_go : FlowPolicy::none;
      w.link_layer.credit_updates = false;
    }
    w.stop_go.stop = number(1, 64);
    w.stop_go.go = number(0, w.stop_go.stop - 1);
    return w;
  }
  net::RxSpec receive() {
    net::RxSpec rx;
    rx.trains = !one_in(4);
    rx.store_and_forward = one_in(2);
    rx.pipeline = {Clock(Frequency(number(100'000'000, 400'000'000))), number(0, 9), time(20_ns)};
    constexpr std::int32_t inf = flow::Credits::infinite;
    const std::int64_t room = number(16, one_in(2) ? 48 : 400);
    rx.buffers = {flow::Credits::of(one_in(2) ? inf : number(1, 8), room), {inf, inf}, {inf, inf}};
    return rx;
  }
  Arbitration arbitration(int sources) {
    Arbitration a;
    if (one_in(2)) return a;
    if (one_in(3)) a.within = Arbitration::Within::round_robin;
    if (one_in(3)) a.takers = Arbitration::Takers::classes;
    for (int s = 0; s < sources && one_in(2); ++s) a.weights.push_back(Bytes(number(1, 2000)));
    for (int s = 0; s < sources && one_in(2); ++s) a.priorities.push_back(static_cast<int>(number(0, 2)));
    return a;
  }
  net::PortSpec sending(const std::string& name, int sources) {
    net::PortSpec p = port(name, sources);
    p.arbitration = arbitration(sources);
    if (one_in(2))
      p.tx.datapath = net::Datapath{Clock(Frequency(number(100'000'000, 400'000'000))), Bytes(1LL << number(2, 5))};
    p.tx.pipeline = {Clock(Frequency(250'000'000)), number(0, 9), time(20_ns)};
    p.tx.fifo = Bytes(number(0, 1000));
    return p;
  }

 private:
  std::mt19937_64 random_;
};

/// Behind the mark of a stop there must be room for what is under way.
void make_room(net::PortSpec& in, const net::PortSpec& sender, const net::WireSpec& wire) {
  if (wire.flow_control != FlowPolicy::stop_go) return;
  for (flow::Credits& b : in.rx.buffers)
    if (b.data != flow::Credits::infinite)
      b.data = static_cast<std::int32_t>(wire.stop_go.stop + net::stop_room(wire, sender.tx, {}, wire.max_payload));
}

Star star(std::uint64_t seed) {
  Draw draw(seed);
  Star s;
  const int senders = static_cast<int>(draw.number(1, 3));
  for (int i = 0; i < senders; ++i) {
    s.senders.push_back(draw.sending("out", static_cast<int>(draw.number(1, 2))));
    s.wires.push_back(draw.wire());
    net::PortSpec in = port("in" + std::to_string(i));
    in.rx = draw.receive();
    make_room(in, s.senders.back(), s.wires.back());
    s.ins.push_back(in);
  }
  s.out = draw.sending("out", senders + 1);
  s.wires.push_back(draw.wire());
  s.sink = port("in");
  s.sink.rx = draw.receive();
  make_room(s.sink, s.out, s.wires.back());
  for (int i = 0; i < 40; ++i) s.holds.push_back(draw.time(draw.one_in(2) ? 50_ns : 1_us));
  const auto bursts = draw.number(1, 8);
  for (std::int64_t i = 0; i < bursts; ++i) {
    Burst b;
    b.sender = static_cast<int>(draw.number(0, senders - 1));
    b.source = static_cast<int>(draw.number(0, s.senders[static_cast<std::size_t>(b.sender)].sources - 1));
    b.at = draw.time(3_us);
    b.count = static_cast<int>(draw.number(1, 64));
    b.each = Bytes(draw.number(1, 64) * 4);
    b.last = Bytes(draw.number(1, b.each.count()));
    s.bursts.push_back(b);
  }
  if (!draw.one_in(3)) return s;  // only writes
  for (Burst& b : s.bursts) b.tlp_class = static_cast<pcie::TlpClass>(draw.one_in(2) ? 0 : draw.number(1, 2));
  for (std::size_t i = 0; i < s.ins.size(); ++i) {
    s.ins[i].rx.buffers = {s.ins[i].rx.buffers[pcie::posted], draw.buffer(), draw.buffer()};
    make_room(s.ins[i], s.senders[i], s.wires[i]);
  }
  s.sink.rx.buffers = {s.sink.rx.buffers[pcie::posted], draw.buffer(), draw.buffer()};
  make_room(s.sink, s.out, s.wires.back());
  return s;
}

void post(Probe& p, const Burst& b, std::uint64_t address, bool train) {
  if (train && b.count > 1 && b.tlp_class == pcie::posted)
    return p.write_train(address, b.count, b.each, b.last, b.source);
  for (int k = 0; k < b.count; ++k) {
    const std::uint64_t at = address + static_cast<std::uint64_t>(k * b.each.count());
    const Bytes size = k + 1 < b.count ? b.each : b.last;
    if (b.tlp_class == pcie::posted) p.write(at, size, b.source);
    if (b.tlp_class == pcie::non_posted) p.read(at, size, b.source);
    if (b.tlp_class == pcie::completion) p.complete(at, size, b.source);
  }
}

std::string run_once(const Star& s, int max_train, const std::string& findings) {
  Bench b;
  std::vector<net::PortSpec> ports{s.out};
  for (std::size_t i = 0; i < s.senders.size(); ++i) {
    b.device("s" + std::to_string(i), s.senders[i]);
    ports.push_back(s.ins[i]);
  }
  b.device("relay", RelayConfig{ports});
  b.device("sink", ProbeConfig{{s.sink}, 10_ns, false, s.holds, true});
  for (std::size_t i = 0; i < s.senders.size(); ++i)
    b.wire("s" + std::to_string(i) + ".out", "relay.in" + std::to_string(i), s.wires[i]);
  b.wire("relay.out", "sink.in", s.wires.back());
  b.build(max_train, 1, findings);
  for (std::size_t i = 0; i < s.bursts.size(); ++i)
    b.at(s.bursts[i].at, [&, i] {
      post(b.probe("s" + std::to_string(s.bursts[i].sender)), s.bursts[i], far + 0x10'0000 * (i + 1), max_train > 1);
    });
  if (max_train == 1) b.run();
  try {
    if (max_train > 1 && !b.sim().run(1_s)) return "stuck\n";
  } catch (const net::Foresight::Refuted&) {
  }
  if (b.machine().foresight().refuted()) return "again " + b.machine().foresight().findings();
  b.expect_all_home();
  std::string out;
  for (const Arrival& a : b.probe("sink").arrivals())
    out += fmt::format("{:x} {} {} {}\n", a.address, a.payload.count(), a.head.fs(), a.tail.fs());
  for (std::size_t i = 0; i < s.wires.size(); ++i) {
    const net::ChannelCounters& c = b.forward(i).counters();
    out += fmt::format("wire {}: {} dropped {} of {} B, dllps {} waited {}\n", i, c.packets, c.dropped,
                       c.dropped_payload.count(), b.backward(i).counters().dllps, c.credit_wait.fs());
  }
  return out;
}

std::string run_apart(const Star& s, int max_train) {
  std::string findings;
  for (;;) {
    const std::string text = in_child([&] { return run_once(s, max_train, findings); });
    if (text.rfind("again ", 0) != 0) return text;
    REQUIRE(text.substr(6) != findings);
    findings = text.substr(6);
  }
}

}  // namespace

TEST_CASE("trains that are stopped, dropped, weighed and cut through give the times of single packets") {
  const std::int64_t only = from_environment("TSUNAGI_SEED", -1);
  const std::int64_t machines = only >= 0 ? 1 : from_environment("TSUNAGI_MACHINES", 150);
  for (std::int64_t i = 0; i < machines; ++i) {
    const auto seed = static_cast<std::uint64_t>(only >= 0 ? only : i);
    const Star s = star(seed);
    const std::string reference = run_apart(s, 1);
    INFO("TSUNAGI_SEED=" << seed);
    REQUIRE(!reference.empty());
    REQUIRE(run_apart(s, 64) == reference);
  }
}

}  // namespace policy_differential_test
