// SPDX-License-Identifier: Apache-2.0
// What bounds the bandwidth of puts between two nodes.
#include <algorithm>

#include "models/host/root_complex.hpp"
#include "models/libraries/tca/tca.hpp"
#include "models/pcie/tlp.hpp"
#include "net/ceilings.hpp"

namespace tsunagi::libraries {

namespace {

void add_port_ceilings(std::vector<comm::Ceiling>& out, const std::string& name, const net::Port& port,
                       const flow::Packet& p, Bytes payload) {
  const net::WireSpec& wire = port.channel().wire();
  const net::TxSpec& tx = port.spec().tx;
  out.push_back({"link payload, " + name, net::payload_ceiling(wire, p, payload)});
  out.push_back({"whole words of the hard IP, " + name, net::word_ceiling(wire, tx, p, payload)});
  out.push_back({"datapath beats, " + name, net::datapath_ceiling(wire, tx, p, payload)});
  out.push_back({"posted credit loop, " + name, net::credit_ceiling(wire, port.channel().receiver(), p, payload),
                 net::credit_burst(wire, port.channel().receiver(), p, payload)});
}

/// Of what the chip reads from a GPU: the root complex passes on so many pieces at a time, and uses each place again so
/// long after its completion.
std::vector<comm::Ceiling> peer_read_ceilings(const TcaNode& me, const gpu::Gpu& gpu) {
  const net::Port& port = gpu.ports().front();
  const auto* rc = dynamic_cast<const host::RootComplex*>(&port.channel().destination());
  if (rc == nullptr) return {};
  const host::PeerConfig& peer = rc->config().peer;
  const net::WireSpec& wire = port.channel().wire();
  flow::Packet request;
  request.address = unsigned_of(gpu.config().bar_base);
  request.header<pcie::Tlp>() = {pcie::TlpType::memory_read, {}, {}, 0};
  flow::Packet completion;
  completion.header<pcie::Tlp>() = {pcie::TlpType::completion_with_data, {}, {}, 0};
  const Time on_wire = wire.rate.time(wire.framing->size(request, Bytes::zero()).total()) +
                       wire.rate.time(wire.framing->size(completion, peer.read_size).total()) + 2 * wire.flight;
  const gpu::GpuConfig& g = gpu.config();
  const Time loop =
      peer.latency + on_wire + 2 * g.port_latency + g.translation_latency + g.read_latency + peer.read_recovery;
  const Rate slots = Rate::bytes_in((peer.read_size * peer.reads).count(), loop.fs());
  // The last pieces do not wait until their places can be used again.
  const Bytes unwaited = Bytes(
      static_cast<std::int64_t>(slots.bytes_per_second() * 1e-15 * static_cast<double>(peer.read_recovery.fs())) + 1);
  return {{"peer-to-peer read slots, " + rc->name(), slots, unwaited},
          {"completions, " + me.chip().name() + ".n",
           net::payload_ceiling(me.chip().ports()[peach2::north].channel().wire(), completion, peer.read_size)}};
}

/// Of what the chip reads from host memory.
std::vector<comm::Ceiling> read_ceilings(const TcaNode& me) {
  // The root complex's completions come down the link of the chip's port N.
  const net::Port& north = me.chip().ports()[peach2::north];
  const host::RootComplex* rc = host::root_complex_above(me.chip());
  if (rc == nullptr) return {};
  const host::RootComplexConfig& host = rc->config();
  const peach2::DmaConfig& dma = me.chip().config().dma;
  const net::WireSpec& wire = north.channel().wire();
  flow::Packet completion;
  completion.header<pcie::Tlp>() = {pcie::TlpType::completion_with_data, {}, {}, 0};
  // Shortest time that a tag is taken: request out, memory, the completions one after the other, back.
  const Bytes whole = std::min(host.completion_size, wire.max_payload);
  const std::int64_t pieces = units_of(dma.max_read_request, whole);
  const Time data = wire.rate.time(wire.framing->size(completion, whole).total() * pieces);
  const Time loop = north.spec().tx.pipeline.latency() + 2 * wire.flight + host.read_latency +
                    me.memory().config().read_latency + host.completion_latency + data +
                    north.spec().rx.pipeline.latency();
  const Bytes window = std::min(dma.max_read_request * dma.tags, dma.buffer);
  return {{"completions, " + rc->name(), net::payload_ceiling(wire, completion, whole)},
          {"tags x MRRS over the round trip, " + me.chip().name(), Rate::bytes_in(window.count(), loop.fs())}};
}

/// A page as fast as a wire carries it in full packets.
Time time_of_page(const net::Port& port, const flow::Packet& p) {
  const net::WireSpec& wire = port.channel().wire();
  return wire.rate.time(wire.framing->size(p, wire.max_payload).total() * units_of(4_KiB, wire.max_payload));
}

/// Bytes that cross a GPU's link first, and the cable when all of them have.
void add_staging_ceiling(std::vector<comm::Ceiling>& out, const TcaNode& me, const flow::Packet& write_to_host,
                         const net::Port& cable, const flow::Packet& p) {
  Time copy = Time::max();
  for (const gpu::Gpu* g : me.gpus()) copy = std::min(copy, time_of_page(g->ports().front(), write_to_host));
  if (copy == Time::max()) return;
  out.push_back({"copy to the host, then " + me.chip().name() + "." + cable.name(),
                 Rate::bytes_in((4_KiB).count(), (copy + time_of_page(cable, p)).fs())});
}

}  // namespace

std::vector<comm::Ceiling> Tca::ceilings(int from, int to, const comm::Buffer& b) const {
  const TcaNode& me = nodes_[from];
  const TcaNode& there = nodes_[to];
  const bool dma = by_dma(b.method);
  flow::Packet write;
  write.header<pcie::Tlp>() = pcie::Tlp{};
  std::vector<comm::Ceiling> out;
  if (b.method == "dma" && me.gpu(b.place) != nullptr)
    out = peer_read_ceilings(me, *me.gpu(b.place));
  else if (dma && b.place != "chip")
    out = read_ceilings(me);
  const auto largest = [&](const net::Port& port) {
    return dma ? port.max_payload() : std::min(port.max_payload(), host::Core::line);
  };
  write.address = there.shared(b.target, b.offset, b.size);
  for (const peach2::Peach2* at = &me.chip(); at != &there.chip(); at = at->next_towards(to)) {
    const net::Port& port = *at->port_towards(to);
    add_port_ceilings(out, at->name() + "." + port.name(), port, write, largest(port));
  }
  if (b.method == "staged" && from != to) {
    flow::Packet copy = write;
    copy.address = me.staging().base;
    add_staging_ceiling(out, me, copy, *me.chip().port_towards(to), write);
  }
  if (b.target == "chip") return out;
  const net::Port& last = there.chip().ports()[peach2::north];
  write.address = there.local(b.target, b.offset, b.size);
  add_port_ceilings(out, there.chip().name() + ".n", last, write, largest(last));
  return out;
}

}  // namespace tsunagi::libraries
