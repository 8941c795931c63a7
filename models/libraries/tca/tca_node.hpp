// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "config/describe.hpp"
#include "machine/machine.hpp"
#include "models/gpu/gpu.hpp"
#include "models/host/core.hpp"
#include "models/host/memory/memory.hpp"
#include "models/libraries/cuda/cuda_driver.hpp"
#include "models/libraries/tca/tca_words.hpp"
#include "models/peach2/peach2.hpp"
#include "models/process/host_process.hpp"

namespace tsunagi::libraries {

/// Two-sided messages (tca_messages.hpp).
struct TcaMessagesConfig {
  Bytes eager_limit = 16_KiB;
  int slots = 16;
  int unexpected = 256;
  int queue_entries = 1024;
  /// A buffer of a ring: the longest short message and its envelope's line.
  Bytes slot_size() const { return Bytes(64) * units_of(eager_limit, Bytes(64)) + Bytes(64); }
};
void describe(TcaMessagesConfig& c, config::Describer& d);

/// Names of a node's parts, as in the machine: "<node>.core0" and so on.
struct TcaConfig {
  std::string core = "core0";
  std::string memory = "memory";
  bool remote_reads = false;
  std::int64_t interrupt_cycles = 5200;
  config::AnyConfig cuda;  // a CudaConfig, or empty
  TcaMessagesConfig messages;
};
void describe(TcaConfig& c, config::Describer& d);

/// One node of a TCA network, as the driver sees it: its parts, and at which addresses its memories are found. Places
/// are "" or "host" (the memory that the chip reaches as region host), "chip" (the board's memory) and the names of
/// GPUs ("gpu0") and other cards with a window in the node. Of host memory it uses what the window shows.
class TcaNode : public process::HostProcess {
 public:
  /// The node of `chip`, one of so many: parts whose names begin as the chip's does.
  TcaNode(const TcaConfig& c, Machine& m, peach2::Peach2& chip, int ranks);

  peach2::Peach2& chip() const { return *chip_; }
  int number() const { return chip_->config().node; }
  const std::vector<gpu::Gpu*>& gpus() const { return gpus_; }
  /// The GPU of that name ("gpu0"); null: there is none.
  gpu::Gpu* gpu(const std::string& place) const;
  /// What other nodes find in the window: host memory, the chip's, and the cards that it shows.
  std::vector<std::string> places() const;
  static bool is_host(const std::string& place) { return place.empty() || place == "host"; }

  /// Why the chip cannot read, or (`shared`) other chips cannot write, up to `end` of a place; empty if they can.
  std::string refusal(const std::string& place, Bytes end, bool shared) const;
  /// Where the node's own chip and cores find it; GPU memory gets pinned.
  std::uint64_t local(const std::string& place, Bytes offset, Bytes size) const;
  /// Where all chips of the sub-cluster find it: an address in the shared window.
  std::uint64_t shared(const std::string& place, Bytes offset, Bytes size) const;
  /// The same for a place in host memory that the driver keeps, by its local address.
  std::uint64_t shared_word(std::uint64_t address) const;
  /// Address of a register of the node's chip.
  std::uint64_t reg(std::uint64_t offset) const {
    return chip_->map().address(number(), peach2::Region::chip, offset).value();
  }

  /// Where messages from GPUs that go by way of host memory are put before they are sent.
  const process::Area& staging() const { return staging_; }
  /// What the CUDA driver keeps.
  const process::Area& cuda_area() const { return cuda_area_; }
  /// Where the driver keeps descriptor tables.
  const process::Area& tables() const { return tables_; }
  /// Receive buffers of two-sided messages, those of messages that nobody has expected, entries of matching queues.
  const process::Area& rings() const { return rings_; }
  const process::Area& unexpected() const { return unexpected_; }
  const process::Area& queues() const { return queues_; }
  /// Words that are polled, and those that are sent from there.
  const TcaWords& words() const { return words_; }
  /// What prepared puts of this rank send behind their data: a word in the driver's page of the board's memory.
  std::uint64_t flag_source() const {
    return chip_->config().memory.packet_memory < driver_page ? words_.flag_source()
                                                              : local("chip", board_memory(), 8_B);
  }

 private:
  TcaNode(const TcaConfig& c, Machine& m, peach2::Peach2& chip, host::Memory& memory, int ranks);
  void place_areas(const TcaMessagesConfig& c, int ranks);
  /// What programs may use of the board's memory: its pages but the last one, which is the driver's.
  Bytes board_memory() const {
    const std::int64_t pages = chip_->config().memory.packet_memory / driver_page;
    return driver_page * std::max<std::int64_t>(pages - 1, 0);
  }
  static constexpr Bytes driver_page{4096};
  /// The core reaches the chip, and both reach the memory.
  void check_ways() const;
  /// A card that is a place, and its window on the node's bus.
  struct Card {
    net::Device* device = nullptr;
    Address base;
    Bytes size;
    gpu::Gpu* gpu = nullptr;  // whose memory has to be pinned there; null: another card, all of whose window answers
  };
  /// Null: there is none.
  const Card* card(const std::string& place) const;
  /// The region of the chip's window that shows a card, if any does.
  std::optional<peach2::Region> region_of(const Card& c) const;

  peach2::Peach2* chip_;
  std::vector<gpu::Gpu*> gpus_;
  std::vector<Card> cards_;
  TcaWords words_;
  process::Area tables_;
  process::Area cuda_area_;
  process::Area staging_;
  process::Area rings_;
  process::Area unexpected_;
  process::Area queues_;
};

}  // namespace tsunagi::libraries
