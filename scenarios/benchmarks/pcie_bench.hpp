// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "scenarios/benchmarks/transfer_units.hpp"
#include "scenarios/scenario.hpp"

namespace tsunagi::scenarios {

enum class PcieBenchmark : std::uint8_t { lat_rd, lat_wrrd, bw_rd, bw_wr, bw_rdwr };

/// In which state the window's lines are before anything is measured.
enum class CacheState : std::uint8_t { cold, host_warm, device_warm };

struct PcieBenchConfig {
  PcieBenchmark benchmark = PcieBenchmark::lat_rd;
  std::vector<Bytes> sizes = {64_B};
  std::vector<Bytes> windows = {8_KiB};
  Bytes offset;
  UnitOrder pattern = UnitOrder::random;
  CacheState cache = CacheState::host_warm;
  comm::DmaMemory node = comm::DmaMemory::local;
  std::string method;
  int transactions = 2000;
  int warm_up = 0;
  std::int64_t seed = 1;
};
void describe(PcieBenchConfig& c, config::Describer& d);

/// Micro-benchmarks of a card's DMA on host memory, as Neugebauer et al. define them ("Understanding PCIe performance
/// for end host networking", SIGCOMM 2018, section 4). Rank 0 is the card's firmware. A row a window and size.
///  - Latency: one operation at a time, from before it is started until firmware sees its end; `lat_wrrd` is a write
///    that is waited for and then a read of the same bytes.
///  - Bandwidth: as many under way as the card has workers, from the first one's start to the last one's end;
///    `bw_rdwr` writes and reads in turn and counts the bytes of one direction.
class PcieBench final : public Scenario {
 public:
  explicit PcieBench(PcieBenchConfig c) : config_(std::move(c)) {}
  int ranks() const override { return 1; }
  Bytes footprint(int /*ranks*/) const override { return {}; }  // `fit` asks the memory that is meant
  void fit(comm::World& w) override;
  void declare(report::Recorder& r, const comm::Library& c) const override;
  void program(comm::Rank& rank, report::Recorder& r) override;

 private:
  bool is_latency() const { return config_.benchmark <= PcieBenchmark::lat_wrrd; }
  comm::DmaOperation operation(comm::DmaOperation::Kind kind, Bytes at, Bytes size) const;
  /// Transaction `number` of the benchmark, of those of which many are under way.
  comm::DmaOperation transaction(std::int64_t number, Bytes at, Bytes size) const;
  void prepare(comm::Dma& dma, Bytes window) const;
  void latency_row(comm::Rank& rank, report::Recorder& r, const TransferUnits& units);
  void bandwidth_row(comm::Rank& rank, report::Recorder& r, const TransferUnits& units);
  /// One of those of which one is under way.
  void alone(comm::Rank& rank, Bytes at, Bytes size) const;
  /// Does transactions as fast as the card starts them, until all are done.
  void many(comm::Rank& rank, const std::vector<Bytes>& places, Bytes size) const;
  /// Where the transactions of a row's warm-up or measurement, which `part` names, begin.
  std::vector<Bytes> places(const TransferUnits& units, int n, const char* part) const;

  PcieBenchConfig config_;
  comm::Dma* dma_ = nullptr;
  int method_ = 0;
};

}  // namespace tsunagi::scenarios
