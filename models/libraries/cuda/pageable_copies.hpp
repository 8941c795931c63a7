// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "comm/steps.hpp"
#include "models/libraries/cuda/cuda_driver.hpp"

namespace tsunagi::libraries {

/// cudaMemcpy between a GPU's memory and pageable host memory: the driver has the core copy it through two pinned
/// buffers in turn.
class PageableCopies {
 public:
  /// All outlive this; `staging`: pinned memory, each as long as the driver's `chunk`.
  PageableCopies(CudaDriver& driver, host::Core& core, host::Memory& memory,
                 const std::array<process::Area, 2>& staging, const comm::Steps& step)
      : driver_(driver), core_(core), memory_(memory), staging_(staging), step_(step) {}

  /// From `host` to byte `in_gpu` of the GPU's memory. Begins when the GPU is through with what was copied to it
  /// before, and returns when all has been copied to pinned memory, though the GPU may not have read that yet (NVIDIA,
  /// CUDA Runtime API, "API synchronization behavior").
  void to_gpu(Fiber& f, const gpu::Gpu& gpu, std::uint64_t in_gpu, std::uint64_t host, Bytes n);
  /// The other way: returns when all is there. Begins when the GPU is through with what was copied to it.
  void from_gpu(Fiber& f, const gpu::Gpu& gpu, std::uint64_t in_gpu, std::uint64_t host, Bytes n);

 private:
  /// Until the GPU is through with all that was copied to it.
  void await_all(Fiber& f);
  /// Until the GPU is through with pinned buffer `i`.
  void await_staging(Fiber& f, std::int64_t i);
  std::uint64_t staging(std::int64_t i) const { return staging_[static_cast<std::size_t>(i % 2)].base; }

  CudaDriver& driver_;
  host::Core& core_;
  host::Memory& memory_;
  std::array<process::Area, 2> staging_;
  std::array<std::optional<CudaDriver::Started>, 2> used_;  // by which copy to a GPU
  const comm::Steps& step_;
};

}  // namespace tsunagi::libraries
