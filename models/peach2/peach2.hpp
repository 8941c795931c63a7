// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/describe.hpp"
#include "machine/machine.hpp"
#include "models/pcie/buffers.hpp"
#include "models/pcie/slots.hpp"
#include "models/peach2/address_map.hpp"
#include "models/peach2/chip_memory.hpp"
#include "models/peach2/chip_reads.hpp"
#include "models/peach2/dma_channel.hpp"

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
  int bubble = 1;
  pcie::BufferConfig buffers;
  DmaConfig dma;
  ChipMemoryConfig memory;
  /// Host-local addresses that the window's GPU regions of this node show; 0: no GPU there.
  Bytes gpu0_base;
  Bytes gpu1_base;
  std::vector<RouteConfig> routes;
};
void describe(Peach2Config& c, config::Describer& d);

/// The PEACH2 chip (paper 000, section 3): four PCIe ports of a hard IP, a router that compares
/// upper address bits, a DMA controller, 250 MHz, 128 bits wide. Writes cross it; nothing is ever
/// read across nodes. Its own region of the window holds registers, descriptor memory and packet memory
/// (registers.hpp): anybody may write there, only its host and its DMA channels may read. A write to the interrupt
/// register becomes a write to the host (MSI), behind all that came by the same port before; drivers serve reads of
/// their node by that (proxy, 3.5).
class Peach2 final : public net::Device {
 public:
  Peach2(DeviceArgs args, const Peach2Config& c);
  void wired() override;
  void receive(int port, net::Delivery&& d) override;
  /// How many chips packets pass that go on and on from port `out`, until they are back at this one; 0: they do not
  /// come back.
  int ring_of(int out) const;
  Time next_offer(int port, int source) const override;
  bool takes_ahead(int port, const flow::Packet& p) const override;
  std::string leftover() const override;
  const Peach2Config& config() const { return config_; }
  const AddressMap& map() const { return map_; }
  /// What enters a ring here leaves as much room at the next chip as keeps the ring moving.
  bool leaves_bubbles() const { return !ports()[east].spec().reserve.empty() && !short_of_room_; }
  /// What enters a ring here should leave more room than the next chip's buffer has.
  bool short_of_room() const { return short_of_room_; }
  /// Sets the interrupt address as a driver did before time 0; while a machine runs, drivers write the register.
  void set_interrupt_address(std::uint64_t address) { interrupt_address_ = address; }
  /// The port that packets for another node leave by; null if there is no route.
  const net::Port* port_towards(int node) const;
  /// Where writes to an address of the window leave, and the address that they have there; null: they do not.
  const net::Port* port_for(Address& address) const;
  /// The chip that packets for `node` go to next, by routes and wires; null if there is no way.
  Peach2* next_towards(int node) const;

 private:
  /// Has what enters the ring of port `out` leave as much free as keeps it moving.
  void keep_moving(int out);
  /// Sends a write towards its address; `source` is the port it came from or a DMA channel.
  void forward(int source, net::Delivery&& d);
  /// The chip cuts no packets: all its links need one MPS.
  void check_payloads() const;
  /// Where the host and its GPUs find an address of this node's share; none: in the chip itself, or no GPU is there.
  std::optional<Address> local_address(Address address) const;
  void deliver_to_node(int source, net::Delivery&& d);
  /// To the host, if it is there.
  void send_north(int source, net::Delivery&& d);

  // the chip's own region
  void write_own(int source, net::Delivery d);
  void write_register(int source, std::uint64_t offset, const net::Delivery& d);
  void interrupt(int source, const net::Delivery& d);
  std::uint64_t read_register(std::uint64_t offset);
  bool is_own(Address address) const;
  /// A read that came by a port: answered if it is the own host's, of the own region.
  /// Why the chip does not answer a read of `n` bytes that came by port `in`; empty: it does.
  std::string read_refusal(int in, Address address, Bytes n) const;
  void answer(int in, net::Delivery d);
  /// A read of DMA channel `channel`: of host or GPU memory by port N, or of the chip's memory.
  void read_for_dma(int channel, net::Delivery d);
  /// What a completion from the own region says, now.
  void fill(flow::Packet& p);
  /// Largest payload of a packet that leaves: the links of a chip all have one.
  Bytes largest_payload() const;
  void check_region() const;
  /// Made when something comes for it, as its reads of the own region are: most of a large machine's move nothing.
  /// Throws std::out_of_range if the chip has no such channel.
  DmaChannel& dma(std::size_t index);

  Peach2Config config_;
  AddressMap map_;
  std::vector<RouteRegister> routes_;
  bool short_of_room_ = false;
  net::Pipeline route_pipeline_;
  int max_train_;
  std::vector<std::unique_ptr<DmaChannel>> dma_;  // null: not used so far
  ChipMemory memory_;
  /// Reads of the own region under way: by the host, and of each channel data and descriptors.
  struct OwnReads {
    OwnReads(net::Device& chip, flow::PacketPool& pool, const ChipReads::Shape& of_data,
             const ChipReads::Shape& of_descriptors, const ChipReads::Fill& fill, const ChipReads::Sink& sink)
        : data(chip, pool, of_data, fill, sink), descriptors(chip, pool, of_descriptors, fill, sink) {}
    ChipReads data;
    ChipReads descriptors;
  };
  std::unique_ptr<ChipReads> host_reads_;
  std::vector<std::unique_ptr<OwnReads>> dma_reads_;
  std::uint64_t interrupt_address_ = 0;
  std::uint64_t interrupt_value_ = 0;
};

}  // namespace tsunagi::peach2
