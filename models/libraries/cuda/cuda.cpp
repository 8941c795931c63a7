// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/cuda/cuda.hpp"

#include <algorithm>
#include <set>

#include "config/error_at.hpp"
#include "models/libraries/catalog.hpp"
#include "models/libraries/cuda/cuda_ceilings.hpp"
#include "models/libraries/cuda/cuda_peers.hpp"
#include "models/libraries/reach.hpp"
#include "models/process/node_part.hpp"
#include "units/parse.hpp"

namespace tsunagi::libraries {

using gpu::Aperture;
using gpu::CopyCommand;

void describe(CudaConfig& c, config::Describer& d) {
  d.field("node", c.node, "the node that the process runs on: what its parts' names begin with; empty: nothing");
  d.field("core", c.core, "the core that its thread runs on");
  d.field("memory", c.memory, "the memory with the driver's push buffers, semaphores and staging buffers");
  d.field("gpus", c.gpus, "the GPUs, in the order of the ranks");
  d.object("driver", c.driver, "what the driver's code costs");
  d.require(!c.gpus.empty(), "\"gpus\" is empty");
  d.require(std::set<std::string>(c.gpus.begin(), c.gpus.end()).size() == c.gpus.size(), "\"gpus\" names one twice");
}

CudaDriverConfig cuda_driver_of(const config::AnyConfig& cuda) {
  if (cuda.empty()) return {};
  if (cuda.kind() != "cuda") throw config::error_at("/library/cuda", "is library " + cuda.kind() + ", not cuda");
  return cuda.as<CudaConfig>().driver;
}

Cuda::Cuda(const CudaConfig& c, Machine& m)
    : HostProcess(m, process::prefix_of(c.node), c.core, c.memory),
      names_(c.gpus),
      streams_({[this](int) -> CudaDriver& { return *driver_; },
                [this](int, const std::string& place) { return find(place); },
                [this](int, Bytes offset) { return user_base() + unsigned_of(offset); },
                [this](int) { return user_memory(); }},
               step),
      copies_(
          streams_, [this](const std::string& place) { return find(place); }, this->memory(), step) {
  add_facet<comm::Protocols>(*this);
  add_facet<comm::Streams>(streams_);
  add_facet<comm::DeviceCopies>(copies_);
  for (const std::string& name : c.gpus) {
    gpus_.push_back(&process::node_part<gpu::Gpu>(m, process::prefix_of(c.node), name, "gpus"));
    if (gpus_.back()->config().copy_engines.count == 0)
      throw config::error_at("/machine", gpus_.back()->name() + " has no copy engine");
  }
  const process::Area area = areas().take("CUDA driver", CudaDriver::area_size);
  for (process::Area& buffer : staging_) buffer = areas().take("staging buffer", c.driver.chunk, 1_B);
  keep_areas(Bytes::zero());
  check_ways();
  driver_ = std::make_unique<CudaDriver>(c.driver, core(), memory(), area, gpus_);
}

gpu::Gpu* Cuda::find(const std::string& name) const {
  const auto at = std::find(names_.begin(), names_.end(), name);
  return at == names_.end() ? nullptr : gpus_[static_cast<std::size_t>(at - names_.begin())];
}

void Cuda::check_ways() const {
  const auto refuse = [](const std::string& why) {
    if (!why.empty()) throw config::error_at("/machine", why);
  };
  const net::Port& bus = core().ports().front();
  refuse(reach_refusal(bus, plan().lowest(), memory(), host::Core::line));
  for (const gpu::Gpu* g : gpus_) {
    const net::Port& port = g->ports().front();
    refuse(reach_refusal(bus, g->register_address(0), *g, host::Core::line));
    refuse(reach_refusal(port, plan().lowest(), memory(), port.max_payload()));
  }
}

Bytes Cuda::largest_message() const {
  Bytes least = gpus_.front()->config().memory_size;
  for (const gpu::Gpu* g : gpus_) least = std::min(least, g->config().memory_size);
  return least;
}

std::vector<comm::Ceiling> Cuda::ceilings(int from, int to, const comm::Buffer& b) const {
  std::vector<comm::Ceiling> out;
  if (b.method == "no_uva") {
    add_write_ceilings(out, gpu(from), nullptr, staging(1));  // the lower one
    add_read_ceilings(out, gpu(to), memory());
  } else {
    add_peer_ceilings(out, gpu(from), gpu(to));
  }
  return out;
}

comm::Protocol Cuda::protocol(int from, int to, const comm::Buffer& b) const {
  if (b.method == "no_uva")
    return {"copies by way of the host", 0, 2, {}, "chunks of " + to_string(driver_->config().chunk)};
  return {"copy to the peer",
          0,
          1,
          {},
          nvlink_between(gpu(from), gpu(to)) != nullptr ? "the source GPU writes into the other one by NVLink"
                                                        : "the source GPU writes into the other one's window"};
}

void Cuda::check(int from, int to, const comm::Buffer& b) const {
  const auto refuse = [](const std::string& why) {
    if (!why.empty()) throw config::error_at("/scenario", why);
  };
  if (!b.place.empty() || !b.target.empty())
    refuse("ranks of library cuda are GPUs, whose buffers lie in their own memory: \"" +
           (b.place.empty() ? b.target : b.place) + "\" is no place there");
  if (from == to) refuse("cudaMemcpyPeer copies from one GPU to another");
  if (b.method == "no_uva") return;
  check_peer(gpu(from), gpu(to), b.offset, b.size, " (method \"no_uva\" needs none)");
}

void Cuda::send(Fiber& f, int from, int to, const comm::Buffer& b) {
  const std::uint64_t mine = calls_++;
  while (returned_ != mine) f.wait(call_over_, "the thread's call before");
  core().part_of("CUDA thread", f);
  step.sent(b.size);
  step(f, from, "enter cudaMemcpyPeer", [&] { driver_->call(f); });
  if (b.method == "no_uva")
    copy_by_host(f, from, to, b);
  else
    copy_to_peer(f, from, to, b);
  step(f, from, "return", [&] { driver_->finish(f); });
  Sent& sent = sent_[{from, to}];
  ++sent.messages;
  sent.more.notify();
  ++returned_;
  call_over_.notify();
}

void Cuda::recv(Fiber& f, int to, int from, const comm::Buffer&) {
  Sent& sent = sent_[{from, to}];
  while (sent.messages == sent.received) f.wait(sent.more, "a cudaMemcpyPeer of rank " + std::to_string(from));
  ++sent.received;
}

void Cuda::copy_to_peer(Fiber& f, int from, int to, const comm::Buffer& b) {
  CopyCommand what;
  what.source = unsigned_of(b.offset);
  const PeerSide there = peer_side(gpu(from), gpu(to), b.offset, b.size);
  what.destination = there.address;
  what.length = b.size;
  what.from = Aperture::local;
  what.to = there.aperture;
  what.flush = true;
  CudaDriver::Started copy;
  step.copied(comm::Copier::dma, b.size);
  step(f, from, "push the copy", [&] { copy = driver_->start(f, gpu(from), what); });
  step(f, from, "poll the semaphore", [&] { driver_->wait(f, copy); });
}

void Cuda::copy_by_host(Fiber& f, int from, int to, const comm::Buffer& b) {
  const Bytes chunk = driver_->config().chunk;
  const std::int64_t chunks = units_of(b.size, chunk);
  const auto start = [&](std::int64_t i, bool out) {
    CopyCommand what;
    const std::uint64_t in_gpu = unsigned_of(b.offset + chunk * i);
    what.source = out ? in_gpu : staging(i);
    what.destination = out ? staging(i) : in_gpu;
    what.length = std::min(chunk, b.size - chunk * i);
    what.from = out ? Aperture::local : Aperture::host;
    what.to = out ? Aperture::host : Aperture::local;
    CudaDriver::Started copy;
    step.copied(comm::Copier::dma, what.length, i == 0 ? 1 : 0);
    step(f, from, out ? "push the copy to the host" : "push the copy from the host",
         [&] { copy = driver_->start(f, gpu(out ? from : to), what); });
    return copy;
  };
  const auto wait = [&](const CudaDriver::Started& copy) {
    step(f, from, "poll the semaphore", [&] { driver_->wait(f, copy); });
  };
  const auto hand_over = [&](const CudaDriver::Started& copy) {
    wait(copy);
    if (driver_->config().hand_over > Time::zero()) step(f, from, "hand over", [&] { driver_->hand_over(f, copy); });
  };
  CudaDriver::Started out = start(0, true);
  CudaDriver::Started in;
  for (std::int64_t i = 0; i < chunks; ++i) {
    const CudaDriver::Started arriving = out;
    if (i + 1 < chunks) {
      if (i > 0) hand_over(in);  // the other buffer has been read
      out = start(i + 1, true);
    }
    hand_over(arriving);
    in = start(i, false);
  }
  wait(in);
}

LibraryKind cuda_library() {
  return library<Cuda, CudaConfig>("cuda",
                                   "CUDA within a node: copies between GPUs, a rank each, by their copy engines");
}

}  // namespace tsunagi::libraries
