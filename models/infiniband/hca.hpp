// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/infiniband/adapter.hpp"
#include "models/infiniband/send_engine.hpp"
#include "models/pcie/buffers.hpp"

namespace tsunagi::infiniband {

struct HcaConfig : AdapterConfig {
  int decode_cycles = 10;
  int context_cycles = 0;
  int read_cycles = 0;
  int packet_cycles = 7;
  int build_cycles = 4;
  Time pcie_latency = 50_ns;
  Bytes request_fetch = 256_B;
  Bytes request_ahead = 2_KiB;
  Bytes max_read_request = 512_B;
  int read_tags = 32;
  int tag_bits = 10;
  bool relaxed_ordering = false;
  int ask_interval = 256;
  Bytes blueflame = 256_B;
  pcie::BufferConfig buffers;
};
void describe(HcaConfig& c, config::Describer& d);

/// A host channel adapter on PCIe whose engines are hardware, as those of ConnectX. Work requests may be written into
/// the card as a whole (BlueFlame); packets are made and taken in as a whole.
class Hca final : public Adapter {
 public:
  Hca(DeviceArgs args, const HcaConfig& c);
  void wired() override;
  std::string leftover() const override;
  const HcaConfig& config() const { return config_; }
  Bytes blueflame_size() const override { return config_.blueflame; }

 private:
  /// A request that is being written into the card.
  struct Incoming {
    std::vector<std::uint8_t> bytes;
    Bytes came;
    flow::Contents contents;
  };
  CardParts& requesting() override { return *parts_; }
  CardParts& responding() override { return *parts_; }
  int requesting_writer(int port) const override { return port - 1; }
  int responding_writer(int port) const override { return port - 1; }
  dma::Port& host() const override { return *host_; }
  void stored(const flow::Packet& p, std::int32_t i, const net::Cause& by) override;
  void blueflame_written(const flow::Packet& p, std::int32_t i, std::uint64_t offset, const net::Cause& by);
  void packet_came(int port, net::Delivery d) override;

  HcaConfig config_;
  std::unique_ptr<dma::Port> host_;
  std::unique_ptr<SendEngine> engine_;
  AtomicWords words_;
  std::unique_ptr<CardParts> parts_;
  std::vector<Incoming> incoming_;  // by page and half
};

}  // namespace tsunagi::infiniband
