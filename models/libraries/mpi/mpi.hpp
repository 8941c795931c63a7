// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "config/describe.hpp"
#include "models/libraries/cuda/cuda_streams.hpp"
#include "models/libraries/mpi/collective_tables.hpp"
#include "models/libraries/mpi/gpu_buffers.hpp"
#include "models/libraries/verbs/messages/verbs_messages.hpp"
#include "models/libraries/verbs/messages/verbs_windows.hpp"
#include "models/libraries/verbs/verbs_nodes.hpp"
#include "models/process/core_processor.hpp"

namespace tsunagi::libraries {

struct MpiConfig : VerbsNodeConfig {
  VerbsMessagesConfig messages;
  GpuBuffersConfig gpu;
  config::AnyConfig cuda;  // empty: nothing is known of GPUs
  CollectiveTables collectives;
  VerbsWindowsConfig one_sided;
  MpiConfig();
};
void describe(MpiConfig& c, config::Describer& d);

/// MPI over InfiniBand as MVAPICH2 1.9b does it (src/mpid/ch3/channels/mrail/src/gen2 of its source; docs/mpi.md): a
/// rank a node with a host channel adapter, in the order of their LIDs. Two-sided messages alone, by VerbsMessages:
/// short ones of a peer that has sent some already into slots that are polled, up to the eager limit through registered
/// buffers and a shared receive queue, longer ones by an RDMA write when the receiver has said where to (RPUT).
/// Progress is made inside calls only.
class Mpi final : public comm::Communicator, private comm::Protocols {
 public:
  Mpi(const MpiConfig& c, Machine& m);
  std::string place(int rank) const override { return node(rank).core().name(); }
  int ranks() const override { return static_cast<int>(nodes_.size()); }
  std::vector<comm::Ceiling> ceilings(int from, int to, const comm::Buffer& b) const override;
  Bytes largest_message() const override { return nodes_.front().user_memory(); }
  bool direct() const override { return false; }
  void check(int from, int to, const comm::Buffer& b) const override;
  comm::Processor& processor() override { return processor_; }
  std::optional<comm::Choice> choice(int ranks, const comm::CollectiveCall& c) const override {
    return collectives_.choice(ranks, c);
  }

 private:
  std::vector<std::string> places(int rank) const override;
  std::vector<Bytes> limits() const override { return messages_.limits(); }
  comm::Protocol protocol(int, int, const comm::Buffer& b) const override { return messages_.protocol(b); }
  /// Throws config::ConfigError if rank `rank` has no such place, or not up to the end of `b`.
  void check_place(int rank, const std::string& place, const comm::Buffer& b) const;
  const VerbsNode& node(int rank) const { return nodes_[static_cast<std::size_t>(rank)]; }
  std::vector<VerbsNode> nodes_;
  std::unique_ptr<GpuBuffers> gpus_;  // null: nothing is known of them
  std::optional<CudaStreams> streams_;
  VerbsMessages messages_;
  process::CoreProcessor processor_;
  CollectiveTables collectives_;
  std::unique_ptr<VerbsWindows> windows_;  // null: they run over messages
};

std::unique_ptr<comm::Communicator> make_mpi(const config::AnyConfig& c, Machine& m);

}  // namespace tsunagi::libraries
