// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "models/dma/bus_config.hpp"
#include "models/firmware/processor.hpp"
#include "models/firmware/started_port.hpp"
#include "models/infiniband/adapter.hpp"
#include "models/infiniband/firmware/command_unit.hpp"
#include "models/infiniband/firmware/request_scheduler.hpp"
#include "models/infiniband/send_engine.hpp"

namespace tsunagi::infiniband {

struct FirmwareHcaConfig : AdapterConfig {
  int schedule_cycles = 50;
  int request_cycles = 100;
  int dma_cycles = 100;
  int packet_cycles = 50;
  int command_cycles = 200;
  int range_cycles = 10;
  int context_cycles = 50;
  Bytes context_size = 256_B;
  int threads = 8;
  bool acknowledge_each_message = true;
  dma::BusConfig bus;
};
void describe(FirmwareHcaConfig& c, config::Describer& d);

/// A host channel adapter whose transport runs as firmware on three processors, as that of Fujitsu's HCA for PCI-X
/// (paper 004, 5.1, 5.3 and 6; what its firmware does in which order is this model's): one
/// sends, one receives, one chooses whose request is next. Work requests of 64 B lie in host memory and are read one by
/// one, behind a doorbell each; up to 48 B of data may lie in them. Each transfer on the bus has to be started. The one
/// that chooses also carries out commands (CommandUnit).
class FirmwareHca final : public Adapter, private CommandUnit::Queues {
 public:
  FirmwareHca(DeviceArgs args, const FirmwareHcaConfig& c);
  void wired() override;
  std::string leftover() const override;
  RequestForm form() const override { return {Bytes::zero(), 64_B, 16_B, 64_B}; }
  Bytes context_size() const override { return config_.context_size; }
  std::int64_t sending_reads() const override { return sending_->port.reads(); }
  const FirmwareHcaConfig& config() const { return config_; }

 private:
  /// What one of the processors does, and with what.
  struct Side {
    Side(FirmwareHca& card, dma::Port& bus, const FirmwareHcaConfig& c, int source);
    firmware::Processor processor;
    firmware::StartedPort port;
    SendEngine engine;
    std::unique_ptr<CardParts> parts;
  };
  CardParts& requesting() override { return *sending_->parts; }
  CardParts& responding() override { return *receiving_->parts; }
  int requesting_writer(int /*port*/) const override { return 0; }
  int responding_writer(int /*port*/) const override { return 1; }
  dma::Port& host() const override { return *bus_; }
  void stored(const flow::Packet& p, std::int32_t i, const net::Cause& by) override;
  void packet_came(int port, net::Delivery d) override;

  int count(Command::Of of) const override;
  void check_start(std::uint32_t queue_pair) const override;
  void reset(Command::Of of, std::uint32_t number) override;
  SavedContext save(Command::Of of, std::uint32_t number) const override;
  void restore(Command::Of of, std::uint32_t number, const SavedContext& c) override;
  /// Throws std::runtime_error if a queue is in use.
  void require_rest(Command::Of of, std::uint32_t number) const;
  /// The same: puts it in place.
  void put(Command::Of of, std::uint32_t number, const SavedContext& c);

  FirmwareHcaConfig config_;
  std::unique_ptr<dma::Port> bus_;
  AtomicWords words_;
  std::unique_ptr<Side> sending_;
  std::unique_ptr<Side> receiving_;
  std::unique_ptr<firmware::Processor> choosing_;
  std::unique_ptr<firmware::StartedPort> choosing_port_;
  std::unique_ptr<RequestScheduler> scheduler_;
  std::unique_ptr<CommandUnit> commands_;
};

}  // namespace tsunagi::infiniband
