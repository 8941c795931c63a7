// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/library.hpp"
#include "config/describe.hpp"
#include "machine/machine.hpp"
#include "models/libraries/cuda/pageable_copies.hpp"
#include "models/libraries/opencl_cuda/opencl_driver.hpp"
#include "models/process/host_process.hpp"

namespace tsunagi::libraries {

/// Names of the parts of the node, as in the machine: "<node>.core0" and so on.
struct OpenClCudaConfig {
  std::string node = "node0";
  std::string core = "core0";
  std::string memory = "memory";
  std::string fpga = "fpga0";
  std::string gpu = "gpu0";
  OpenClDriverConfig opencl;
  CudaDriverConfig cuda;
};
void describe(OpenClCudaConfig& c, config::Describer& d);

/// Copies between an FPGA card and a GPU by way of host memory (paper 003, figure 12: the conventional method): the one
/// rank is a thread on a core that calls OpenCL for the way between card and host and cudaMemcpy for that between host
/// and GPU, one after the other. The host's buffer is pageable: CUDA's driver has the core copy it through two pinned
/// buffers in turn. A copy's time is that from the first call to the return of the second: what the thread can see.
class OpenClCuda final : public comm::Library, private comm::DeviceCopies, private process::HostProcess {
 public:
  OpenClCuda(const OpenClCudaConfig& c, Machine& m);
  std::string place(int) const override { return core().name(); }
  int ranks() const override { return 1; }
  Bytes largest_message() const override { return user_memory(); }
  void send(Fiber& f, int from, int to, const comm::Buffer& b) override;
  void recv(Fiber& f, int to, int from, const comm::Buffer& b) override;

 private:
  void check_copy(int rank, const comm::DeviceCopy& c) const override;
  Time copy(Fiber& f, int rank, const comm::DeviceCopy& c) override;
  std::vector<comm::Ceiling> copy_ceilings(int rank, const comm::DeviceCopy& c) const override;
  bool to_gpu(const comm::DeviceCopy& c) const { return c.source.place == fpga_name_; }

  std::string fpga_name_;
  std::string gpu_name_;
  fpga::Fpga* fpga_;
  gpu::Gpu* gpu_;
  std::unique_ptr<OpenClDriver> opencl_;
  std::unique_ptr<CudaDriver> cuda_;
  std::unique_ptr<PageableCopies> pageable_;
};

}  // namespace tsunagi::libraries
