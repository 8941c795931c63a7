// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/messages/messages.hpp"
#include "models/libraries/hitachi_mpi/hitachi_hardware.hpp"
#include "models/libraries/hitachi_mpi/hitachi_messages.hpp"
#include "models/process/core_processor.hpp"

namespace tsunagi::libraries {

/// Hitachi's MPI for the SR8000, with which paper 002 compares: messages that meet at their receiver, over remote DMA.
/// A rank a node, in the order of the nodes' numbers. The network's hardware does barriers and broadcasts of ranks that
/// fill a box; reductions go along binary trees (6.4).
class HitachiMpi final : public comm::Communicator, private comm::Protocols {
 public:
  HitachiMpi(const HitachiMpiConfig& c, Machine& m);
  std::string place(int rank) const override { return nodes_[static_cast<std::size_t>(rank)].core().name(); }
  int ranks() const final { return static_cast<int>(nodes_.size()); }
  std::vector<comm::Ceiling> ceilings(int from, int /*to*/, const comm::Buffer& /*b*/) const override {
    return combuf_ceilings(nodes_[static_cast<std::size_t>(from)]);
  }
  Bytes largest_message() const override { return nodes_.front().user_memory(); }
  void check(int from, int to, const comm::Buffer& b) const override { combuf_check(nodes_.front(), from, to, b); }
  bool direct() const override { return false; }
  std::optional<comm::Choice> choice(int ranks, const comm::CollectiveCall& c) const override;
  comm::Processor& processor() override { return processor_; }

 private:
  std::vector<Bytes> limits() const override { return {transport_.eager_limit()}; }
  comm::Protocol protocol(int, int, const comm::Buffer& b) const override { return transport_.protocol(b.size); }
  std::vector<ComBufNode> nodes_;
  process::CoreProcessor processor_;
  HitachiMessages transport_;
  comm::Messages messages_;
  HitachiHardware hardware_;
};

std::unique_ptr<comm::Communicator> make_hitachi_mpi(const config::AnyConfig& c, Machine& m);

}  // namespace tsunagi::libraries
