// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/cuda/cuda_ceilings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/host/root_complex.hpp"
#include "models/libraries/cuda/cuda_peers.hpp"
#include "models/pcie/tlp.hpp"
#include "net/ceilings.hpp"

namespace tsunagi::libraries {

namespace {

flow::Packet packet_of(pcie::TlpType type, std::uint64_t address = 0) {
  flow::Packet p;
  p.header<pcie::Tlp>() = pcie::Tlp{};
  p.header<pcie::Tlp>().type = type;
  p.address = address;
  return p;
}

/// Of writes, or of what reads are answered with, of up to `most` bytes.
void add_link_ceilings(std::vector<comm::Ceiling>& out, const std::string& name, const net::Channel& channel,
                       const flow::Packet& packet, Bytes most = 4_KiB) {
  const net::WireSpec& wire = channel.wire();
  const Bytes whole = std::min(most, wire.max_payload);
  const bool write = packet.header<pcie::Tlp>().type == pcie::TlpType::memory_write;
  const std::string credits = write ? "posted" : "completion";
  out.push_back({"link payload, " + name, net::payload_ceiling(wire, packet, whole)});
  out.push_back({credits + " credit loop, " + name, net::credit_ceiling(wire, channel.receiver(), packet, whole),
                 net::credit_burst(wire, channel.receiver(), packet, whole)});
}

Rate engine_ceiling(Bytes width, Frequency clock) {
  constexpr std::int64_t cycles = 1'000'000;
  return Rate::bytes_in(width.count() * cycles, Clock(clock).cycles(cycles).fs());
}

/// All links of a bundle at once, of which `sender` has those ports: `by` has the engine.
void add_nvlink_ceilings(std::vector<comm::Ceiling>& out, const gpu::Gpu& by, const gpu::Gpu& sender,
                         const nvlink::Behind& way, const flow::Packet& packet) {
  const net::Channel& first = sender.ports()[static_cast<std::size_t>(way.ports.front())].channel();
  const net::WireSpec& wire = first.wire();
  const auto links = static_cast<std::int64_t>(way.ports.size());
  const Bytes most = std::min({by.config().nvlink.packet, sender.config().nvlink.packet, wire.max_payload});
  // A read a cycle, at least.
  const Bytes width = std::max(by.config().nvlink.width, &by == &sender ? Bytes::zero() : by.config().nvlink.packet);
  out.push_back({"copy engine, " + by.name(), engine_ceiling(width, by.config().copy_engines.clock)});
  out.push_back({fmt::format("payload of {} NVLink {}, {}", links, links == 1 ? "link" : "links", sender.name()),
                 net::payload_ceiling(wire, packet, most).scaled(links, 1)});
  out.push_back({"NVLink credit loop, " + sender.name(),
                 net::credit_ceiling(wire, first.receiver(), packet, most).scaled(links, 1),
                 net::credit_burst(wire, first.receiver(), packet, most) * links});
}

}  // namespace

void add_peer_ceilings(std::vector<comm::Ceiling>& out, const gpu::Gpu& gpu, const gpu::Gpu& peer) {
  if (const nvlink::Behind* way = nvlink_between(gpu, peer); way != nullptr)
    add_nvlink_ceilings(out, gpu, gpu, *way, packet_of(pcie::TlpType::memory_write));
  else
    add_write_ceilings(out, gpu, &peer, unsigned_of(peer.config().bar_base));
}

void add_peer_read_ceilings(std::vector<comm::Ceiling>& out, const gpu::Gpu& gpu, const gpu::Gpu& peer) {
  const flow::Packet answer = packet_of(pcie::TlpType::completion_with_data);
  // Answers leave by the links that requests came by: as many as lead back.
  if (const nvlink::Behind* way = nvlink_between(peer, gpu); way != nullptr) {
    add_nvlink_ceilings(out, gpu, peer, *way, answer);
    return;
  }
  // A read a cycle.
  const gpu::CopyEngineConfig& engine = gpu.config().copy_engines;
  out.push_back({"copy engine, " + gpu.name(), engine_ceiling(engine.max_read_request, engine.clock)});
  add_link_ceilings(out, peer.name() + ".pcie", peer.ports().front().channel(), answer, engine.max_read_request);
  const net::Port& last = gpu.ports().front();
  add_link_ceilings(out, last.channel().end_name(), last.incoming(), answer, engine.max_read_request);
}

void add_write_ceilings(std::vector<comm::Ceiling>& out, const gpu::Gpu& gpu, const gpu::Gpu* peer,
                        std::uint64_t address) {
  const flow::Packet write = packet_of(pcie::TlpType::memory_write, address);
  const gpu::CopyEngineConfig& engine = gpu.config().copy_engines;
  out.push_back({"copy engine, " + gpu.name(), engine_ceiling(engine.width, engine.clock)});
  add_link_ceilings(out, gpu.name() + ".pcie", gpu.ports().front().channel(), write);
  if (peer == nullptr) return;
  const net::Port& last = peer->ports().front();
  add_link_ceilings(out, last.channel().end_name(), last.incoming(), write);
}

void add_read_ceilings(std::vector<comm::Ceiling>& out, const gpu::Gpu& gpu, const host::Memory& memory) {
  const host::RootComplex* rc = host::root_complex_above(gpu);
  if (rc == nullptr) return;
  const gpu::CopyEngineConfig& engine = gpu.config().copy_engines;
  const net::Port& port = gpu.ports().front();
  const net::WireSpec& wire = port.channel().wire();
  const flow::Packet completion = packet_of(pcie::TlpType::completion_with_data);
  // Shortest time that a tag is taken: request out, memory, the completions one after the other, back.
  const Bytes whole = std::min({rc->config().completion_size, wire.max_payload, engine.max_read_request});
  const Time data =
      wire.rate.time(wire.framing->size(completion, whole).total() * units_of(engine.max_read_request, whole));
  const Time loop = port.spec().tx.pipeline.latency() + 2 * wire.flight + rc->config().read_latency +
                    memory.config().read_latency + rc->config().completion_latency + data +
                    port.spec().rx.pipeline.latency();
  out.push_back({"completions, " + rc->name(), net::payload_ceiling(wire, completion, whole)});
  out.push_back({"tags x MRRS over the round trip, " + gpu.name(),
                 Rate::bytes_in((engine.max_read_request * engine.tags).count(), loop.fs())});
}

}  // namespace tsunagi::libraries
