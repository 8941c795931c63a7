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

void add_link_ceilings(std::vector<comm::Ceiling>& out, const std::string& name, const net::Channel& channel,
                       std::uint64_t address) {
  flow::Packet write;
  write.header<pcie::Tlp>() = pcie::Tlp{};
  write.address = address;
  const net::WireSpec& wire = channel.wire();
  out.push_back({"link payload, " + name, net::payload_ceiling(wire, write, wire.max_payload)});
  out.push_back({"posted credit loop, " + name, net::credit_ceiling(wire, channel.receiver(), write, wire.max_payload),
                 net::credit_burst(wire, channel.receiver(), write, wire.max_payload)});
}

Rate engine_ceiling(Bytes width, Frequency clock) {
  constexpr std::int64_t cycles = 1'000'000;
  return Rate::bytes_in(width.count() * cycles, Clock(clock).cycles(cycles).fs());
}

/// All links of a bundle at once.
void add_nvlink_ceilings(std::vector<comm::Ceiling>& out, const gpu::Gpu& gpu, const nvlink::Behind& way) {
  const gpu::NvlinkConfig& c = gpu.config().nvlink;
  const net::Channel& first = gpu.ports()[static_cast<std::size_t>(way.ports.front())].channel();
  const net::WireSpec& wire = first.wire();
  flow::Packet write;
  write.header<pcie::Tlp>() = pcie::Tlp{};
  const auto links = static_cast<std::int64_t>(way.ports.size());
  const Bytes most = std::min(c.packet, wire.max_payload);
  out.push_back({"copy engine, " + gpu.name(), engine_ceiling(c.width, gpu.config().copy_engines.clock)});
  out.push_back({fmt::format("payload of {} NVLink {}, {}", links, links == 1 ? "link" : "links", gpu.name()),
                 net::payload_ceiling(wire, write, most).scaled(links, 1)});
  out.push_back({"NVLink credit loop, " + gpu.name(),
                 net::credit_ceiling(wire, first.receiver(), write, most).scaled(links, 1),
                 net::credit_burst(wire, first.receiver(), write, most) * links});
}

}  // namespace

void add_peer_ceilings(std::vector<comm::Ceiling>& out, const gpu::Gpu& gpu, const gpu::Gpu& peer) {
  if (const nvlink::Behind* way = nvlink_between(gpu, peer); way != nullptr)
    add_nvlink_ceilings(out, gpu, *way);
  else
    add_write_ceilings(out, gpu, &peer, unsigned_of(peer.config().bar_base));
}

void add_write_ceilings(std::vector<comm::Ceiling>& out, const gpu::Gpu& gpu, const gpu::Gpu* peer,
                        std::uint64_t address) {
  const gpu::CopyEngineConfig& engine = gpu.config().copy_engines;
  out.push_back({"copy engine, " + gpu.name(), engine_ceiling(engine.width, engine.clock)});
  add_link_ceilings(out, gpu.name() + ".pcie", gpu.ports().front().channel(), address);
  if (peer == nullptr) return;
  const net::Port& last = peer->ports().front();
  add_link_ceilings(out, last.channel().end_name(), last.incoming(), address);
}

void add_read_ceilings(std::vector<comm::Ceiling>& out, const gpu::Gpu& gpu, const host::Memory& memory) {
  const host::RootComplex* rc = host::root_complex_above(gpu);
  if (rc == nullptr) return;
  const gpu::CopyEngineConfig& engine = gpu.config().copy_engines;
  const net::Port& port = gpu.ports().front();
  const net::WireSpec& wire = port.channel().wire();
  flow::Packet completion;
  completion.header<pcie::Tlp>() = {pcie::TlpType::completion_with_data, {}, {}, 0};
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
