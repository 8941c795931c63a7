// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "comm/facets/device_copies.hpp"
#include "comm/steps.hpp"
#include "models/gpu/gpu.hpp"
#include "models/host/memory/memory.hpp"
#include "models/libraries/cuda/cuda_streams.hpp"

namespace tsunagi::libraries {

/// A process's copies by copy engines, waited for one by one: between pinned host memory ("host") and a GPU, and from
/// one GPU to another with peer access. Each goes by the first stream of the GPU that it leaves, or comes to.
class CudaCopies final : public comm::DeviceCopies {
 public:
  /// All outlive this; `gpu`: null for a name that is no GPU of the process.
  CudaCopies(CudaStreams& streams, std::function<const gpu::Gpu*(const std::string& place)> gpu,
             const host::Memory& memory, const comm::Steps& step)
      : streams_(streams), gpu_(std::move(gpu)), memory_(memory), step_(step) {}
  void check_copy(int rank, const comm::DeviceCopy& c) const override;
  /// The result is the time from the call of cudaMemcpyAsync to the return of cudaEventSynchronize.
  Time copy(Fiber& f, int rank, const comm::DeviceCopy& c) override;
  std::vector<comm::Ceiling> copy_ceilings(int rank, const comm::DeviceCopy& c) const override;

 private:
  CudaStreams& streams_;
  std::function<const gpu::Gpu*(const std::string& place)> gpu_;
  const host::Memory& memory_;
  const comm::Steps& step_;
};

}  // namespace tsunagi::libraries
