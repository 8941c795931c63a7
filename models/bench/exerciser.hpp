// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "config/describe.hpp"
#include "machine/machine.hpp"
#include "models/host/memory.hpp"

namespace tsunagi::bench {

struct ExerciserConfig {
  int queue = 128;
  net::LinkRole role = net::LinkRole::endpoint;
};
void describe(ExerciserConfig& c, config::Describer& d);

/// A PCIe exerciser card: posts memory writes of the largest payload as fast as the link takes them.
class Exerciser final : public net::Device, private net::SlotOwner {
 public:
  Exerciser(DeviceArgs args, const ExerciserConfig& c);
  void receive(int port, net::Delivery d) override;
  /// Writes `n` bytes to `address`; returns when the last write is queued. The last one says `value`.
  void write(comm::Fiber& f, std::uint64_t address, Bytes n, std::uint64_t value);

 private:
  void slot_released(flow::FlowClass c, flow::Credits per_packet, const net::Schedule& when) override;
  Time slot_now() const override { return now(); }
  int free_;
  int queue_;
  int max_train_;
  comm::Event freed_;
};

struct ExerciserLibraryConfig {
  std::string exerciser = "exerciser";
  std::string memory = "memory";
  Bytes base;
};
void describe(ExerciserLibraryConfig& c, config::Describer& d);

/// Two ranks without any software cost: rank 0 is the exerciser, rank 1 sees writes to the memory at once.
class ExerciserLibrary final : public comm::Communicator {
 public:
  ExerciserLibrary(const ExerciserLibraryConfig& c, Machine& m);
  int ranks() const override { return 2; }
  Bytes largest_message() const override { return memory_.config().size; }
  void send(comm::Fiber& f, int from, int to, const comm::Buffer& b) override;
  void recv(comm::Fiber& f, int to, int from, const comm::Buffer& b) override;

 private:
  Exerciser& exerciser_;
  host::Memory& memory_;
  std::uint64_t base_;
  std::uint64_t messages_ = 0;
};

std::unique_ptr<comm::Communicator> make_exerciser_library(const config::AnyConfig& c, Machine& m);

}  // namespace tsunagi::bench
