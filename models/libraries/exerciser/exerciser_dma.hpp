// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "comm/facets/dma.hpp"
#include "comm/steps.hpp"
#include "models/bench/dma_bounds.hpp"
#include "models/bench/exerciser.hpp"
#include "models/host/memory/memory.hpp"

namespace tsunagi::libraries {

/// A memory that an exerciser reaches, and where its buffer begins: as the card and as the memory see it.
struct ReachedMemory {
  host::Memory* memory = nullptr;
  std::uint64_t seen = 0;
  std::uint64_t there = 0;
  Bytes size() const { return memory->config().base + memory->config().size - Bytes(static_cast<std::int64_t>(there)); }
};

/// The DMA of an exerciser with an engine, on the memory of its socket and perhaps another one's.
class ExerciserDma final : public comm::Dma {
 public:
  /// `remote.memory` may be null. The engine must be there.
  ExerciserDma(bench::Exerciser& e, const ReachedMemory& local, const ReachedMemory& remote, const comm::Steps& step);
  std::vector<std::string> methods() const override;
  Bytes largest(int method) const override { return engine_config().largest(static_cast<bench::EngineMethod>(method)); }
  Bytes buffer(comm::DmaMemory m) const override;
  Rate link_rate() const override;
  comm::DmaLoad load(const comm::DmaOperation& o) const override;
  Time least(const comm::DmaOperation& o) const override;
  comm::Request start(Fiber& f, const comm::DmaOperation& o) override;
  void make_cold() override;
  void warm(comm::DmaMemory m, Bytes offset, Bytes n, comm::WarmedBy by) override;

 private:
  const bench::EngineConfig& engine_config() const { return exerciser_.config().engine; }
  const ReachedMemory& reached(comm::DmaMemory m) const { return memories_[static_cast<std::size_t>(m)]; }
  bench::DmaWay way(comm::DmaMemory m) const;

  bench::Exerciser& exerciser_;
  ReachedMemory memories_[2];
  const comm::Steps& step_;
};

}  // namespace tsunagi::libraries
