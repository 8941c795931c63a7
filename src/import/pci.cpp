// SPDX-License-Identifier: Apache-2.0
#include "import/pci.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "import/findings.hpp"

namespace tsunagi::importing {

std::optional<Role> role_of(int class_code, int vendor) {
  // PCI Code and ID Assignment Specification 1.11, 1.3 to 1.13: base class, subclass, programming interface.
  constexpr int nvidia_id = 0x10de, mellanox_id = 0x15b3, amd = 0x1002, amd_gpu_classes[] = {0x0302, 0x0380, 0x1200};
  const int of = class_code >> 8;
  if (of == 0x0604) return Role::bridge;
  if (of == 0x0207) return Role::infiniband;
  if (of == 0x0200 || of == 0x0280) return vendor == mellanox_id ? Role::infiniband : Role::nic;
  if (of == 0x0108) return Role::nvme;
  if ((of == 0x0300 || of == 0x0302) && vendor == nvidia_id) return Role::gpu;
  if (vendor == amd && std::count(std::begin(amd_gpu_classes), std::end(amd_gpu_classes), of) != 0) return Role::gpu;
  return std::nullopt;
}

int generation_of(double gt_per_second) {
  int out = 0, generation = 0;
  for (const double rate : {2.5, 5.0, 8.0, 16.0, 32.0, 64.0}) {
    ++generation;
    if (rate <= gt_per_second) out = generation;
  }
  return out;
}

int lanes_of(long lanes) {
  for (const int width : {16, 8, 4, 2, 1})
    if (width <= lanes) return width;
  return 0;
}

bool read_pci_address(std::string_view text, std::string& out) {
  long domain = 0, bus = 0, slot = 0, function = 0;
  const std::size_t point = text.rfind('.');
  if (point == std::string_view::npos) return false;
  const std::size_t before_slot = text.rfind(':', point);
  if (before_slot == std::string_view::npos || before_slot == 0) return false;
  const std::size_t before_bus = text.rfind(':', before_slot - 1);
  const std::size_t bus_begin = before_bus == std::string_view::npos ? 0 : before_bus + 1;
  if (bus_begin != 0 && !parse_number(text.substr(0, before_bus), 16, 0, 0xffffffffL, domain)) return false;
  if (!parse_number(text.substr(bus_begin, before_slot - bus_begin), 16, 0, 0xff, bus) ||
      !parse_number(text.substr(before_slot + 1, point - before_slot - 1), 16, 0, 0x1f, slot) ||
      !parse_number(text.substr(point + 1), 16, 0, 7, function))
    return false;
  out = fmt::format("{:04x}:{:02x}:{:02x}.{:x}", domain, bus, slot, function);
  return true;
}

}  // namespace tsunagi::importing
