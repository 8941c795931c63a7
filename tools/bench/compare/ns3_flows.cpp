// SPDX-License-Identifier: Apache-2.0
// Benchmarks (a), (b) and (c) on ns-3: usage ns3_flows a|b PACKETS, PACKETS a flow, or ns3_flows c MICROSECONDS.
// Forwarded between point-to-point devices; no credits, no acknowledgements.
//   a: 280 bytes on wires of 4 GB/s, one flow over five hops.   b: ring of 16, from every node to both neighbours,
//   three hops each.   c: 15 terminals of a crossbar send 16 packets of 272 bytes each time to one, at 6 % of 16 GB/s
//   each.
#include <cstdlib>
#include <cstring>
#include <utility>

#include "ns3_common.hpp"

using namespace ns3;

namespace {

constexpr std::uint16_t protocol = 0x0800;  // the framing wants one that it knows
constexpr std::uint32_t tlp = 280 - 2;      // its header has two bytes
constexpr const char* rate = "32Gbps";

std::uint64_t hops = 0;

/// Keeps a few packets in a device's queue until all are sent.
class Source {
 public:
  Source(Ptr<PointToPointNetDevice> device, std::uint64_t packets) : device_(device), left_(packets) {
    device_->TraceConnectWithoutContext("PhyTxEnd", MakeCallback(&Source::sent, this));
    for (int i = 0; i < 4; ++i) send();
  }

 private:
  void sent(Ptr<const Packet>) { send(); }
  void send() {
    if (left_ == 0) return;
    --left_;
    device_->Send(Create<Packet>(tlp), device_->GetBroadcast(), protocol);
  }
  Ptr<PointToPointNetDevice> device_;
  std::uint64_t left_;
};

/// Sends messages of 16 packets at random times until the end.
class Bursts {
 public:
  Bursts(Ptr<NetDevice> device, Time end) : device_(device), end_(end) {
    constexpr double load = 0.06;                                             // of 16 GB/s
    gap_->SetAttribute("Mean", DoubleValue(packets * size / (16.0 * load)));  // ns
    next();
  }

 private:
  static constexpr int packets = 16;
  static constexpr std::uint32_t size = 272;
  void next() { Simulator::Schedule(PicoSeconds(1000 * gap_->GetValue()), &Bursts::send, this); }
  void send() {
    if (Simulator::Now() > end_) return;
    for (int i = 0; i < packets; ++i) device_->Send(Create<Packet>(size - 2), device_->GetBroadcast(), protocol);
    next();
  }
  Ptr<NetDevice> device_;
  Ptr<ExponentialRandomVariable> gap_ = CreateObject<ExponentialRandomVariable>();
  Time end_;
};

/// Packets that come in at one device leave by others in turn (none: they have arrived).
class Forwarder {
 public:
  Forwarder(Ptr<NetDevice> in, std::vector<Ptr<NetDevice>> out) : out_(std::move(out)) {
    in->SetReceiveCallback(MakeCallback(&Forwarder::receive, this));
  }

 private:
  bool receive(Ptr<NetDevice>, Ptr<const Packet> p, std::uint16_t, const Address&) {
    ++hops;
    if (out_.empty()) return true;
    NetDevice& out = *out_[next_++ % out_.size()];
    out.Send(p->Copy(), out.GetBroadcast(), protocol);
    return true;
  }
  std::vector<Ptr<NetDevice>> out_;
  std::size_t next_ = 0;
};

// They live as long as the program.
void send(Ptr<NetDevice> from, std::uint64_t packets) { new Source(DynamicCast<PointToPointNetDevice>(from), packets); }
void forward(Ptr<NetDevice> in, std::vector<Ptr<NetDevice>> out) { new Forwarder(in, std::move(out)); }

void one_flow(std::uint64_t packets) {
  constexpr std::uint32_t links = 5;
  NodeContainer nodes;
  nodes.Create(links + 1);
  std::vector<NetDeviceContainer> path;
  for (std::uint32_t i = 0; i < links; ++i)
    path.push_back(compare::join(nodes.Get(i), nodes.Get(i + 1), rate, "200ns"));
  for (std::uint32_t i = 0; i + 1 < links; ++i) forward(path[i].Get(1), {path[i + 1].Get(0)});
  forward(path.back().Get(1), {});
  send(path.front().Get(0), packets);
}

/// A host sends to its two neighbours in turn.
void ring(std::uint64_t packets) {
  constexpr std::uint32_t n = 16;
  NodeContainer hosts;
  NodeContainer chips;
  hosts.Create(n);
  chips.Create(n);
  std::vector<NetDeviceContainer> host_link;
  std::vector<NetDeviceContainer> east;
  for (std::uint32_t i = 0; i < n; ++i) host_link.push_back(compare::join(hosts.Get(i), chips.Get(i), rate, "200ns"));
  for (std::uint32_t i = 0; i < n; ++i)
    east.push_back(compare::join(chips.Get(i), chips.Get((i + 1) % n), rate, "200ns"));
  for (std::uint32_t i = 0; i < n; ++i) {
    const NetDeviceContainer& west = east[(i + n - 1) % n];
    forward(host_link[i].Get(1), {east[i].Get(0), west.Get(1)});
    forward(east[i].Get(0), {host_link[i].Get(1)});
    forward(west.Get(1), {host_link[i].Get(1)});
    forward(host_link[i].Get(0), {});
    send(host_link[i].Get(0), 2 * packets);
  }
}

void incast(std::uint64_t microseconds) {
  constexpr std::uint32_t senders = 15;
  NodeContainer nodes;
  nodes.Create(senders + 2);
  const Ptr<Node> router = nodes.Get(senders);
  const NetDeviceContainer down = compare::join(router, nodes.Get(senders + 1), "128Gbps", "5ns");
  forward(down.Get(1), {});
  for (std::uint32_t i = 0; i < senders; ++i) {
    const NetDeviceContainer up = compare::join(nodes.Get(i), router, "128Gbps", "5ns");
    forward(up.Get(1), {down.Get(0)});
    new Bursts(up.Get(0), MicroSeconds(microseconds));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 || std::strlen(argv[1]) != 1 || std::strchr("abc", *argv[1]) == nullptr) return 2;
  Time::SetResolution(Time::PS);
  const std::uint64_t n = std::strtoull(argv[2], nullptr, 10);
  const double before = compare::cpu_seconds();
  *argv[1] == 'a' ? one_flow(n) : *argv[1] == 'b' ? ring(n) : incast(n);
  Simulator::Run();
  compare::report(std::string("ns3 ") + argv[1], static_cast<double>(hops), compare::cpu_seconds() - before,
                  Simulator::Now().GetSeconds());
  return 0;
}
