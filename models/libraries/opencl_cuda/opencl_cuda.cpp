// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/opencl_cuda/opencl_cuda.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "config/error_at.hpp"
#include "models/libraries/catalog.hpp"
#include "models/libraries/reach.hpp"
#include "models/pcie/tlp.hpp"
#include "models/process/node_part.hpp"
#include "net/ceilings.hpp"
#include "units/parse.hpp"

namespace tsunagi::libraries {

void describe(OpenClCudaConfig& c, config::Describer& d) {
  d.field("node", c.node, "the node that the program runs on: what its parts' names begin with; empty: nothing");
  d.field("core", c.core, "the core that its thread runs on");
  d.field("memory", c.memory, "the memory with its buffer and the drivers' areas");
  d.field("fpga", c.fpga, "the FPGA card");
  d.field("gpu", c.gpu, "the GPU");
  d.object("opencl", c.opencl, "what the code of the card's OpenCL runtime and driver costs");
  d.object("cuda", c.cuda, "what the code of CUDA's driver costs");
}

OpenClCuda::OpenClCuda(const OpenClCudaConfig& c, Machine& m)
    : HostProcess(m, process::prefix_of(c.node), c.core, c.memory), fpga_name_(c.fpga), gpu_name_(c.gpu) {
  add_facet<comm::DeviceCopies>(*this);
  const std::string prefix = process::prefix_of(c.node);
  fpga_ = &process::node_part<fpga::Fpga>(m, prefix, c.fpga, "fpga");
  gpu_ = &process::node_part<gpu::Gpu>(m, prefix, c.gpu, "gpu");
  if (gpu_->config().copy_engines.count == 0) throw config::error_at("/machine", gpu_->name() + " has no copy engine");
  const process::Area cuda = areas().take("CUDA driver", CudaDriver::area_size);
  const process::Area opencl = areas().take("OpenCL driver", OpenClDriver::area_size);
  std::array<process::Area, 2> staging;
  for (process::Area& buffer : staging) buffer = areas().take("staging buffer", c.cuda.chunk);
  keep_areas();
  const auto refuse = [](const std::string& why) {
    if (!why.empty()) throw config::error_at("/machine", why);
  };
  const net::Port& bus = core().ports().front();
  refuse(reach_refusal(bus, user_base(), memory(), host::Core::line));
  refuse(reach_refusal(bus, gpu_->register_address(0), *gpu_, host::Core::line));
  refuse(reach_refusal(bus, fpga_->register_address(0), *fpga_, host::Core::line));
  for (const net::Device* card : {static_cast<const net::Device*>(gpu_), static_cast<const net::Device*>(fpga_)})
    refuse(reach_refusal(card->ports().front(), user_base(), memory(), card->ports().front().max_payload()));
  opencl_ = std::make_unique<OpenClDriver>(c.opencl, core(), memory(), opencl, *fpga_);
  cuda_ = std::make_unique<CudaDriver>(c.cuda, core(), memory(), cuda, std::vector<gpu::Gpu*>{gpu_});
  pageable_ = std::make_unique<PageableCopies>(*cuda_, core(), memory(), staging, step);
}

void OpenClCuda::check_copy(int, const comm::DeviceCopy& c) const {
  const auto refuse = [](const std::string& why) { throw config::error_at("/scenario", why); };
  const bool out = to_gpu(c);
  if ((out ? c.target.place : c.source.place) != gpu_name_ || (out ? c.source.place : c.target.place) != fpga_name_)
    refuse("library opencl_cuda copies between \"" + fpga_name_ + "\" and \"" + gpu_name_ + "\", not from \"" +
           c.source.place + "\" to \"" + c.target.place + "\"");
  if (c.size > user_memory())
    refuse("a copy of " + to_string(c.size) + ", but the host has room for " + to_string(user_memory()));
  const comm::PutSide& card = out ? c.source : c.target;
  const comm::PutSide& gpu = out ? c.target : c.source;
  const auto fits = [&](const comm::PutSide& side, Bytes memory) {
    if (side.offset + c.size > memory)
      refuse(to_string(side.offset + c.size) + " of " + side.place + ", whose memory has " + to_string(memory));
  };
  fits(card, fpga_->config().memory_size);
  fits(gpu, gpu_->config().memory_size);
  if (c.size.count() % 4 != 0) refuse("a copy of " + to_string(c.size) + ": the card moves whole words of 4 B");
}

Time OpenClCuda::copy(Fiber& f, int rank, const comm::DeviceCopy& c) {
  const Time begin = f.now();
  step.sent(c.size);
  if (to_gpu(c)) {
    step(f, rank, "clEnqueueReadBuffer", [&] { opencl_->read(f, unsigned_of(c.source.offset), user_base(), c.size); });
    step(f, rank, "cudaMemcpy to the GPU",
         [&] { pageable_->to_gpu(f, *gpu_, unsigned_of(c.target.offset), user_base(), c.size); });
  } else {
    step(f, rank, "cudaMemcpy from the GPU",
         [&] { pageable_->from_gpu(f, *gpu_, unsigned_of(c.source.offset), user_base(), c.size); });
    step(f, rank, "clEnqueueWriteBuffer",
         [&] { opencl_->write(f, unsigned_of(c.target.offset), user_base(), c.size); });
  }
  return f.now() - begin;
}

namespace {

/// What `n` bytes take at least on a card's link: to the card they come as completions of its reads, from it as writes
/// to `address` or above.
Time time_on_link(const net::Device& card, bool to_card, std::uint64_t address, Bytes n) {
  const net::Port& port = card.ports().front();
  const net::WireSpec& wire = (to_card ? port.incoming() : port.channel()).wire();
  flow::Packet data;
  data.header<pcie::Tlp>() = pcie::Tlp{};
  data.address = address;
  if (to_card) data.header<pcie::Tlp>().type = pcie::TlpType::completion_with_data;
  return net::payload_ceiling(wire, data, wire.max_payload).time(n);
}

}  // namespace

std::vector<comm::Ceiling> OpenClCuda::copy_ceilings(int, const comm::DeviceCopy& c) const {
  // One link after the other: the sum of both times, store and forward (paper 003, equation 1). The second call returns
  // while some bytes are still on their way.
  const bool out = to_gpu(c);
  const Time first = time_on_link(out ? *static_cast<net::Device*>(fpga_) : *gpu_, false, user_base(), c.size);
  const Time second = time_on_link(out ? *static_cast<net::Device*>(gpu_) : *fpga_, true, user_base(), c.size);
  const Bytes on_the_way = out ? 2 * cuda_->config().chunk : opencl_->most_left_on_the_way();
  const Time least = std::max(first + second, Time::from_fs(1));
  return {{"both links, one after the other", Rate::bytes_in(c.size.count(), least.fs()),
           Bytes(static_cast<std::int64_t>(
               std::ceil(static_cast<double>(on_the_way.count()) * static_cast<double>(second.fs()) / least.fs())))}};
}

void OpenClCuda::send(Fiber&, int, int, const comm::Buffer&) {
  throw std::logic_error("library opencl_cuda has one rank");
}

void OpenClCuda::recv(Fiber&, int, int, const comm::Buffer&) {
  throw std::logic_error("library opencl_cuda has one rank");
}

LibraryKind opencl_cuda_library() {
  return library<OpenClCuda, OpenClCudaConfig>("opencl_cuda",
                                               "a core copies between FPGA and GPU: OpenCL, then cudaMemcpy");
}

}  // namespace tsunagi::libraries
