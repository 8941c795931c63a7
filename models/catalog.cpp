// SPDX-License-Identifier: Apache-2.0
#include "models/catalog.hpp"

#include "models/bench/exerciser.hpp"
#include "models/ethernet/card/card.hpp"
#include "models/ethernet/link.hpp"
#include "models/ethernet/switch.hpp"
#include "models/fpga/fpga.hpp"
#include "models/gpu/gpu.hpp"
#include "models/host/core.hpp"
#include "models/host/memory/memory.hpp"
#include "models/host/on_chip.hpp"
#include "models/host/root_complex.hpp"
#include "models/infiniband/firmware/firmware_hca.hpp"
#include "models/infiniband/hca.hpp"
#include "models/infiniband/link.hpp"
#include "models/infiniband/switch.hpp"
#include "models/myrinet/crossbar.hpp"
#include "models/myrinet/lanai_card.hpp"
#include "models/myrinet/link.hpp"
#include "models/nvlink/link.hpp"
#include "models/nvlink/nvswitch.hpp"
#include "models/pcie/link.hpp"
#include "models/pcie/switch.hpp"
#include "models/pcix/bridge.hpp"
#include "models/pcix/bus.hpp"
#include "models/pcix/hub_link.hpp"
#include "models/pcix/link.hpp"
#include "models/peach2/peach2.hpp"
#include "models/router/input_queued_router.hpp"
#include "models/router/link.hpp"
#include "models/router/router.hpp"
#include "models/router/terminal.hpp"
#include "models/sr8000/crossbar.hpp"
#include "models/sr8000/nia.hpp"
#include "models/sr8000/storage_controller.hpp"
#include "models/tlm/tlm_card.hpp"
#include "topo/graphs/explicit.hpp"

namespace tsunagi {

namespace {

/// A device D built from a config C.
template <class D, class C>
DeviceKind device(const char* name, const char* doc) {
  return {config::kind<C>(name, doc),
          [](DeviceArgs args, const config::AnyConfig& c) { return std::make_unique<D>(std::move(args), c.as<C>()); }};
}

}  // namespace

const ModelCatalog& model_catalog() {
  static const ModelCatalog all = {
      {
          {config::kind<topo::GroupConfig>("group", "several devices with their wires, under one name"), nullptr},
          {config::kind<topo::BoxConfig>("box", "a router that is a network of several"), nullptr},
          device<host::Core, host::CoreConfig>("core", "processor core: stores, loads, polls"),
          device<host::Memory, host::MemoryConfig>("memory", "host memory with its caches"),
          device<host::RootComplex, host::RootComplexConfig>("root_complex",
                                                             "joins cores, memory and PCIe slots of a socket"),
          device<pcie::Switch, pcie::SwitchConfig>("pcie_switch",
                                                   "PCIe switch: one port up, others by windows of addresses"),
          device<pcix::Bus, pcix::BusConfig>("pcix_bus", "PCI-X segment: a half-duplex bus with its slots"),
          device<pcix::Bridge, pcix::BridgeConfig>("pcix_bridge", "bridge from a host's link to a PCI-X bus"),
          device<pcix::HubLink, pcix::HubLinkConfig>(
              "hub_link", "link to an I/O bridge that both directions share, a header a line (Hub Link)"),
          device<gpu::Gpu, gpu::GpuConfig>("gpu", "GPU: memory behind a BAR window"),
          device<nvlink::NvSwitch, nvlink::NvSwitchConfig>("nvswitch",
                                                           "NVSwitch: crossbar of NVLink links, by address"),
          device<fpga::Fpga, fpga::FpgaConfig>("fpga", "FPGA card: PCIe hard IP with DMA engine, memory, kernels"),
          device<peach2::Peach2, peach2::Peach2Config>("peach2", "PEACH2 chip: four PCIe ports, address router (TCA)"),
          device<router::Router, router::RouterConfig>(
              "router", "ideal router: virtual output queues, no crossbar to wait for; virtual channels and credits"),
          device<router::InputQueuedRouter, router::InputQueuedRouterConfig>(
              "input_queued_router", "input-queued router: FIFOs, switch allocator (iSLIP), crossbar, output buffers"),
          device<infiniband::Switch, infiniband::SwitchConfig>(
              "infiniband_switch", "InfiniBand switch: cut-through, virtual lanes with credits and arbitration"),
          device<ethernet::Card, ethernet::CardConfig>(
              "ethernet_card", "Ethernet card on PCI Express or PCI-X: rings of descriptors, throttled interrupts"),
          device<ethernet::Switch, ethernet::SwitchConfig>(
              "ethernet_switch", "Ethernet switch: store and forward, one packet memory, limits and drops by output"),
          device<myrinet::Crossbar, myrinet::CrossbarConfig>(
              "myrinet_crossbar", "Myrinet crossbar switch: source routes, worms, STOP and GO"),
          device<sr8000::Crossbar, sr8000::CrossbarConfig>(
              "sr8000_crossbar", "crossbar or relay of the Hitachi SR8000: hardware broadcast and barrier"),
          device<router::Terminal, router::TerminalConfig>("terminal", "network interface of a rank at a router"),
          device<infiniband::Hca, infiniband::HcaConfig>("hca", "InfiniBand host channel adapter on PCIe"),
          device<infiniband::FirmwareHca, infiniband::FirmwareHcaConfig>(
              "firmware_hca", "InfiniBand host channel adapter whose transport runs on three processors"),
          device<myrinet::LanaiCard, myrinet::LanaiConfig>(
              "lanai_card", "Myrinet card with a LANai: a processor that runs firmware, memory for packets, DMA"),
          device<sr8000::StorageController, sr8000::StorageControllerConfig>(
              "storage_controller", "joins processors, memory and network interface adapter of an SR8000 node"),
          device<sr8000::Nia, sr8000::NiaConfig>("nia", "network interface adapter of an SR8000 node: remote DMA"),
          device<card::TlmCard, card::TlmCardConfig>(
              "tlm_card", "PCIe card whose inside is a TLM-2.0 model of the embedding program"),
          device<bench::Exerciser, bench::ExerciserConfig>(
              "exerciser", "PCIe card that writes at full speed, answers reads, and does DMA"),
      },
      {
          {config::kind<pcie::LinkConfig>("pcie", "PCI Express link, any generation and width"), pcie::link_spec},
          {config::kind<nvlink::LinkConfig>("nvlink", "NVLink link of a GPU, generations 1 to 4"), nvlink::link_spec},
          {config::kind<pcix::LinkConfig>("pcix", "pins of a device on a PCI-X bus"), pcix::link_spec},
          {config::kind<host::OnChipConfig>("on_chip", "bus between core, root complex and memory"),
           host::on_chip_spec},
          {config::kind<router::LinkConfig>("link", "link between routers: virtual channels, credits in flits"),
           router::link_spec},
          {config::kind<ethernet::LinkConfig>("ethernet", "Ethernet, 100 Mb/s to 10 Gb/s, full duplex"),
           ethernet::link_spec},
          {config::kind<infiniband::LinkConfig>("infiniband", "InfiniBand link, SDR to EDR, any width"),
           infiniband::link_spec},
          {config::kind<myrinet::LinkConfig>("myrinet",
                                             "Myrinet link: source-routed worms, slack buffers, STOP and GO"),
           myrinet::link_spec},
      },
  };
  return all;
}

}  // namespace tsunagi
