// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/describe.hpp"
#include "machine/machine.hpp"
#include "models/sr8000/header.hpp"
#include "models/sr8000/send_unit.hpp"

namespace tsunagi::sr8000 {

struct NiaConfig {
  Frequency clock{125'000'000};
  int fetch_cycles = 10;
  int decode_cycles = 10;
  int build_cycles = 10;
  int status_cycles = 5;
  int read_ahead = 4;
  int receive_cycles = 20;
  int receive_packets = 4;
  Bytes registers = 512_GiB;
};
void describe(NiaConfig& c, config::Describer& d);

/// Network interface adapter of an SR8000 node (paper 002, 4): remote DMA. A store to its control register, the address
/// of a transfer control word in the node's memory, starts a transfer; what arrives is written into remote DMA fields
/// of the receiver's memory, one behind the other. Ports "bus" and "net"; a node's number is its place in the network.
///
/// A receiver's fields are set up before the run (the kernel's part: pages that are pinned, and an identifier).
class Nia final : public net::Device {
 public:
  Nia(DeviceArgs args, const NiaConfig& c);
  ~Nia() override;
  void wired() override;
  void receive(int port, net::Delivery&& d) override;
  std::string leftover() const override;

  std::uint32_t node() const { return node_; }
  const topo::Network& network() const { return *network_; }
  const NiaConfig& config() const { return config_; }
  /// Where a TCW's address is written to, and where a BarrierCall.
  std::uint64_t kick_register() const { return unsigned_of(config_.registers); }
  std::uint64_t barrier_register() const { return unsigned_of(config_.registers) + 8; }

  // Before the run:
  /// The next remote DMA field: so many bytes from `base` on may be written by others. Returns its identifier.
  int make_field(std::uint64_t base, Bytes size);
  /// Where the adapter writes the number of the last of its transfers that has left.
  void set_status_word(std::uint64_t address) { sends_->set_status_word(address); }
  /// Where a word of 8 B lies in each of 8 lines of 64 B, one a colour, that says how many barriers of it are over.
  void set_barrier_words(std::uint64_t base) { barrier_words_ = base; }

 private:
  struct Field {
    std::uint64_t base;
    Bytes size;
  };
  void written(net::Delivery d);
  void packet_came(net::Delivery d);
  [[noreturn]] void fail(const std::string& what) const;

  NiaConfig config_;
  Clock clock_;
  std::uint32_t node_ = 0;
  std::shared_ptr<const topo::Network> network_;
  std::vector<Field> fields_;
  std::uint64_t barrier_words_ = 0;
  std::array<std::uint64_t, colours> barriers_{};  // that are over
  std::unique_ptr<SendUnit> sends_;
};

}  // namespace tsunagi::sr8000
