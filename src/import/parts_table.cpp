// SPDX-License-Identifier: Apache-2.0
// Numbers and names of vendors and devices: the PCI ID Repository (pci.ids, August 2026). Families and models: CPUID,
// as Linux and NCCL tell them.
#include "import/parts_table.hpp"

#include <algorithm>
#include <cctype>

namespace tsunagi::importing {

namespace {

constexpr int any = PartRow::any;
constexpr int nvidia = 0x10de, mellanox = 0x15b3, plx = 0x10b5, broadcom = 0x1000;

// Windows: bar_size and register_size of a GPU's part, pages of an adapter's. Building a machine checks them.
constexpr std::int64_t k20_window = 272 * 1024, p100_window = 16400 * 1024, gib32_window = 32784 * 1024,
                       gib64_window = 65552 * 1024, gib128_window = 131088 * 1024, gib256_window = 262160 * 1024,
                       hca_window = 64, page = 4;

// GPUs since Pascal copy line by line of their second-level cache: max_read_request of their parts' copy engines.
constexpr int gpu_line = 128;

/// Of AMD's, which is 15 and an extended one, NCCL counts 15 and sixteen times that: 23 is its 143.
int cpuid_family(const Socket& socket) {
  constexpr int base = 15, latest = 31;
  if (socket.vendor != "AuthenticAMD" || socket.family <= latest) return socket.family;
  return base + (socket.family - base) / 16;
}

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

/// Whether a model's name has that of a row, as words of its own: an "A1000" is no A100, nor an A10.
bool has_words(std::string_view model, std::string_view name) {
  for (std::size_t at = model.find(name); at != std::string_view::npos; at = model.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !in_word(model[at - 1])) && (end == model.size() || !in_word(model[end]))) return true;
  }
  return false;
}

}  // namespace

const std::vector<PartRow>& part_rows() {
  // Rows of whatever device stand for those that no other row names, by the generation of their links.
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
      {Role::gpu, nvidia, 0x20b3, "A100-SXM-64GB", "a100_80gb", false, gib128_window, "pcie", gpu_line},
      {Role::gpu, nvidia, 0x20b5, "A100 PCIe 80GB", "a100_80gb", true, gib128_window, "pcie", gpu_line},
      {Role::gpu, nvidia, 0x20b7, "A30", "a30", true, gib32_window, "pcie", gpu_line},
      {Role::gpu, nvidia, 0x20bd, "A800 SXM4 40GB", "a100", false, gib64_window, "pcie", gpu_line},
      {Role::gpu, nvidia, 0x20f1, "A100 PCIe", "a100", false, gib64_window, "pcie", gpu_line},
      {Role::gpu, nvidia, 0x20f3, "A800-SXM4-80GB", "a100_80gb", false, gib128_window, "pcie", gpu_line},
      {Role::gpu, nvidia, 0x20f5, "A800 80GB PCIe", "a100_80gb", false, gib128_window, "pcie", gpu_line},
      {Role::gpu, nvidia, 0x2203, "RTX 3090 Ti", "rtx_3090", false, gib32_window, "pcie", gpu_line},
      {Role::gpu, nvidia, 0x2204, "RTX 3090", "rtx_3090", true, gib32_window, "pcie", gpu_line},
      {Role::gpu, nvidia, 0x2230, "RTX A6000", "rtx_a6000", true, gib64_window, "pcie", gpu_line},
      {Role::gpu, nvidia, 0x2235, "A40", "a40", true, gib64_window, "pcie", gpu_line},
      {Role::gpu, nvidia, 0x2236, "A10", "a10", true, gib32_window, "pcie", gpu_line},
      {Role::gpu, nvidia, 0x2237, "A10G", "a10", false, gib32_window, "pcie", gpu_line},
      {Role::gpu, nvidia, 0x2321, "H100L 94GB", "h100", false, gib128_window, "pcie", gpu_line},
      {Role::gpu, nvidia, 0x2324, "H800", "h100", false, gib128_window, "pcie", gpu_line},
      {Role::gpu, nvidia, 0x2329, "H20", "h100", false, gib128_window, "pcie", gpu_line},
      {Role::gpu, nvidia, 0x2330, "H100 SXM5", "h100", true, gib128_window, "pcie", gpu_line},
      {Role::gpu, nvidia, 0x2331, "H100 PCIe", "h100", false, gib128_window, "pcie", gpu_line},
      {Role::gpu, nvidia, 0x2335, "H200 SXM", "h200", true, gib256_window, "pcie", gpu_line},
      {Role::gpu, nvidia, 0x233b, "H200 NVL", "h200", false, gib256_window, "pcie", gpu_line},
      {Role::gpu, nvidia, 0x2684, "RTX 4090", "rtx_4090", true, gib32_window, "pcie", gpu_line},
      {Role::gpu, nvidia, 0x2685, "RTX 4090 D", "rtx_4090", false, gib32_window, "pcie", gpu_line},
      {Role::gpu, nvidia, 0x26b1, "RTX 6000 Ada Generation", "rtx_6000_ada", true, gib64_window, "pcie", gpu_line},
      {Role::gpu, nvidia, 0x26b5, "L40", "l40s", false, gib64_window, "pcie", gpu_line},
      {Role::gpu, nvidia, 0x26b9, "L40S", "l40s", true, gib64_window, "pcie", gpu_line},
      {Role::gpu, nvidia, 0x27b8, "L4", "l4", true, gib32_window, "pcie", gpu_line},
      {Role::gpu, nvidia, 0x2901, "B200", "b200", true, gib256_window, "pcie", gpu_line},
      {Role::gpu, nvidia, 0x2b85, "RTX 5090", "rtx_5090", true, gib32_window, "pcie", gpu_line},
      {Role::gpu, nvidia, 0x2bb1, "RTX PRO 6000 Blackwell", "rtx_pro_6000", true, gib128_window, "pcie", gpu_line},
      {Role::gpu, nvidia, 0x2bb5, "RTX PRO 6000 Blackwell Server", "rtx_pro_6000", true, gib128_window, "pcie",
       gpu_line},
      {Role::gpu, any, any, "GPU", "p100", false, p100_window, "pcie", gpu_line},
      {Role::gpu, any, any, "GPU", "a100", false, gib64_window, "pcie", gpu_line, 4},
      {Role::gpu, any, any, "GPU", "h100", false, gib128_window, "pcie", gpu_line, 5},
      {Role::infiniband, mellanox, 0x6732, "ConnectX DDR", "connectx_2", false, hca_window, "pcie"},
      {Role::infiniband, mellanox, 0x673c, "ConnectX-2", "connectx_2", true, hca_window, "pcie"},
      {Role::infiniband, mellanox, 0x1003, "ConnectX-3", "connectx_3", true, hca_window, "pcie"},
      {Role::infiniband, mellanox, 0x1007, "ConnectX-3 Pro", "connectx_3", false, hca_window, "pcie"},
      {Role::infiniband, mellanox, 0x1011, "Connect-IB", "connectx_3", false, hca_window, "pcie"},
      {Role::infiniband, mellanox, 0x1013, "ConnectX-4", "connectx_4", true, hca_window, "pcie"},
      {Role::infiniband, mellanox, 0x1014, "ConnectX-4 Virtual Function", "connectx_4", true, hca_window, "pcie"},
      {Role::infiniband, mellanox, 0x1015, "ConnectX-4 Lx", "connectx_4", false, hca_window, "pcie"},
      {Role::infiniband, mellanox, 0x1017, "ConnectX-5", "connectx_5", true, hca_window, "pcie"},
      {Role::infiniband, mellanox, 0x1018, "ConnectX-5 Virtual Function", "connectx_5", true, hca_window, "pcie"},
      {Role::infiniband, mellanox, 0x1019, "ConnectX-5 Ex", "connectx_5", false, hca_window, "pcie"},
      {Role::infiniband, mellanox, 0x101b, "ConnectX-6", "connectx_6", true, hca_window, "pcie"},
      {Role::infiniband, mellanox, 0x101c, "ConnectX-6 Virtual Function", "connectx_6", true, hca_window, "pcie"},
      {Role::infiniband, mellanox, 0x101d, "ConnectX-6 Dx", "connectx_6", false, hca_window, "pcie"},
      {Role::infiniband, mellanox, 0x101f, "ConnectX-6 Lx", "connectx_6", false, hca_window, "pcie"},
      {Role::infiniband, mellanox, 0x1021, "ConnectX-7", "connectx_7", true, hca_window, "pcie"},
      {Role::infiniband, mellanox, 0x1023, "ConnectX-8", "connectx_7", false, hca_window, "pcie"},
      {Role::infiniband, mellanox, 0xa2d6, "BlueField-2", "connectx_6", false, hca_window, "pcie"},
      {Role::infiniband, mellanox, 0xa2dc, "BlueField-3", "connectx_7", false, hca_window, "pcie"},
      {Role::infiniband, any, any, "InfiniBand adapter", "connectx_3", false, hca_window, "pcie"},
      {Role::infiniband, any, any, "InfiniBand adapter", "connectx_6", false, hca_window, "pcie", 0, 4},
      {Role::infiniband, any, any, "InfiniBand adapter", "connectx_7", false, hca_window, "pcie", 0, 5},
      {Role::nic, any, any, "network card", "nfp_6000_like", false, page, "link"},
      {Role::nvme, any, any, "NVMe drive", "nvme_like", true, page, "link"},
      {Role::bridge, plx, 0x8647, "PEX 8647", "pex_8647", true, 0, "up"},
      {Role::bridge, plx, 0x8747, "PEX 8747", "pex_8747", true, 0, "up"},
      {Role::bridge, plx, 0x8748, "PEX 8748", "pex_8747", true, 0, "up"},
      {Role::bridge, broadcom, 0xc010, "PEX880xx", "pex_88096", true, 0, "up"},
      {Role::bridge, broadcom, 0xc012, "PEX880xx", "pex_88096", true, 0, "up"},
      {Role::bridge, broadcom, 0xc030, "PEX890xx", "pex_89104", true, 0, "up"},
      {Role::bridge, broadcom, 0xc034, "PEX890xx", "pex_89104", true, 0, "up"},
      {Role::bridge, any, any, "PCIe switch", "pex_8747", false, 0, "up"},
      {Role::bridge, any, any, "PCIe switch", "pex_88096", false, 0, "up", 0, 4},
      {Role::bridge, any, any, "PCIe switch", "pex_89104", false, 0, "up", 0, 5},
  };
  return all;
}

const std::vector<CpuRow>& cpu_rows() {
  static const std::vector<CpuRow> all{
      {"GenuineIntel", 6, 45, 45, "Sandy Bridge-EP", true, "sandy_bridge_ep_root_complex", "xeon_e5_2670_core",
       "sandy_bridge_ep_memory", "qpi_8gt", "on_chip_bus"},
      {"GenuineIntel", 6, 62, 62, "Ivy Bridge-EP", true, "ivy_bridge_ep_root_complex", "xeon_e5_2680_v2_core",
       "sandy_bridge_ep_memory", "qpi_8gt", "on_chip_bus"},
      {"GenuineIntel", 6, 63, 63, "Haswell-EP", true, "haswell_ep_root_complex", "xeon_e5_2660_v4_core",
       "broadwell_ep_memory", "qpi_9_6gt", "on_chip_bus"},
      {"GenuineIntel", 6, 79, 79, "Broadwell-EP", true, "broadwell_ep_root_complex", "xeon_e5_2660_v4_core",
       "broadwell_ep_memory", "qpi_9_6gt", "on_chip_bus"},
      {"GenuineIntel", 6, 85, 85, "Skylake-SP", true, "skylake_sp_root_complex", "xeon_platinum_8168_core",
       "xeon_sp_memory", "upi_10_4gt_2", "mesh_bus"},
      {"GenuineIntel", 6, 106, 106, "Ice Lake-SP", true, "ice_lake_sp_root_complex", "xeon_platinum_8358_core",
       "xeon_sp_memory", "upi_11_2gt_3", "mesh_bus"},
      {"GenuineIntel", 6, 143, 143, "Sapphire Rapids", true, "sapphire_rapids_root_complex", "xeon_platinum_8480c_core",
       "xeon_sp_memory", "upi_16gt_3", "mesh_bus"},
      {"GenuineIntel", 6, 207, 207, "Emerald Rapids", false, "sapphire_rapids_root_complex", "xeon_platinum_8480c_core",
       "xeon_sp_memory", "upi_16gt_3", "mesh_bus"},
      {"AuthenticAMD", 23, 49, 49, "EPYC Rome", true, "epyc_rome_root_complex", "epyc_7742_core", "epyc_memory",
       "xgmi_16gt_4", "mesh_bus"},
      {"AuthenticAMD", 25, 1, 1, "EPYC Milan", true, "epyc_milan_root_complex", "epyc_7763_core", "epyc_memory",
       "xgmi_18gt_4", "mesh_bus"},
      {"AuthenticAMD", 25, 17, 17, "EPYC Genoa", true, "epyc_genoa_root_complex", "epyc_9654_core", "epyc_memory",
       "xgmi_32gt_3", "mesh_bus"},
      // Others of a vendor: the nearest that has a part.
      {"AuthenticAMD", 23, 0, any, "EPYC Rome", false, "epyc_rome_root_complex", "epyc_7742_core", "epyc_memory",
       "xgmi_16gt_4", "mesh_bus"},
      {"AuthenticAMD", any, 0, any, "EPYC Genoa", false, "epyc_genoa_root_complex", "epyc_9654_core", "epyc_memory",
       "xgmi_32gt_3", "mesh_bus"},
      {"GenuineIntel", 6, 144, any, "Sapphire Rapids", false, "sapphire_rapids_root_complex",
       "xeon_platinum_8480c_core", "xeon_sp_memory", "upi_16gt_3", "mesh_bus"},
      {"", any, any, any, "Broadwell-EP", false, "broadwell_ep_root_complex", "xeon_e5_2660_v4_core",
       "broadwell_ep_memory", "qpi_9_6gt", "on_chip_bus"},
  };
  return all;
}

const PartRow& part_of(const Card& card) {
  const PartRow* best = nullptr;
  for (const PartRow& row : part_rows()) {
    if (row.role != card.role) continue;
    if (row.device == PartRow::any) {
      const int generation = std::max(card.link.generation, card.link.could_be);
      if (best == nullptr || (best->device == PartRow::any && row.from_generation <= generation)) best = &row;
    } else if (card.device >= 0) {
      if (row.vendor == card.vendor && row.device == card.device) return row;
    } else if (has_words(card.model, row.name) &&
               (best == nullptr || best->device == PartRow::any || row.name.size() > best->name.size())) {
      best = &row;
    }
  }
  return *best;
}

const CpuRow& part_of(const Socket& socket) {
  const int family = cpuid_family(socket);
  return *std::find_if(cpu_rows().begin(), cpu_rows().end(), [&](const CpuRow& row) {
    return row.vendor.empty() ||
           (row.vendor == socket.vendor && (row.family == any || row.family == family) &&
            row.first_model <= socket.model && (row.last_model == any || socket.model <= row.last_model));
  });
}

const std::vector<CpuFunction>& cpu_functions() {
  constexpr int intel = 0x8086, amd = 0x1022;
  static const std::vector<CpuFunction> all{
      {intel, 0x3c00, 0x3cff, "Xeon E5/Core i7", "GenuineIntel", 6, 45},
      {intel, 0x0e00, 0x0eff, "Xeon E7 v2/Xeon E5 v2", "GenuineIntel", 6, 62},
      {intel, 0x2f00, 0x2fff, "Xeon E7 v3/Xeon E5 v3", "GenuineIntel", 6, 63},
      {intel, 0x6f00, 0x6fff, "Xeon E7 v4/Xeon E5 v4", "GenuineIntel", 6, 79},
      {intel, 0x2014, 0x208e, "Sky Lake-E", "GenuineIntel", 6, 85},
      {intel, 0x347a, 0x347d, "Ice Lake PCI Express Root Port", "GenuineIntel", 6, 106},
      {intel, 0x352a, 0x352d, "PCI Express Gen5 Port", "GenuineIntel", 6, 143},
      {intel, 0x0db0, 0x0dbf, "Xeon 6900 6700 6500 Series", "GenuineIntel", 6, 173},
      {amd, 0x1490, 0x1497, "Starship Device 24", "AuthenticAMD", 23, 49},
      {amd, 0x164f, 0x1657, "Milan", "AuthenticAMD", 25, 1},
      {amd, 0x149e, 0x14b4, "Genoa", "AuthenticAMD", 25, 17},
      {amd, 0x12c0, 0x12c7, "Turin", "AuthenticAMD", 26, 2},
      {amd, 0x153a, 0x1559, "Turin", "AuthenticAMD", 26, 2},
      // Of Rome and, where a file has nothing else of it, of Milan.
      {amd, 0x1480, 0x149b, "Starship/Matisse", "AuthenticAMD", 23, 49},
      {amd, 0x1450, 0x1467, "Family 17h (Models 00h-0fh)", "AuthenticAMD", 23, 1},
  };
  return all;
}

}  // namespace tsunagi::importing
