// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/cuda/cuda_ceilings.hpp"

#include <algorithm>

#include "models/host/root_complex.hpp"
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

}  // namespace

void add_write_ceilings(std::vector<comm::Ceiling>& out, const gpu::Gpu& gpu, const gpu::Gpu* peer,
                        std::uint64_t address) {
  const gpu::CopyEngineConfig& engine = gpu.config().copy_engines;
  constexpr std::int64_t cycles = 1'000'000;
  out.push_back({"copy engine, " + gpu.name(),
                 Rate::bytes_in(engine.width.count() * cycles, Clock(engine.clock).cycles(cycles).fs())});
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
