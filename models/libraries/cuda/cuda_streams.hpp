// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "comm/facets/streams.hpp"
#include "comm/steps.hpp"
#include "models/libraries/cuda/cuda_driver.hpp"

namespace tsunagi::libraries {

/// CUDA's streams and events for the ranks of a library, each a process with a driver of its own: cudaMemcpyAsync,
/// cudaEventRecord, cudaStreamWaitEvent, cudaEventQuery and cudaEventSynchronize as the CUDA Runtime API documents
/// them.
class CudaStreams final : public comm::Streams {
 public:
  /// What a library tells of its ranks.
  struct Node {
    std::function<CudaDriver&(int rank)> driver;
    /// A GPU of the rank's node; null: there is none of that name.
    std::function<gpu::Gpu*(int rank, const std::string& place)> gpu;
    /// Address of pinned host memory of the rank's program, from an offset on.
    std::function<std::uint64_t(int rank, Bytes offset)> host;
    /// Bytes of it.
    std::function<Bytes(int rank)> host_memory;
  };
  /// `step` outlives this.
  CudaStreams(Node node, const comm::Steps& step) : node_(std::move(node)), step_(step) {}
  void check(int rank, const comm::Stream& s) const override;
  void check_copy(int rank, const comm::Stream& s, const comm::DeviceCopy& c) const override;
  Device device(int rank, const std::string& place) const override {
    const gpu::GpuConfig& g = gpu(rank, place).config();
    return {g.memory_size, g.compute.cache};
  }
  comm::StreamEvent launch(Fiber& f, int rank, const comm::Stream& s, const Work& kernel) override;
  void copy(Fiber& f, int rank, const comm::Stream& s, const comm::DeviceCopy& c) override;
  comm::StreamEvent record(Fiber& f, int rank, const comm::Stream& s) override;
  void wait(Fiber& f, int rank, const comm::Stream& s, const comm::StreamEvent& e) override;
  bool query(Fiber& f, int rank, const comm::StreamEvent& e) override;
  Time since(int rank, const comm::StreamEvent& e) const override;
  void synchronise(Fiber& f, int rank, const comm::StreamEvent& e) override;

 private:
  /// Throws std::logic_error if there is none: nobody has asked `check`.
  gpu::Gpu& gpu(int rank, const std::string& place) const;
  /// The side of a copy that is not in the stream's GPU.
  static const comm::PutSide& other(const comm::Stream& s, const comm::DeviceCopy& c) {
    return c.source.place == s.place ? c.target : c.source;
  }
  /// As the engine of the stream's GPU is told of it.
  gpu::CopyCommand command_of(int rank, const comm::Stream& s, const comm::DeviceCopy& c) const;

  Node node_;
  const comm::Steps& step_;
};

}  // namespace tsunagi::libraries
