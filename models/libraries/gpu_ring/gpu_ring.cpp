// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/gpu_ring/gpu_ring.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "config/error_at.hpp"
#include "models/libraries/catalog.hpp"
#include "models/libraries/cuda/cuda.hpp"
#include "models/libraries/cuda/cuda_peers.hpp"
#include "models/libraries/reach.hpp"
#include "models/process/node_part.hpp"
#include "units/parse.hpp"

namespace tsunagi::libraries {

using Kind = comm::QueuedCollective::Kind;

namespace {

// Streams of each GPU.
constexpr int user_stream = 0;
constexpr int own_stream = 1;
constexpr Bytes barrier_size{16};  // of what ranks combine to wait for each other

comm::QueuedCollective queued(const comm::CollectiveCall& c) {
  switch (c.kind) {
    case comm::Collective::broadcast:
      return {Kind::broadcast, c.out.size, c.root};
    case comm::Collective::reduce:
      return {Kind::reduce, c.in.size, c.root};
    case comm::Collective::allreduce:
      return {Kind::allreduce, c.in.size, 0};
    default:
      return {Kind::allreduce, barrier_size, 0};
  }
}

}  // namespace

void describe(GpuRingConfig& c, config::Describer& d) {
  using namespace config;
  d.field("node", c.node, "the node that the ranks run on: what its parts' names begin with; empty: nothing");
  d.field("cores", c.cores, "the core of each rank's thread");
  d.field("memory", c.memory, "the memory with the drivers' push buffers and semaphores");
  d.field("gpus", c.gpus, "the GPUs, in the order of the ranks");
  d.any("cuda", c.cuda, "library", "the library \"cuda\" whose driver launches kernels; none: as that is by default");
  d.field("enqueue_cycles", c.enqueue_cycles, "core cycles of a call before its kernel is launched",
          within(std::int64_t{0}, std::int64_t{1'000'000}), ideal(std::int64_t{0}));
  d.object("ring", c.ring, "connections, protocols and the choice between them");
  const auto twice = [](const std::vector<std::string>& names) {
    return std::set<std::string>(names.begin(), names.end()).size() != names.size();
  };
  d.require(c.gpus.size() >= 2, "\"gpus\" names fewer than two");
  d.require(!twice(c.gpus), "\"gpus\" names one twice");
  d.require(c.cores.size() == c.gpus.size() && !twice(c.cores), "\"cores\" does not name one for each of \"gpus\"");
}

GpuRing::GpuRing(const GpuRingConfig& c, Machine& m)
    : HostProcess(m, process::prefix_of(c.node), c.cores.front(), c.memory),
      config_(c),
      streams_({[this](int rank) -> CudaDriver& { return *drivers_[static_cast<std::size_t>(rank)]; },
                [this](int rank, const std::string& place) {
                  const auto i = static_cast<std::size_t>(rank);
                  return place == config_.gpus[i] ? gpus_[i] : nullptr;
                },
                [this](int, Bytes offset) { return user_base() + unsigned_of(offset); },
                [this](int) { return user_memory(); }},
               step),
      queued_(c.gpus.size()) {
  add_facet<comm::Streams>(streams_);
  add_facet<comm::StreamCollectives>(*this);
  add_facet<comm::SoftwareCollectives>(*this);
  const std::string prefix = process::prefix_of(c.node);
  std::vector<process::Area> of_drivers;
  for (std::size_t i = 0; i < c.gpus.size(); ++i) {
    gpus_.push_back(&process::node_part<gpu::Gpu>(m, prefix, c.gpus[i], "gpus"));
    cores_.push_back(&process::node_part<host::Core>(m, prefix, c.cores[i], "cores"));
    if (gpus_.back()->config().streams <= own_stream)
      throw config::error_at("/machine", gpus_.back()->name() + " has fewer than two streams");
    memories_.emplace_back(*gpus_.back());
    of_drivers.push_back(areas().take("CUDA driver", CudaDriver::area_size));
  }
  keep_areas(Bytes::zero());
  check_ways();
  for (std::size_t i = 0; i < gpus_.size(); ++i)
    drivers_.push_back(std::make_unique<CudaDriver>(cuda_driver_of(c.cuda), *cores_[i], memory(), of_drivers[i],
                                                    std::vector<gpu::Gpu*>{gpus_[i]}));
  connect();
  for (int rank = 0; rank < ranks(); ++rank) {
    RingKernel::Calls calls;
    calls.operation = [this](std::uint64_t number) -> RingOperation& { return operation(number); };
    calls.over = [this](int of, std::uint64_t number) {
      if (operation(number).over(of)) operations_.erase(number);
    };
    calls.connection = [this](RingProtocol p, int channel, int from, int to) -> RingConnection& {
      return connections_.at({p, channel, from, to});
    };
    kernels_.push_back(std::make_unique<RingKernel>(*gpus_[static_cast<std::size_t>(rank)], rank, config_.ring,
                                                    std::move(calls), step, m.simulation()));
  }
}

void GpuRing::check_ways() const {
  const auto refuse = [](const std::string& why) {
    if (!why.empty()) throw config::error_at("/machine", why);
  };
  for (std::size_t i = 0; i < gpus_.size(); ++i) {
    if (gpus_[i]->config().stores.line == Bytes::zero())
      refuse(gpus_[i]->name() + " does not say what its kernels' stores cost (\"stores\")");
    const net::Port& port = gpus_[i]->ports().front();
    refuse(reach_refusal(cores_[i]->ports().front(), plan().lowest(), memory(), host::Core::line));
    refuse(reach_refusal(cores_[i]->ports().front(), gpus_[i]->register_address(0), *gpus_[i], host::Core::line));
    refuse(reach_refusal(port, plan().lowest(), memory(), port.max_payload()));
  }
}

void GpuRing::connect() {
  const int n = ranks();
  for (int i = 0; i < ring_protocols; ++i) {
    const auto p = static_cast<RingProtocol>(i);
    const RingConfig& r = config_.ring;
    if (r.protocol.empty() ? !r.of(p).enabled : r.protocol != name_of(p)) continue;
    for (int channel = 0; channel < r.channels; ++channel)
      for (int rank = 0; rank < n; ++rank) {
        connect(p, channel, rank, (rank + 1) % n);
        if (r.algorithm == RingAlgorithm::ring) continue;
        for (const int child : tree_children(rank, n)) {
          connect(p, channel, rank, child);
          connect(p, channel, child, rank);
        }
      }
  }
}

void GpuRing::connect(RingProtocol p, int channel, int from, int to) {
  const std::tuple key{p, channel, from, to};
  if (connections_.count(key) != 0) return;
  gpu::Gpu& sender = *gpus_[static_cast<std::size_t>(from)];
  gpu::Gpu& receiver = *gpus_[static_cast<std::size_t>(to)];
  // Both ways: data there, slots back.
  check_reach(sender, receiver, "");
  check_reach(receiver, sender, "");
  connections_.emplace(key, make_connection(config_.ring, p, from, to, memories_[static_cast<std::size_t>(from)],
                                            memories_[static_cast<std::size_t>(to)]));
}

Bytes GpuRing::largest_message() const {
  Bytes least = memories_.front().left();
  for (const RingMemory& m : memories_) least = std::min(least, m.left());
  return least;
}

void GpuRing::check(int /*from*/, int /*to*/, const comm::Buffer& /*b*/) const {
  throw config::error_at("/scenario", "library gpu_ring does collectives, and sends no messages");
}

void GpuRing::check_queued(const comm::QueuedCollective& c) const {
  const bool of_parts = c.kind == Kind::all_gather || c.kind == Kind::reduce_scatter;
  if (of_parts && c.size.count() % (16 * ranks()) != 0)
    throw config::error_at(
        "/scenario", to_string(c.size) + " are not parts of whole 16 B for " + std::to_string(ranks()) + " ranks");
  if (c.root >= ranks()) throw config::error_at("/scenario", "the root is none of the ranks");
}

std::string GpuRing::how(const comm::QueuedCollective& c) const {
  const RingWay w = choose_way(config_.ring, c, ranks());
  const bool tree = w.algorithm == RingAlgorithm::tree && c.kind == Kind::allreduce;
  return std::string(name_of(tree ? RingAlgorithm::tree : RingAlgorithm::ring)) + " " + name_of(w.protocol) + " x" +
         std::to_string(w.channels);
}

comm::StreamEvent GpuRing::enqueue(Fiber& f, int rank, const comm::QueuedCollective& c) {
  const auto i = static_cast<std::size_t>(rank);
  const std::uint64_t number = ++queued_[i];
  const auto [at, made] = operations_.try_emplace(number, number, c, choose_way(config_.ring, c, ranks()), ranks());
  const comm::QueuedCollective& first = at->second.call();
  if (!made && (first.kind != c.kind || first.size != c.size || first.root != c.root))
    throw std::runtime_error("call " + std::to_string(number) + " of rank " + std::to_string(rank) + " is a " +
                             name_of(c.kind) + " of " + to_string(c.size) + ", that of another rank a " +
                             name_of(first.kind) + " of " + to_string(first.size));
  step(f, rank, "enqueue the call", [&] { cores_[i]->execute(f, "enqueue the call", config_.enqueue_cycles); });
  // The user's stream waits for the communicator's own, which then waits for the kernel, so that calls in several
  // streams keep their order (src/enqueue.cc: ncclLaunchPrepare, ncclLaunchFinish).
  CudaDriver& driver = *drivers_[i];
  gpu::Gpu& g = *gpus_[i];
  CudaDriver::Started e;
  step(f, rank, "the stream waits for the communicator's",
       [&] { driver.wait_for(f, g, user_stream, driver.record(f, g, own_stream)); });
  step(f, rank, "launch a kernel",
       [&] { e = driver.launch(f, g, user_stream, {}, static_cast<std::uint32_t>(number)); });
  step(f, rank, "the communicator's stream waits for it",
       [&] { driver.wait_for(f, g, own_stream, driver.record(f, g, user_stream)); });
  return {config_.gpus[i], e.channel, e.number};
}

std::string GpuRing::refusal(const std::vector<int>& of, const comm::CollectiveCall& c) {
  if (static_cast<int>(of.size()) != ranks()) return "all GPUs take part, or none";
  if (!comm::is_host(c.in.place) || !comm::is_host(c.out.place)) return "ranks' buffers lie in their GPU's memory";
  return {};
}

void GpuRing::run(Fiber& f, const std::vector<int>& of, int rank, const comm::CollectiveCall& c) {
  const int me = of[static_cast<std::size_t>(rank)];
  comm::QueuedCollective q = queued(c);
  if (c.kind == comm::Collective::broadcast || c.kind == comm::Collective::reduce) q.root = c.root;
  streams_.synchronise(f, me, enqueue(f, me, q));
}

LibraryKind gpu_ring_library() {
  return library<GpuRing, GpuRingConfig>(
      "gpu_ring", "collectives between GPUs of a node: kernels that store into each other's memory (as NCCL does)");
}

}  // namespace tsunagi::libraries
