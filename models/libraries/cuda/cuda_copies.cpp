// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/cuda/cuda_copies.hpp"

#include "comm/buffer.hpp"
#include "models/libraries/cuda/cuda_ceilings.hpp"

namespace tsunagi::libraries {

namespace {

comm::Stream stream_of(const comm::DeviceCopy& c) {
  return {comm::is_host(c.source.place) ? c.target.place : c.source.place, 0};
}

}  // namespace

void CudaCopies::check_copy(int rank, const comm::DeviceCopy& c) const { streams_.check_copy(rank, stream_of(c), c); }

Time CudaCopies::copy(Fiber& f, int rank, const comm::DeviceCopy& c) {
  const Time begin = f.now();
  step_.sent(c.size);
  const comm::Stream s = stream_of(c);
  streams_.copy(f, rank, s, c);
  streams_.synchronise(f, rank, streams_.record(f, rank, s));
  return f.now() - begin;
}

std::vector<comm::Ceiling> CudaCopies::copy_ceilings(int, const comm::DeviceCopy& c) const {
  std::vector<comm::Ceiling> out;
  if (comm::is_host(c.source.place)) {
    add_read_ceilings(out, *gpu_(c.target.place), memory_);
    return out;
  }
  const gpu::Gpu* peer = comm::is_host(c.target.place) ? nullptr : gpu_(c.target.place);
  // Host memory above 4 GiB has addresses as long as a window's.
  if (peer != nullptr && c.by == c.target.place)
    add_peer_read_ceilings(out, *peer, *gpu_(c.source.place));
  else if (peer != nullptr)
    add_peer_ceilings(out, *gpu_(c.source.place), *peer);
  else
    add_write_ceilings(out, *gpu_(c.source.place), nullptr,
                       unsigned_of(memory_.config().base + host::buffers_from(memory_.config().size)));
  return out;
}

}  // namespace tsunagi::libraries
