// SPDX-License-Identifier: Apache-2.0
// Numbers of vendors and devices: the PCI ID Repository (pci.ids). Families and models: CPUID, as Linux and NCCL tell
// them.
#include "import/parts_table.hpp"

#include <algorithm>

namespace tsunagi::importing {

namespace {

constexpr int any = PartRow::any;
constexpr int nvidia = 0x10de, mellanox = 0x15b3, plx = 0x10b5;

// Windows: bar_size and register_size of a GPU's part, pages of an adapter's. Building a machine checks them.
constexpr std::int64_t k20_window = 272 * 1024, p100_window = 16400 * 1024, hca_window = 64, page = 4;

}  // namespace

const std::vector<PartRow>& part_rows() {
  // The last row of a role stands for all that no other row names.
  static const std::vector<PartRow> all{
      {Role::gpu, nvidia, 0x1022, "K20c", "k20", true, k20_window, "pcie"},
      {Role::gpu, nvidia, 0x1028, "K20m", "k20", true, k20_window, "pcie"},
      {Role::gpu, nvidia, 0x1020, "K20X", "k20x", true, k20_window, "pcie"},
      {Role::gpu, nvidia, 0x1021, "K20Xm", "k20x", true, k20_window, "pcie"},
      {Role::gpu, nvidia, 0x15f8, "P100 PCIe", "p100", true, p100_window, "pcie"},
      {Role::gpu, nvidia, 0x15f7, "P100 PCIe 12GB", "p100", false, p100_window, "pcie"},
      {Role::gpu, nvidia, 0x15f9, "P100 SXM2", "p100", false, p100_window, "pcie"},
      {Role::gpu, nvidia, 0x1db1, "V100 SXM2", "p100", false, p100_window, "pcie"},
      {Role::gpu, nvidia, 0x1db4, "V100 PCIe", "p100", false, p100_window, "pcie"},
      {Role::gpu, nvidia, 0x1db5, "V100 SXM2 32GB", "p100", false, p100_window, "pcie"},
      {Role::gpu, nvidia, 0x1db6, "V100 PCIe 32GB", "p100", false, p100_window, "pcie"},
      {Role::gpu, nvidia, 0x1eb8, "Tesla T4", "p100", false, p100_window, "pcie"},
      {Role::gpu, nvidia, 0x20b0, "A100 SXM4", "p100", false, p100_window, "pcie"},
      {Role::gpu, nvidia, 0x20b2, "A100 SXM4 80GB", "p100", false, p100_window, "pcie"},
      {Role::gpu, nvidia, 0x20b5, "A100 PCIe 80GB", "p100", false, p100_window, "pcie"},
      {Role::gpu, nvidia, 0x20f1, "A100 PCIe", "p100", false, p100_window, "pcie"},
      {Role::gpu, nvidia, 0x2330, "H100 SXM5", "p100", false, p100_window, "pcie"},
      {Role::gpu, nvidia, 0x2331, "H100 PCIe", "p100", false, p100_window, "pcie"},
      {Role::gpu, any, any, "GPU", "p100", false, p100_window, "pcie"},
      {Role::infiniband, mellanox, 0x6732, "ConnectX DDR", "connectx_2", false, hca_window, "pcie"},
      {Role::infiniband, mellanox, 0x673c, "ConnectX-2", "connectx_2", true, hca_window, "pcie"},
      {Role::infiniband, mellanox, 0x1003, "ConnectX-3", "connectx_3", true, hca_window, "pcie"},
      {Role::infiniband, mellanox, 0x1007, "ConnectX-3 Pro", "connectx_3", false, hca_window, "pcie"},
      {Role::infiniband, mellanox, 0x1011, "Connect-IB", "connectx_3", false, hca_window, "pcie"},
      {Role::infiniband, mellanox, 0x1013, "ConnectX-4", "connectx_3", false, hca_window, "pcie"},
      {Role::infiniband, mellanox, 0x1017, "ConnectX-5", "connectx_3", false, hca_window, "pcie"},
      {Role::infiniband, mellanox, 0x1019, "ConnectX-5 Ex", "connectx_3", false, hca_window, "pcie"},
      {Role::infiniband, mellanox, 0x101b, "ConnectX-6", "connectx_3", false, hca_window, "pcie"},
      {Role::infiniband, mellanox, 0x101d, "ConnectX-6 Dx", "connectx_3", false, hca_window, "pcie"},
      {Role::infiniband, mellanox, 0x1021, "ConnectX-7", "connectx_3", false, hca_window, "pcie"},
      {Role::infiniband, any, any, "InfiniBand adapter", "connectx_3", false, hca_window, "pcie"},
      {Role::nic, any, any, "network card", "nfp_6000_like", false, page, "link"},
      {Role::nvme, any, any, "NVMe drive", "nvme_like", true, page, "link"},
      {Role::bridge, plx, 0x8647, "PEX 8647", "pex_8647", true, 0, "up"},
      {Role::bridge, plx, 0x8747, "PEX 8747", "pex_8747", true, 0, "up"},
      {Role::bridge, plx, 0x8748, "PEX 8748", "pex_8747", true, 0, "up"},
      {Role::bridge, any, any, "PCIe switch", "pex_8747", false, 0, "up"},
  };
  return all;
}

const std::vector<CpuRow>& cpu_rows() {
  static const std::vector<CpuRow> all{
      {"GenuineIntel", 6, 45, 45, "Sandy Bridge-EP", true, "sandy_bridge_ep_root_complex", "xeon_e5_2670_core",
       "sandy_bridge_ep_memory", "qpi_8gt"},
      {"GenuineIntel", 6, 62, 62, "Ivy Bridge-EP", true, "ivy_bridge_ep_root_complex", "xeon_e5_2680_v2_core",
       "sandy_bridge_ep_memory", "qpi_8gt"},
      {"GenuineIntel", 6, 63, 63, "Haswell-EP", true, "haswell_ep_root_complex", "xeon_e5_2660_v4_core",
       "broadwell_ep_memory", "qpi_9_6gt"},
      {"GenuineIntel", 6, 79, 79, "Broadwell-EP", true, "broadwell_ep_root_complex", "xeon_e5_2660_v4_core",
       "broadwell_ep_memory", "qpi_9_6gt"},
      {"", any, any, any, "Broadwell-EP", false, "broadwell_ep_root_complex", "xeon_e5_2660_v4_core",
       "broadwell_ep_memory", "qpi_9_6gt"},
  };
  return all;
}

const PartRow& part_of(const Card& card) {
  const PartRow* best = nullptr;
  for (const PartRow& row : part_rows()) {
    if (row.role != card.role) continue;
    if (row.device == PartRow::any) {
      if (best == nullptr) best = &row;
    } else if (card.device >= 0) {
      if (row.vendor == card.vendor && row.device == card.device) return row;
    } else if (card.model.find(row.name) != std::string::npos &&
               (best == nullptr || row.name.size() > best->name.size())) {
      best = &row;
    }
  }
  return *best;
}

const CpuRow& part_of(const Socket& socket) {
  return *std::find_if(cpu_rows().begin(), cpu_rows().end(), [&](const CpuRow& row) {
    return row.vendor.empty() || (row.vendor == socket.vendor && row.family == socket.family &&
                                  row.first_model <= socket.model && socket.model <= row.last_model);
  });
}

}  // namespace tsunagi::importing
