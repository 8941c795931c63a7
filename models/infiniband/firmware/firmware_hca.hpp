// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "models/dma/bus_config.hpp"
#include "models/firmware/processor.hpp"
#include "models/firmware/started_port.hpp"
#include "models/infiniband/adapter.hpp"
#include "models/infiniband/firmware/request_scheduler.hpp"
#include "models/infiniband/send_engine.hpp"

namespace tsunagi::infiniband {

struct FirmwareHcaConfig : AdapterConfig {
  int schedule_cycles = 50;
  int request_cycles = 100;
  int dma_cycles = 100;
  int packet_cycles = 50;
  int threads = 8;
  bool acknowledge_each_message = true;
  dma::BusConfig bus;
};
void describe(FirmwareHcaConfig& c, config::Describer& d);

/// A host channel adapter whose transport runs as firmware on three processors, as that of Fujitsu's HCA for PCI-X
/// (paper 004, 5.1, 5.3 and 6; what its firmware does in which order is this model's): one
/// sends, one receives, one chooses whose request is next. Work requests of 64 B lie in host memory and are read one by
/// one, behind a doorbell each; up to 48 B of data may lie in them. Each transfer on the bus has to be started.
class FirmwareHca final : public Adapter {
 public:
  FirmwareHca(DeviceArgs args, const FirmwareHcaConfig& c);
  void wired() override;
  std::string leftover() const override;
  RequestForm form() const override { return {Bytes::zero(), 64_B, 16_B, 64_B}; }
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

  FirmwareHcaConfig config_;
  std::unique_ptr<dma::Port> bus_;
  AtomicWords words_;
  std::unique_ptr<Side> sending_;
  std::unique_ptr<Side> receiving_;
  std::unique_ptr<firmware::Processor> choosing_;
  std::unique_ptr<RequestScheduler> scheduler_;
};

}  // namespace tsunagi::infiniband
