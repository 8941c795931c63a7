// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "config/describe.hpp"
#include "machine/machine.hpp"
#include "models/host/root_complex.hpp"
#include "models/peach2/address_map.hpp"
#include "models/peach2/dma.hpp"

namespace tsunagi::peach2 {

/// Port numbers, in the paper's letters.
enum PortIndex : int { north = 0, east = 1, west = 2, south = 3, port_count = 4 };

/// A static route: destination nodes first..last leave by `port`.
struct RouteConfig {
  std::int64_t port = east;
  int first = 0;
  int last = 0;
};
void describe(RouteConfig& c, config::Describer& d);

struct Peach2Config {
  int node = 0;
  int nodes = 2;
  Bytes window_base = 512_GiB;
  Bytes window_size = 512_GiB;
  Frequency clock{250'000'000};
  Bytes datapath_width = 16_B;
  int hard_ip_cycles = 25;
  int route_cycles = 4;
  Bytes transmit_fifo = 512_B;
  net::LinkRole south_role = net::LinkRole::endpoint;
  pcie::BufferConfig buffers;
  DmaConfig dma;
  std::vector<RouteConfig> routes;
};
void describe(Peach2Config& c, config::Describer& d);

/// The PEACH2 chip (paper 000, section 3): four PCIe ports of a hard IP, a router that compares
/// upper address bits, a DMA controller, 250 MHz, 128 bits wide. Writes cross it; nothing is ever
/// read across nodes.
class Peach2 final : public net::Device {
 public:
  Peach2(DeviceArgs args, const Peach2Config& c);
  void wired() override;
  void receive(int port, net::Delivery d) override;
  std::string leftover() const override;
  const Peach2Config& config() const { return config_; }
  const AddressMap& map() const { return map_; }
  /// The port that packets for another node leave by; null if there is no route.
  const net::Port* port_towards(int node) const;
  /// The chip that packets for `node` go to next, by routes and wires; null if there is no way.
  Peach2* next_towards(int node) const;

 private:
  /// Sends a write towards its address; `source` is the port it came from or a DMA channel.
  void forward(int source, net::Delivery d);
  void check_window() const;
  void deliver_to_node(int source, net::Delivery d);
  void write_register(net::Delivery d);

  Peach2Config config_;
  AddressMap map_;
  std::vector<RouteRegister> routes_;
  net::Pipeline route_pipeline_;
  std::vector<std::unique_ptr<DmaChannel>> dma_;
};

}  // namespace tsunagi::peach2
