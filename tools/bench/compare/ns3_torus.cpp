// SPDX-License-Identifier: Apache-2.0
// Benchmark (d) on ns-3: usage ns3_torus LOAD MICROSECONDS. 8x8 torus, packets of 80 bytes (64 of data and 8 of header
// in flits of 16) to uniform random terminals at LOAD of 16 GB/s a terminal, routed dimension by dimension; unlimited
// queues instead of credits.
#include <cstdlib>

#include "ns3_common.hpp"

using namespace ns3;

namespace {

constexpr std::uint32_t side = 8;
constexpr std::uint32_t size = 80;
constexpr std::uint16_t protocol = 0x0800;
constexpr std::uint32_t header = 2;

std::uint64_t hops = 0;

/// Where a packet goes.
class Destination final : public Tag {
 public:
  static TypeId GetTypeId() {
    static const TypeId id = TypeId("compare::Destination").SetParent<Tag>().AddConstructor<Destination>();
    return id;
  }
  TypeId GetInstanceTypeId() const override { return GetTypeId(); }
  std::uint32_t GetSerializedSize() const override { return 1; }
  void Serialize(TagBuffer b) const override { b.WriteU8(place); }
  void Deserialize(TagBuffer b) override { place = b.ReadU8(); }
  void Print(std::ostream& out) const override { out << int{place}; }
  std::uint8_t place = 0;
};

/// A router with four neighbours and a terminal.
struct Router {
  std::uint32_t x = 0;
  std::uint32_t y = 0;
  Ptr<NetDevice> out[5];  // x+, x-, y+, y-, terminal

  bool receive(Ptr<NetDevice>, Ptr<const Packet> p, std::uint16_t, const Address&) {
    ++hops;
    Destination d;
    p->PeekPacketTag(d);
    const auto port = towards(d.place % side, d.place / side);
    out[port]->Send(p->Copy(), out[port]->GetBroadcast(), protocol);
    return true;
  }
  std::uint32_t towards(std::uint32_t to_x, std::uint32_t to_y) const {
    const std::uint32_t dx = (to_x + side - x) % side;
    const std::uint32_t dy = (to_y + side - y) % side;
    if (dx != 0) return dx <= side / 2 ? 0 : 1;
    if (dy != 0) return dy <= side / 2 ? 2 : 3;
    return 4;
  }
};

/// Sends at random times until the end, takes what arrives.
struct Terminal {
  std::uint32_t place = 0;
  Ptr<NetDevice> device;
  Ptr<ExponentialRandomVariable> gap;
  Ptr<UniformRandomVariable> peer;
  Time end;

  void start() { Simulator::Schedule(PicoSeconds(1000 * gap->GetValue()), &Terminal::send, this); }
  void send() {
    if (Simulator::Now() > end) return;
    Destination d;
    do d.place = static_cast<std::uint8_t>(peer->GetInteger(0, side * side - 1));
    while (d.place == place);
    auto p = Create<Packet>(size - header);
    p->AddPacketTag(d);
    device->Send(p, device->GetBroadcast(), protocol);
    start();
  }
  bool receive(Ptr<NetDevice>, Ptr<const Packet>, std::uint16_t, const Address&) {
    ++hops;
    return true;
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  Time::SetResolution(Time::PS);
  const double load = std::atof(argv[1]);
  const double before = compare::cpu_seconds();
  NodeContainer nodes;
  nodes.Create(2 * side * side);
  std::vector<Router> routers(side * side);
  std::vector<Terminal> terminals(side * side);
  for (std::uint32_t i = 0; i < side * side; ++i) {
    routers[i].x = i % side;
    routers[i].y = i / side;
  }
  const auto wire = [&](std::uint32_t a, std::uint32_t port_a, std::uint32_t b, std::uint32_t port_b) {
    const NetDeviceContainer d = compare::join(nodes.Get(a), nodes.Get(b), "128Gbps", "5ns");
    routers[a].out[port_a] = d.Get(0);
    routers[b].out[port_b] = d.Get(1);
    d.Get(0)->SetReceiveCallback(MakeCallback(&Router::receive, &routers[a]));
    d.Get(1)->SetReceiveCallback(MakeCallback(&Router::receive, &routers[b]));
  };
  for (std::uint32_t i = 0; i < side * side; ++i) {
    wire(i, 0, routers[i].y * side + (routers[i].x + 1) % side, 1);
    wire(i, 2, (i + side) % (side * side), 3);
    const NetDeviceContainer d = compare::join(nodes.Get(side * side + i), nodes.Get(i), "128Gbps", "5ns");
    Terminal& t = terminals[i];
    t.place = i;
    t.device = d.Get(0);
    t.end = MicroSeconds(std::atoi(argv[2]));
    t.gap = CreateObject<ExponentialRandomVariable>();
    t.gap->SetAttribute("Mean", DoubleValue(size / (16.0 * load)));  // ns
    t.peer = CreateObject<UniformRandomVariable>();
    d.Get(0)->SetReceiveCallback(MakeCallback(&Terminal::receive, &t));
    d.Get(1)->SetReceiveCallback(MakeCallback(&Router::receive, &routers[i]));
    routers[i].out[4] = d.Get(1);
    t.start();
  }
  Simulator::Run();
  compare::report("ns3 d", static_cast<double>(hops), compare::cpu_seconds() - before, Simulator::Now().GetSeconds());
  return 0;
}
