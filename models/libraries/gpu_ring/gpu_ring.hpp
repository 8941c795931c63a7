// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "comm/facets/stream_collectives.hpp"
#include "comm/library.hpp"
#include "config/describe.hpp"
#include "machine/machine.hpp"
#include "models/libraries/cuda/cuda_driver.hpp"
#include "models/libraries/cuda/cuda_streams.hpp"
#include "models/libraries/gpu_ring/ring_config.hpp"
#include "models/libraries/gpu_ring/ring_connection.hpp"
#include "models/libraries/gpu_ring/ring_kernel.hpp"
#include "models/libraries/gpu_ring/ring_operation.hpp"
#include "models/process/host_process.hpp"

namespace tsunagi::libraries {

/// Names of the parts of the node, as in the machine: "<node>.core0" and so on.
struct GpuRingConfig {
  std::string node;
  std::vector<std::string> cores = {"core0", "core1"};
  std::string memory = "memory";
  std::vector<std::string> gpus = {"gpu0", "gpu1"};
  config::AnyConfig cuda;
  std::int64_t enqueue_cycles = 5000;
  RingConfig ring;
};
void describe(GpuRingConfig& c, config::Describer& d);

/// Collectives between the GPUs of a node, as NCCL does them over PCIe or NVLink: a rank is a GPU and a thread of its
/// own that launches a kernel a call; the kernels' blocks store into their neighbours' memory, poll their own, and
/// combine. Ranks' buffers lie in their GPU's memory. What is combined is checked: every byte of an outcome, by who
/// brought it.
class GpuRing final : public comm::Library,
                      private comm::StreamCollectives,
                      private comm::SoftwareCollectives,
                      private process::HostProcess {
 public:
  GpuRing(const GpuRingConfig& c, Machine& m);
  int ranks() const override { return static_cast<int>(gpus_.size()); }
  std::string place(int rank) const override { return cores_[static_cast<std::size_t>(rank)]->name(); }
  Bytes largest_message() const override;
  /// There are no messages: throws config::ConfigError.
  void check(int from, int to, const comm::Buffer& b) const override;

 private:
  // StreamCollectives
  void check_queued(const comm::QueuedCollective& c) const override;
  std::string how(const comm::QueuedCollective& c) const override;
  comm::StreamEvent enqueue(Fiber& f, int rank, const comm::QueuedCollective& c) override;
  // SoftwareCollectives
  std::string refusal(const std::vector<int>& ranks, const comm::CollectiveCall& c) override;
  void run(Fiber& f, const std::vector<int>& ranks, int rank, const comm::CollectiveCall& c) override;

  void check_ways() const;
  /// Of all pairs of ranks and protocols that calls may use.
  void connect();
  void connect(RingProtocol p, int channel, int from, int to);
  RingOperation& operation(std::uint64_t number) { return operations_.at(number); }

  GpuRingConfig config_;
  std::vector<gpu::Gpu*> gpus_;
  std::vector<host::Core*> cores_;
  std::vector<std::unique_ptr<CudaDriver>> drivers_;  // of each rank
  CudaStreams streams_;
  std::vector<RingMemory> memories_;
  std::map<std::tuple<RingProtocol, int, int, int>, RingConnection> connections_;  // protocol, channel, from, to
  std::vector<std::unique_ptr<RingKernel>> kernels_;
  std::map<std::uint64_t, RingOperation> operations_;  // by number, under way
  std::vector<std::uint64_t> queued_;                  // by each rank so far
};

}  // namespace tsunagi::libraries
