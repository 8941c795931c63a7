// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/mpi/gpu_buffers.hpp"

#include <algorithm>

#include "units/parse.hpp"

namespace tsunagi::libraries {

GpuBuffers::GpuBuffers(const GpuBuffersConfig& c, const CudaDriverConfig& driver, Machine& m,
                       std::vector<VerbsNode>& nodes, const comm::Steps& step)
    : config_(c), by_window_(c.gdrcopy.empty() ? Bytes::zero() : c.gdrcopy_limit), staged_(c, nodes, gpus_, step) {
  gpus_.reserve(nodes.size());
  for (VerbsNode& n : nodes) gpus_.emplace_back(c, driver, m, n, step);
}

void GpuBuffers::check(int rank, const comm::Buffer& b) const {
  gpus(rank).check(b);
  const Bytes direct = std::max(config_.direct_limit, config_.receive_limit);
  if (!in_packets(b) && direct > Bytes::zero()) gpus(rank).check_direct(b, std::min(b.size, direct));
  if (by_window_ > Bytes::zero()) gpus(rank).check_window(b, std::min(b.size, by_window_));
}

MessageCopy GpuBuffers::message_copy(const comm::Buffer& b) const {
  if (by_window_ > Bytes::zero() && b.size <= by_window_)
    return {1, 0, "the core copies it through the window: \"gdrcopy_limit\" is " + to_string(by_window_)};
  if (config_.pinned_eager) return {0, 1, "cudaMemcpy to and from pinned buffers (\"pinned_eager\")"};
  return {1, 1, "cudaMemcpy to and from buffers that are not pinned (\"pinned_eager\")"};
}

std::string GpuBuffers::staging_limit(bool receiver) const {
  if (receiver && config_.receive_limit > config_.direct_limit)
    return "longer than \"receive_limit\", " + to_string(config_.receive_limit);
  return "longer than \"direct_limit\", " + to_string(config_.direct_limit);
}

void GpuBuffers::add_ceilings(std::vector<comm::Ceiling>& out, int from, int to, const comm::Buffer& b) const {
  // Bounds are of shorter messages, too, which a card or a core may read or write in the GPU.
  if (config_.direct_limit > Bytes::zero() || by_window_ > Bytes::zero()) return;
  if (!comm::is_host(b.place)) gpus(from).add_ceilings(out, b, true);
  if (!comm::is_host(b.target) && config_.receive_limit == Bytes::zero())
    gpus(to).add_ceilings(out, {b.offset, b.size, b.target, {}, {}}, false);
}

}  // namespace tsunagi::libraries
