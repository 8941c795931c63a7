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
constexpr std::int64_t k20_window = 272 * 1024, p100_window = 16400 * 1024, gib64_window = 65552 * 1024,
                       gib128_window = 131088 * 1024, hca_window = 64, page = 4;

// GPUs since Pascal copy line by line of their second-level cache: max_read_request of their parts' copy engines.
constexpr int gpu_line = 128;

}  // namespace

const std::vector<PartRow>& part_rows() {
  // The last row of a role stands for all that no other row names.
  static const std::vector<PartRow> all{
      {Role::gpu, nvidia, 0x1022, "K20c", "k20", true, k20_window, "pcie"},
      {Role::gpu, nvidia, 0x1028, "K20m", "k20", true, k20_window, "pcie"},
      {Role::gpu, nvidia, 0x1020, "K20X", "k20x", true, k20_window, "pcie"},
      {Role::gpu, nvidia, 0x1021, "K20Xm", "k20x", true, k20_window, "pcie"},
      {Role::gpu, nvidia, 0x15f8, "P100 PCIe", "p100", true, p100_window, "pcie", gpu_line},
      {Role::gpu, nvidia, 0x15f7, "P100 PCIe 12GB", "p100", false, p100_window, "pcie", gpu_line},
      {Role::gpu, nvidia, 0x15f9, "P100 SXM2", "p100", false, p100_window, "pcie", gpu_line},
      {Role::gpu, nvidia, 0x1db1, "V100 SXM2", "v100", true, p100_window, "pcie", gpu_line},
      {Role::gpu, nvidia, 0x1db4, "V100 PCIe", "v100", false, p100_window, "pcie", gpu_line},
      {Role::gpu, nvidia, 0x1db5, "V100 SXM2 32GB", "v100", false, p100_window, "pcie", gpu_line},
      {Role::gpu, nvidia, 0x1db6, "V100 PCIe 32GB", "v100", false, p100_window, "pcie", gpu_line},
      {Role::gpu, nvidia, 0x1eb8, "Tesla T4", "p100", false, p100_window, "pcie", gpu_line},
      {Role::gpu, nvidia, 0x20b0, "A100 SXM4", "a100", true, gib64_window, "pcie", gpu_line},
      {Role::gpu, nvidia, 0x20b2, "A100 SXM4 80GB", "a100_80gb", true, gib128_window, "pcie", gpu_line},
      {Role::gpu, nvidia, 0x20b5, "A100 PCIe 80GB", "a100_80gb", true, gib128_window, "pcie", gpu_line},
      {Role::gpu, nvidia, 0x20f1, "A100 PCIe", "a100", false, gib64_window, "pcie", gpu_line},
      {Role::gpu, nvidia, 0x2230, "RTX A6000", "rtx_a6000", true, gib64_window, "pcie", gpu_line},
      {Role::gpu, nvidia, 0x2330, "H100 SXM5", "h100", true, gib128_window, "pcie", gpu_line},
      {Role::gpu, nvidia, 0x2331, "H100 PCIe", "h100", false, gib128_window, "pcie", gpu_line},
      {Role::gpu, any, any, "GPU", "p100", false, p100_window, "pcie", gpu_line},
      {Role::infiniband, mellanox, 0x6732, "ConnectX DDR", "connectx_2", false, hca_window, "pcie"},
      {Role::infiniband, mellanox, 0x673c, "ConnectX-2", "connectx_2", true, hca_window, "pcie"},
      {Role::infiniband, mellanox, 0x1003, "ConnectX-3", "connectx_3", true, hca_window, "pcie"},
      {Role::infiniband, mellanox, 0x1007, "ConnectX-3 Pro", "connectx_3", false, hca_window, "pcie"},
      {Role::infiniband, mellanox, 0x1011, "Connect-IB", "connectx_3", false, hca_window, "pcie"},
      {Role::infiniband, mellanox, 0x1013, "ConnectX-4", "connectx_4", true, hca_window, "pcie"},
      {Role::infiniband, mellanox, 0x1017, "ConnectX-5", "connectx_5", true, hca_window, "pcie"},
      {Role::infiniband, mellanox, 0x1019, "ConnectX-5 Ex", "connectx_5", false, hca_window, "pcie"},
      {Role::infiniband, mellanox, 0x101b, "ConnectX-6", "connectx_6", true, hca_window, "pcie"},
      {Role::infiniband, mellanox, 0x101d, "ConnectX-6 Dx", "connectx_6", false, hca_window, "pcie"},
      {Role::infiniband, mellanox, 0x1021, "ConnectX-7", "connectx_7", true, hca_window, "pcie"},
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
      {"GenuineIntel", 6, 85, 85, "Skylake-SP", true, "skylake_sp_root_complex", "xeon_platinum_8168_core",
       "xeon_sp_memory", "upi_10_4gt_2"},
      {"GenuineIntel", 6, 106, 106, "Ice Lake-SP", true, "ice_lake_sp_root_complex", "xeon_platinum_8358_core",
       "xeon_sp_memory", "upi_11_2gt_3"},
      {"GenuineIntel", 6, 143, 143, "Sapphire Rapids", true, "sapphire_rapids_root_complex", "xeon_platinum_8480c_core",
       "xeon_sp_memory", "upi_16gt_3"},
      {"GenuineIntel", 6, 207, 207, "Emerald Rapids", false, "sapphire_rapids_root_complex", "xeon_platinum_8480c_core",
       "xeon_sp_memory", "upi_16gt_3"},
      {"AuthenticAMD", 23, 49, 49, "EPYC Rome", true, "epyc_rome_root_complex", "epyc_7742_core", "epyc_memory",
       "xgmi_16gt_4"},
      {"AuthenticAMD", 25, 1, 1, "EPYC Milan", true, "epyc_milan_root_complex", "epyc_7763_core", "epyc_memory",
       "xgmi_18gt_4"},
      {"AuthenticAMD", 25, 17, 17, "EPYC Genoa", true, "epyc_genoa_root_complex", "epyc_9654_core", "epyc_memory",
       "xgmi_32gt_3"},
      // The same as NCCL counts their family: 15 and sixteen times the extended one.
      {"AuthenticAMD", 143, 49, 49, "EPYC Rome", true, "epyc_rome_root_complex", "epyc_7742_core", "epyc_memory",
       "xgmi_16gt_4"},
      {"AuthenticAMD", 175, 1, 1, "EPYC Milan", true, "epyc_milan_root_complex", "epyc_7763_core", "epyc_memory",
       "xgmi_18gt_4"},
      {"AuthenticAMD", 175, 17, 17, "EPYC Genoa", true, "epyc_genoa_root_complex", "epyc_9654_core", "epyc_memory",
       "xgmi_32gt_3"},
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
