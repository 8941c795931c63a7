// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/mpi/gpu_memory.hpp"

#include <algorithm>

#include "config/error_at.hpp"
#include "models/host/root_complex.hpp"
#include "models/libraries/cuda/cuda_ceilings.hpp"
#include "models/libraries/gdrcopy/gdrcopy.hpp"
#include "models/libraries/reach.hpp"
#include "units/checked.hpp"
#include "units/parse.hpp"

namespace tsunagi::libraries {

using gpu::Aperture;
using gpu::CopyCommand;

namespace {

void refuse(const char* where, const std::string& why) {
  if (!why.empty()) throw config::error_at(where, why);
}

}  // namespace

void describe(GpuBuffersConfig& c, config::Describer& d) {
  using namespace config;
  constexpr std::int64_t most = 1'000'000;
  d.field("pointer_cycles", c.pointer_cycles, "core cycles to find out whether a pointer is a GPU's",
          within(std::int64_t{0}, most), ideal(std::int64_t{0}));
  d.field("pointer_tests", c.pointer_tests, "how often that is done for a message on each side", within(0, 16));
  d.field("pinned_eager", c.pinned_eager,
          "buffers of eager messages are registered with CUDA, too: a copy less, which the driver makes");
  d.field("create_cycles", c.create_cycles, "core cycles to make and destroy the receiver's event of a message",
          within(std::int64_t{0}, most), ideal(std::int64_t{0}));
  d.field("block", c.block, "longer messages go through host memory in blocks of that", within(4_KiB, 16_MiB));
  d.field("granted", c.granted, "blocks that a receiver has ready at a time for a message", within(1, 64));
  d.field("pool", c.pool, "blocks that a rank has to send from, and as many to receive into", within(1, 4096));
  d.field("all_rails", c.all_rails,
          "blocks are cut over all rails as long messages are, else they go by the first one");
  d.field("control", c.control, "bytes of a ready-to-send or clear-to-send with its room for addresses of blocks",
          within(64_B, 16_KiB));
  d.field("direct_limit", c.direct_limit,
          "messages up to that are read and written by the card in GPU memory (GPUDirect RDMA); 0: none",
          at_most(largest_given));
  d.field("receive_limit", c.receive_limit,
          "longer ones up to that are written by the card into GPU memory, and staged at the sender alone",
          at_most(largest_given));
  d.any("gdrcopy", c.gdrcopy, "library", "library gdrcopy, whose calls copy short messages; none: cudaMemcpy does");
  d.field(
      "gdrcopy_limit", c.gdrcopy_limit,
      "with it, messages up to that, if they are eager, are copied by the core through the GPU's window and need no "
      "rendezvous",
      at_most(largest_given));
  d.field(
      "window_packets", c.window_packets,
      "puts and gets of windows never go that way: eager ones are copied by way of host memory, longer ones staged");
  d.require(c.control.count() % 8 == 0, "\"control\" must be whole words of 8 B");
}

GpuMemory::GpuMemory(const GpuBuffersConfig& c, const CudaDriverConfig& driver, Machine& m, VerbsNode& node,
                     const comm::Steps& step)
    : config_(c), node_(node), step_(step) {
  const std::string& core = node.core().name();
  prefix_ = core.substr(0, core.size() - node.config().core.size());
  const process::Area area = node.take("CUDA driver", CudaDriver::area_size);
  std::array<process::Area, 2> staging;
  for (process::Area& buffer : staging) buffer = node.take("CUDA driver's staging buffer", driver.chunk);
  pinned_ = staging.back().base;
  for (gpu::Gpu* g : m.all<gpu::Gpu>())
    if (g->name().compare(0, prefix_.size(), prefix_) == 0 && g->config().copy_engines.count > 0) gpus_.push_back(g);
  if (gpus_.empty()) throw config::error_at("/library/cuda", "the node of " + core + " has no GPU with a copy engine");
  if (!c.gdrcopy.empty()) {
    if (c.gdrcopy.kind() != "gdrcopy")
      throw config::error_at("/library/gpu/gdrcopy", "is library " + c.gdrcopy.kind() + ", not gdrcopy");
    mapped_.emplace(node.core(), node.memory(), c.gdrcopy.as<GdrCopyConfig>().call_cycles);
  }
  driver_ = std::make_unique<CudaDriver>(driver, node.core(), node.memory(), area, gpus_);
  pageable_ = std::make_unique<PageableCopies>(*driver_, node.core(), node.memory(), staging, step);
}

std::vector<std::string> GpuMemory::names() const {
  std::vector<std::string> out;
  for (const gpu::Gpu* g : gpus_) out.push_back(g->name().substr(prefix_.size()));
  return out;
}

gpu::Gpu* GpuMemory::find(const std::string& place) const {
  const auto at = std::find_if(gpus_.begin(), gpus_.end(), [&](const gpu::Gpu* g) {
    return g->name().size() == prefix_.size() + place.size() &&
           g->name().compare(prefix_.size(), place.size(), place) == 0;
  });
  return at == gpus_.end() ? nullptr : *at;
}

gpu::Gpu& GpuMemory::gpu(const std::string& place) const {
  if (gpu::Gpu* g = find(place)) return *g;
  std::string known;
  for (const std::string& name : names()) known += (known.empty() ? "" : ", ") + name;
  throw config::error_at("/scenario", "\"" + place + "\" is no GPU with a copy engine of " +
                                          (prefix_.empty() ? "the node" : prefix_.substr(0, prefix_.size() - 1)) +
                                          "; there are: host, " + known);
}

void GpuMemory::check(const comm::Buffer& b) const {
  gpu::Gpu& g = gpu(b.place);
  if (b.offset + b.size > g.config().memory_size)
    refuse("/scenario",
           to_string(b.offset + b.size) + " of " + g.name() + ", which has " + to_string(g.config().memory_size));
  const net::Port& bus = node_.core().ports().front();
  const net::Port& port = g.ports().front();
  refuse("/machine", reach_refusal(bus, g.register_address(0), g, host::Core::line));
  refuse("/machine", reach_refusal(port, pinned_, node_.memory(), port.max_payload()));
}

void GpuMemory::check_direct(const comm::Buffer& b, Bytes n) const {
  const gpu::Gpu& g = gpu(b.place);
  const std::uint64_t window = unsigned_of(g.config().bar_base);
  const auto no_way = [&](const std::string& why) {
    if (!why.empty()) refuse("/machine", "cards have to read and write " + g.name() + " (GPUDirect RDMA): " + why);
  };
  check_shown(b, n, "GPUDirect RDMA");
  for (int rail = 0; rail < node_.rails(); ++rail) {
    const infiniband::Adapter& card = node_.card(rail);
    const net::Port& slot = card.ports().front();
    const host::RootComplex* rc = host::root_complex_above(card);
    if (rc == nullptr) return no_way(card.name() + " is below no root complex");
    no_way(rc->peer_refusal(card, Address::at(g.config().bar_base)));
    no_way(reach_refusal(slot, window, g, slot.max_payload()));
  }
}

void GpuMemory::check_shown(const comm::Buffer& b, Bytes n, const char* use) const {
  const gpu::Gpu& g = gpu(b.place);
  if (b.offset + n > g.config().bar_size)
    refuse("/scenario", to_string(b.offset + n) + " of " + g.name() + " for " + use + ", but its window shows " +
                            to_string(g.config().bar_size));
}

void GpuMemory::check_window(const comm::Buffer& b, Bytes n) const {
  gpu::Gpu& g = gpu(b.place);
  check_shown(b, n, "GDRCopy");
  refuse("/machine",
         reach_refusal(node_.core().ports().front(), unsigned_of(g.config().bar_base), g, host::Core::line));
}

void GpuMemory::add_ceilings(std::vector<comm::Ceiling>& out, const comm::Buffer& b, bool to_host) const {
  if (to_host)
    add_write_ceilings(out, gpu(b.place), nullptr, pinned_);
  else
    add_read_ceilings(out, gpu(b.place), node_.memory());
}

std::uint64_t GpuMemory::show(const comm::Buffer& b) const {
  const std::uint64_t at = gpu(b.place).pin(b.offset, b.size);
  for (int rail = 0; rail < node_.rails(); ++rail)
    if (node_.earlier_on_card(rail) == 0) node_.card(rail).register_memory(at, b.size);
  return at;
}

void GpuMemory::test_pointers(Fiber& f, int rank) const {
  if (config_.pointer_tests == 0 || config_.pointer_cycles == 0) return;
  step_(f, rank, "test for GPU pointers",
        [&] { node_.core().execute(f, "cuPointerGetAttribute", config_.pointer_cycles * config_.pointer_tests); });
}

CopyCommand GpuMemory::command(const comm::Buffer& in_gpu, std::uint64_t host, bool out) const {
  CopyCommand what;
  what.source = out ? unsigned_of(in_gpu.offset) : host;
  what.destination = out ? host : unsigned_of(in_gpu.offset);
  what.length = in_gpu.size;
  what.from = out ? Aperture::local : Aperture::host;
  what.to = out ? Aperture::host : Aperture::local;
  return what;
}

void GpuMemory::copy_pinned(Fiber& f, const comm::Buffer& in_gpu, std::uint64_t host, bool out) {
  step_.copied(comm::Copier::dma, in_gpu.size);
  driver_->call(f);
  driver_->wait(f, driver_->start_by_default(f, gpu(in_gpu.place), command(in_gpu, host, out)));
  driver_->finish(f);
}

void GpuMemory::copy_out(Fiber& f, int rank, const comm::Buffer& from, std::uint64_t host, bool pinned) {
  step_(f, rank, "cudaMemcpy from the GPU", [&] {
    if (pinned) return copy_pinned(f, from, host, true);
    pageable_->from_gpu(f, gpu(from.place), unsigned_of(from.offset), host, from.size);
  });
}

void GpuMemory::copy_in(Fiber& f, int rank, const comm::Buffer& to, std::uint64_t host, bool pinned) {
  step_(f, rank, "cudaMemcpy to the GPU", [&] {
    if (pinned) return copy_pinned(f, to, host, false);
    pageable_->to_gpu(f, gpu(to.place), unsigned_of(to.offset), host, to.size);
  });
}

void GpuMemory::load_out(Fiber& f, int rank, const comm::Buffer& from, std::uint64_t host) {
  step_.copied(comm::Copier::core, from.size);
  mapped_->from_mapping(f, rank, step_, host, gpu(from.place).pin(from.offset, from.size), from.size);
}

void GpuMemory::store_in(Fiber& f, int rank, const comm::Buffer& to, std::uint64_t host) {
  step_.copied(comm::Copier::core, to.size);
  mapped_->to_mapping(f, rank, step_, gpu(to.place).pin(to.offset, to.size), host, to.size);
}

GpuMemory::Event GpuMemory::start(Fiber& f, int rank, const comm::Buffer& in_gpu, std::uint64_t host, bool out) {
  Event e;
  step_(f, rank, out ? "cudaMemcpyAsync from the GPU" : "cudaMemcpyAsync to the GPU", [&] {
    driver_->call(f);
    e = driver_->start(f, gpu(in_gpu.place), command(in_gpu, host, out));
  });
  step_(f, rank, "cudaEventRecord", [&] { driver_->record_event(f); });
  return e;
}

bool GpuMemory::over(Fiber& f, int rank, const Event& e) {
  bool out = false;
  step_(f, rank, "cudaEventQuery", [&] { out = driver_->query(f, e); });
  return out;
}

void GpuMemory::compute(Fiber& f, const Work& w, const std::string& place) {
  const gpu::Gpu& g = gpu(place);
  driver_->compute(f, g, w);
}

void GpuMemory::make_event(Fiber& f, int rank) const {
  if (config_.create_cycles == 0) return;
  step_(f, rank, "cudaEventCreate and Destroy",
        [&] { node_.core().execute(f, "cudaEventCreate", config_.create_cycles); });
}

}  // namespace tsunagi::libraries
