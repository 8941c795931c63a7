// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "comm/library.hpp"
#include "config/describe.hpp"
#include "machine/machine.hpp"
#include "models/gpu/gpu.hpp"
#include "models/host/core.hpp"
#include "models/host/memory/memory.hpp"
#include "models/process/host_process.hpp"

namespace tsunagi::libraries {

/// Names of the parts of the node, as in the machine: "<node>.core0" and so on.
struct GdrCopyConfig {
  std::string node = "node0";
  std::string core = "core0";
  std::string memory = "memory";
  std::string gpu = "gpu0";
  std::int64_t call_cycles = 30;
};
void describe(GdrCopyConfig& c, config::Describer& d);

/// Copies by a core between host memory and a GPU's window (GDRCopy's gdr_copy_to_mapping and gdr_copy_from_mapping):
/// write-combining stores and a fence one way, streaming loads the other (its src/gdrapi.c and src/memcpy_*.c). The one
/// rank is a thread on the core; a copy's time is that of the call.
class GdrCopy final : public comm::Library, private comm::DeviceCopies, private process::HostProcess {
 public:
  GdrCopy(const GdrCopyConfig& c, Machine& m);
  std::string place(int) const override { return core().name(); }
  int ranks() const override { return 1; }
  Bytes largest_message() const override { return user_memory(); }
  void send(Fiber& f, int from, int to, const comm::Buffer& b) override;
  void recv(Fiber& f, int to, int from, const comm::Buffer& b) override;

 private:
  void check_copy(int rank, const comm::DeviceCopy& c) const override;
  Time copy(Fiber& f, int rank, const comm::DeviceCopy& c) override;
  std::vector<comm::Ceiling> copy_ceilings(int rank, const comm::DeviceCopy& c) const override;
  bool to_gpu(const comm::DeviceCopy& c) const { return c.target.place == config_.gpu; }
  /// Address of a byte of the user's buffer.
  std::uint64_t host_address(Bytes offset) const { return user_base() + unsigned_of(offset); }

  GdrCopyConfig config_;
  gpu::Gpu* gpu_;
};

}  // namespace tsunagi::libraries
