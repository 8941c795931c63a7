// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/cuda/cuda_streams.hpp"

#include <stdexcept>

#include "comm/buffer.hpp"
#include "config/error_at.hpp"
#include "models/libraries/cuda/cuda_peers.hpp"
#include "units/parse.hpp"

namespace tsunagi::libraries {

namespace {

[[noreturn]] void refuse(const std::string& why) { throw config::error_at("/scenario", why); }

CudaDriver::Started started(const comm::StreamEvent& e) { return {static_cast<std::size_t>(e.channel), e.commands}; }

}  // namespace

gpu::Gpu& CudaStreams::gpu(int rank, const std::string& place) const {
  gpu::Gpu* g = node_.gpu(rank, place);
  if (g == nullptr) throw std::logic_error("rank " + std::to_string(rank) + " has no GPU \"" + place + "\"");
  return *g;
}

void CudaStreams::check(int rank, const comm::Stream& s) const {
  const gpu::Gpu* g = node_.gpu(rank, s.place);
  if (g == nullptr) refuse("the node of rank " + std::to_string(rank) + " has no GPU \"" + s.place + "\" for streams");
  if (s.number < 0 || s.number >= g->config().streams)
    refuse(g->name() + " has no stream " + std::to_string(s.number) + ", but " + std::to_string(g->config().streams));
}

void CudaStreams::check_copy(int rank, const comm::Stream& s, const comm::DeviceCopy& c) const {
  check(rank, s);
  gpu::Gpu& own = gpu(rank, s.place);
  const comm::PutSide& there = other(s, c);
  const comm::PutSide& here = &there == &c.target ? c.source : c.target;
  gpu::Gpu* peer = comm::is_host(there.place) ? nullptr : node_.gpu(rank, there.place);
  if (here.place != s.place || there.place == s.place || (peer == nullptr && !comm::is_host(there.place)))
    refuse("a stream of \"" + s.place + "\" copies between that and host memory, or another GPU, not from \"" +
           c.source.place + "\" to \"" + c.target.place + "\"");
  if (own.config().copy_engines.count == 0) refuse("\"" + s.place + "\" has no copy engine");
  if (c.size <= Bytes::zero() || c.size >= 4_GiB)
    refuse("a copy has 1 to " + to_string(4_GiB - 1_B) + ", not " + to_string(c.size));
  if (here.offset + c.size > own.config().memory_size)
    refuse(to_string(here.offset + c.size) + " of \"" + s.place + "\", which has " +
           to_string(own.config().memory_size));
  if (peer != nullptr)
    check_peer(own, *peer, there.offset, c.size, "");
  else if (there.offset + c.size > node_.host_memory(rank))
    refuse(to_string(there.offset + c.size) + " of host memory, of which programs have " +
           to_string(node_.host_memory(rank)));
}

comm::StreamEvent CudaStreams::launch(Fiber& f, int rank, const comm::Stream& s, const Work& kernel) {
  CudaDriver::Started e;
  step_(f, rank, "launch a kernel", [&] { e = node_.driver(rank).launch(f, gpu(rank, s.place), s.number, kernel); });
  return {s.place, e.channel, e.number};
}

gpu::CopyCommand CudaStreams::command_of(int rank, const comm::Stream& s, const comm::DeviceCopy& c) const {
  const comm::PutSide& there = other(s, c);
  const bool out = &there == &c.target;
  const bool peer = !comm::is_host(there.place);
  const std::uint64_t own = unsigned_of((out ? c.source : c.target).offset);
  const PeerSide other_side = peer ? peer_side(gpu(rank, s.place), gpu(rank, there.place), there.offset, c.size)
                                   : PeerSide{gpu::Aperture::host, node_.host(rank, there.offset)};
  const auto [aperture, elsewhere] = other_side;
  gpu::CopyCommand what;
  what.source = out ? own : elsewhere;
  what.destination = out ? elsewhere : own;
  what.length = c.size;
  what.from = out ? gpu::Aperture::local : aperture;
  what.to = out ? aperture : gpu::Aperture::local;
  what.flush = out && peer;
  return what;
}

void CudaStreams::copy(Fiber& f, int rank, const comm::Stream& s, const comm::DeviceCopy& c) {
  step_.copied(comm::Copier::dma, c.size);
  const gpu::CopyCommand what = command_of(rank, s, c);
  step_(f, rank, "cudaMemcpyAsync", [&] { node_.driver(rank).copy(f, gpu(rank, s.place), s.number, what); });
}

comm::StreamEvent CudaStreams::record(Fiber& f, int rank, const comm::Stream& s) {
  CudaDriver::Started e;
  step_(f, rank, "cudaEventRecord", [&] { e = node_.driver(rank).record(f, gpu(rank, s.place), s.number); });
  return {s.place, e.channel, e.number};
}

void CudaStreams::wait(Fiber& f, int rank, const comm::Stream& s, const comm::StreamEvent& e) {
  if (e.place != s.place)
    throw std::runtime_error("rank " + std::to_string(rank) + ": a stream of \"" + s.place +
                             "\" waits for an event of \"" + e.place + "\"");
  step_(f, rank, "cudaStreamWaitEvent",
        [&] { node_.driver(rank).wait_for(f, gpu(rank, s.place), s.number, started(e)); });
}

bool CudaStreams::query(Fiber& f, int rank, const comm::StreamEvent& e) {
  bool over = false;
  step_(f, rank, "cudaEventQuery", [&] { over = node_.driver(rank).query(f, started(e)); });
  return over;
}

Time CudaStreams::since(int rank, const comm::StreamEvent& e) const {
  const CudaDriver& driver = node_.driver(rank);
  return driver.over(started(e)) ? driver.over_since(started(e)) : Time::max();
}

void CudaStreams::synchronise(Fiber& f, int rank, const comm::StreamEvent& e) {
  step_(f, rank, "cudaEventSynchronize", [&] {
    CudaDriver& driver = node_.driver(rank);
    driver.wait(f, started(e));
    driver.finish(f);
  });
}

}  // namespace tsunagi::libraries
