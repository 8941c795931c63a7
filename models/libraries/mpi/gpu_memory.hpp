// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/buffer.hpp"
#include "comm/ceiling.hpp"
#include "comm/steps.hpp"
#include "config/describe.hpp"
#include "models/libraries/cuda/pageable_copies.hpp"
#include "models/libraries/gdrcopy/mapping_copies.hpp"
#include "models/libraries/verbs/verbs_node.hpp"

namespace tsunagi::libraries {

/// What an MPI that knows CUDA does with buffers in GPU memory.
struct GpuBuffersConfig {
  std::int64_t pointer_cycles = 260;
  int pointer_tests = 2;
  bool pinned_eager = false;
  std::int64_t create_cycles = 5200;
  Bytes block = 128_KiB;
  int granted = 8;
  int pool = 64;
  bool all_rails = false;
  Bytes control = 1640_B;
  Bytes direct_limit;
  Bytes receive_limit;
  config::AnyConfig gdrcopy;  // a GdrCopyConfig, or empty
  Bytes gdrcopy_limit = 8_KiB;
  bool window_packets = false;
};
void describe(GpuBuffersConfig& c, config::Describer& d);

/// The GPUs of a node as a process with the CUDA runtime gets at them: blocking copies, copies that an event tells the
/// end of, and a window for the node's other cards.
class GpuMemory {
 public:
  /// `node` and `step` outlive this. Takes memory of the node for the driver. Throws config::ConfigError if the core
  /// does not reach a GPU, or a GPU the node's memory.
  GpuMemory(const GpuBuffersConfig& c, const CudaDriverConfig& driver, Machine& m, VerbsNode& node,
            const comm::Steps& step);

  /// Throws config::ConfigError if buffer `b` is not there, or the core does not reach the GPU. Before time 0.
  void check(const comm::Buffer& b) const;
  /// The same if the node's cards of its rails do not read and write `n` bytes of it.
  void check_direct(const comm::Buffer& b, Bytes n) const;
  /// The same if the core does not reach `n` bytes of it in the GPU's window.
  void check_window(const comm::Buffer& b, Bytes n) const;
  /// What bounds copies of `b` out of the GPU, or into it.
  void add_ceilings(std::vector<comm::Ceiling>& out, const comm::Buffer& b, bool to_host) const;
  /// Where the node's cards find `b`, which from now on is shown in the GPU's window, and which they may access.
  std::uint64_t show(const comm::Buffer& b) const;

  // A program's steps, of rank `rank`:
  /// Finds out whether the buffers of a call are a GPU's.
  void test_pointers(Fiber& f, int rank) const;
  /// cudaMemcpy of a piece of GPU memory to `host`, an address of the node's memory, pinned or not, or from there.
  void copy_out(Fiber& f, int rank, const comm::Buffer& from, std::uint64_t host, bool pinned);
  void copy_in(Fiber& f, int rank, const comm::Buffer& to, std::uint64_t host, bool pinned);
  /// The same by the core, through the GPU's window, with GDRCopy. A copy out begins at a multiple of
  /// host::StreamingLoads::widest.
  void load_out(Fiber& f, int rank, const comm::Buffer& from, std::uint64_t host);
  void store_in(Fiber& f, int rank, const comm::Buffer& to, std::uint64_t host);
  /// The end of a copy.
  using Event = CudaDriver::Started;
  /// cudaMemcpyAsync from GPU memory to pinned memory (`out`) or from there, and cudaEventRecord.
  Event start(Fiber& f, int rank, const comm::Buffer& in_gpu, std::uint64_t host, bool out);
  /// cudaEventQuery.
  bool over(Fiber& f, int rank, const Event& e);
  Time over_since(const Event& e) const { return driver_->over_since(e); }
  /// A kernel is launched, and waited for.
  void compute(Fiber& f, const Work& w, const std::string& place);
  /// An event is made for a message, and destroyed.
  void make_event(Fiber& f, int rank) const;

  const GpuBuffersConfig& config() const { return config_; }
  CudaDriver& driver() { return *driver_; }
  /// Those with copy engines.
  std::vector<std::string> names() const;
  /// The GPU of that name; null: there is none with a copy engine.
  gpu::Gpu* find(const std::string& place) const;

 private:
  gpu::Gpu& gpu(const std::string& place) const;
  gpu::CopyCommand command(const comm::Buffer& in_gpu, std::uint64_t host, bool out) const;
  /// Throws config::ConfigError if the GPU's window does not show `n` bytes of `b`; `use` names what they are for.
  void check_shown(const comm::Buffer& b, Bytes n, const char* use) const;
  void copy_pinned(Fiber& f, const comm::Buffer& in_gpu, std::uint64_t host, bool out);

  GpuBuffersConfig config_;
  VerbsNode& node_;
  const comm::Steps& step_;
  std::string prefix_;  // what the names of the node's devices begin with
  std::vector<gpu::Gpu*> gpus_;
  std::uint64_t pinned_ = 0;  // an address of pinned memory
  std::unique_ptr<CudaDriver> driver_;
  std::unique_ptr<PageableCopies> pageable_;
  std::optional<MappingCopies> mapped_;  // if there is GDRCopy
};

}  // namespace tsunagi::libraries
