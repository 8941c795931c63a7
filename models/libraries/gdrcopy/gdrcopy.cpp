// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/gdrcopy/gdrcopy.hpp"

#include <stdexcept>

#include "config/error_at.hpp"
#include "models/libraries/catalog.hpp"
#include "models/libraries/gdrcopy/mapping_copies.hpp"
#include "models/libraries/reach.hpp"
#include "models/pcie/tlp.hpp"
#include "models/process/node_part.hpp"
#include "net/ceilings.hpp"
#include "units/parse.hpp"

namespace tsunagi::libraries {

void describe(GdrCopyConfig& c, config::Describer& d) {
  using namespace config;
  d.field("node", c.node, "the node that the program runs on: what its parts' names begin with; empty: nothing");
  d.field("core", c.core, "the core that copies");
  d.field("memory", c.memory, "the memory with its buffer");
  d.field("gpu", c.gpu, "the GPU");
  d.field("call_cycles", c.call_cycles, "cycles of a call beside its loads and stores",
          within(std::int64_t{0}, std::int64_t{1'000'000}), ideal(std::int64_t{0}));
}

GdrCopy::GdrCopy(const GdrCopyConfig& c, Machine& m)
    : HostProcess(m, process::prefix_of(c.node), c.core, c.memory),
      config_(c),
      gpu_(&process::node_part<gpu::Gpu>(m, process::prefix_of(c.node), c.gpu, "gpu")) {
  const std::uint64_t window = unsigned_of(gpu_->config().bar_base);
  if (const std::string why = reach_refusal(core().ports().front(), window, *gpu_, host::Core::line); !why.empty())
    throw config::error_at("/machine", why);
  add_facet<comm::DeviceCopies>(*this);
}

void GdrCopy::check_copy(int, const comm::DeviceCopy& c) const {
  const auto refuse = [](const std::string& why) { throw config::error_at("/scenario", why); };
  const bool out = to_gpu(c);
  const comm::PutSide& host = out ? c.source : c.target;
  const comm::PutSide& gpu = out ? c.target : c.source;
  if (host.place != config_.memory || gpu.place != config_.gpu)
    refuse("library gdrcopy copies between \"" + config_.memory + "\" and \"" + config_.gpu + "\", not from \"" +
           c.source.place + "\" to \"" + c.target.place + "\"");
  if (host.offset + c.size > largest_message())
    refuse(to_string(host.offset + c.size) + " of " + host.place + ", which has room for " +
           to_string(largest_message()));
  if (gpu.offset.count() % host::StreamingLoads::widest.count() != 0)
    refuse("offset " + to_string(gpu.offset) + " of " + gpu.place + ": a copy begins at a multiple of " +
           to_string(host::StreamingLoads::widest));
  gpu_->pin(gpu.offset, c.size);
}

Time GdrCopy::copy(Fiber& f, int rank, const comm::DeviceCopy& c) {
  const Time begin = f.now();
  step.sent(c.size);
  const MappingCopies copies(core(), memory(), config_.call_cycles);
  if (to_gpu(c))
    copies.to_mapping(f, rank, step, gpu_->pin(c.target.offset, c.size), host_address(c.source.offset), c.size);
  else
    copies.from_mapping(f, rank, step, host_address(c.target.offset), gpu_->pin(c.source.offset, c.size), c.size);
  return f.now() - begin;
}

std::vector<comm::Ceiling> GdrCopy::copy_ceilings(int, const comm::DeviceCopy& c) const {
  const net::Port& port = gpu_->ports().front();
  const net::WireSpec& wire = (to_gpu(c) ? port.incoming() : port.channel()).wire();
  flow::Packet data;
  data.header<pcie::Tlp>() = pcie::Tlp{};
  data.address = unsigned_of(gpu_->config().bar_base);
  if (!to_gpu(c)) data.header<pcie::Tlp>().type = pcie::TlpType::completion_with_data;
  const Bytes each = to_gpu(c) ? host::Core::line : host::StreamingLoads::widest;
  return {{"the GPU's link", net::payload_ceiling(wire, data, each), gpu_->config().bar_size}};
}

void GdrCopy::send(Fiber&, int, int, const comm::Buffer&) { throw std::logic_error("library gdrcopy has one rank"); }

void GdrCopy::recv(Fiber&, int, int, const comm::Buffer&) { throw std::logic_error("library gdrcopy has one rank"); }

LibraryKind gdrcopy_library() {
  return library<GdrCopy, GdrCopyConfig>("gdrcopy", "a core copies between host memory and a GPU's window, as GDRCopy");
}

}  // namespace tsunagi::libraries
