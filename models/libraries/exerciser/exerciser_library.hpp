// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "comm/by_rank.hpp"
#include "comm/library.hpp"
#include "config/describe.hpp"
#include "machine/machine.hpp"
#include "models/bench/exerciser.hpp"
#include "models/host/memory/memory.hpp"
#include "models/libraries/exerciser/exerciser_dma.hpp"

namespace tsunagi::libraries {

struct ExerciserLibraryConfig {
  std::string exerciser = "exerciser";
  std::string memory = "memory";
  std::string remote_memory;
  Bytes base;
  Bytes stride;
  std::vector<std::string> ranks;
};
void describe(ExerciserLibraryConfig& c, config::Describer& d);

/// Two ranks without any software cost: rank 0 is the exerciser, rank 1 sees writes to the memory at once. An exerciser
/// with an engine reads and writes that memory, and another socket's, by DMA.
class ExerciserPair final : public comm::Library {
 public:
  ExerciserPair(const ExerciserLibraryConfig& c, Machine& m);
  int ranks() const override { return 2; }
  std::string place(int rank) const override { return rank == 0 ? exerciser_.name() : memory_.name(); }
  Bytes largest_message() const override;
  void check(int from, int to, const comm::Buffer& b) const override;
  void send(Fiber& f, int from, int to, const comm::Buffer& b) override;
  void recv(Fiber& f, int to, int from, const comm::Buffer& b) override;

 private:
  bench::Exerciser& exerciser_;
  host::Memory& memory_;
  // Where the buffer of rank 1 begins, as the exerciser and as the memory see it.
  std::uint64_t written_;
  std::uint64_t polled_;
  std::unique_ptr<ExerciserDma> dma_;
};

/// A rank an exerciser, without any software cost: every card writes to every other one's memory.
class ExerciserGroup final : public comm::Library {
 public:
  ExerciserGroup(const ExerciserLibraryConfig& c, Machine& m);
  int ranks() const override { return static_cast<int>(exercisers_.size()); }
  std::string place(int rank) const override { return exercisers_[rank]->name(); }
  Bytes largest_message() const override { return largest_; }
  void send(Fiber& f, int from, int to, const comm::Buffer& b) override;
  void recv(Fiber& f, int to, int from, const comm::Buffer& b) override;

 private:
  comm::ByRank<bench::Exerciser*> exercisers_;
  std::uint64_t base_;
  std::uint64_t stride_;
  Bytes largest_;
};

}  // namespace tsunagi::libraries
