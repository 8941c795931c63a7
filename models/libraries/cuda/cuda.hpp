// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "comm/library.hpp"
#include "config/describe.hpp"
#include "machine/machine.hpp"
#include "models/libraries/cuda/cuda_copies.hpp"
#include "models/libraries/cuda/cuda_driver.hpp"
#include "models/libraries/cuda/cuda_streams.hpp"
#include "models/process/host_process.hpp"

namespace tsunagi::libraries {

/// Names of the parts of the node that the process runs on, as in the machine: "<node>.core0" and so on.
struct CudaConfig {
  std::string node = "node0";
  std::string core = "core0";
  std::string memory = "memory";
  std::vector<std::string> gpus = {"gpu0", "gpu1"};
  CudaDriverConfig driver;
};
void describe(CudaConfig& c, config::Describer& d);
/// The driver of a "cuda" that another library names; empty: as it is by default. Throws config::ConfigError if it is
/// another library.
CudaDriverConfig cuda_driver_of(const config::AnyConfig& cuda);

/// CUDA within a node (paper 000, 4.3): a rank is a GPU, its buffers lie in that GPU's memory, and one thread of one
/// process does what all ranks do, one call at a time. `send` is a cudaMemcpyPeer and the synchronisation behind it; it
/// returns when the data is there, so that `recv` has nothing to do but to wait for that. Methods:
///  - "uva": peer access is enabled. An engine of the source GPU writes into the other one's memory over NVLink, where
///    that leads there, else into its BAR window; not across QPI.
///  - "no_uva": without it, by way of pinned host memory: an engine of the source GPU writes there, one of the other
///    reads there, in chunks, two buffers in turn (CUDA Handbook, memory/peer2peerMemcpy.cu does the same). From one
///    half to what waits for it in the other GPU the driver's `hand_over` passes.
/// Its thread also copies between pinned host memory and GPUs, and between GPUs, one by one and in streams.
class Cuda final : public comm::Library, private comm::Protocols, private process::HostProcess {
 public:
  Cuda(const CudaConfig& c, Machine& m);
  std::string place(int) const override { return core().name(); }
  int ranks() const override { return static_cast<int>(gpus_.size()); }
  std::vector<std::string> methods() const override { return {"uva", "no_uva"}; }
  std::vector<comm::Ceiling> ceilings(int from, int to, const comm::Buffer& b) const override;
  Bytes largest_message() const override;
  void send(Fiber& f, int from, int to, const comm::Buffer& b) override;
  void recv(Fiber& f, int to, int from, const comm::Buffer& b) override;
  void check(int from, int to, const comm::Buffer& b) const override;

 private:
  std::vector<Bytes> limits() const override { return {}; }
  comm::Protocol protocol(int from, int to, const comm::Buffer& b) const override;
  /// Null: the process uses none of that name.
  gpu::Gpu* find(const std::string& name) const;
  gpu::Gpu& gpu(int rank) const { return *gpus_[static_cast<std::size_t>(rank)]; }
  /// The core and the GPUs reach each other, and the driver's buffers.
  void check_ways() const;
  void copy_to_peer(Fiber& f, int from, int to, const comm::Buffer& b);
  void copy_by_host(Fiber& f, int from, int to, const comm::Buffer& b);
  /// Address of the buffer that chunk `i` of a message goes by: two take turns.
  std::uint64_t staging(std::int64_t i) const { return staging_[static_cast<std::size_t>(i % 2)].base; }

  /// What one rank has sent to another.
  struct Sent {
    std::uint64_t messages = 0;
    std::uint64_t received = 0;
    Event more;
  };

  std::vector<std::string> names_;  // of the GPUs, in the order of the ranks
  std::vector<gpu::Gpu*> gpus_;
  std::unique_ptr<CudaDriver> driver_;
  CudaStreams streams_;
  CudaCopies copies_;
  std::array<process::Area, 2> staging_;
  std::map<std::pair<int, int>, Sent> sent_;  // from, to
  // The thread takes one call after the other.
  std::uint64_t calls_ = 0;
  std::uint64_t returned_ = 0;
  Event call_over_;
};

}  // namespace tsunagi::libraries
