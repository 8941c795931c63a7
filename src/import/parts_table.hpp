// SPDX-License-Identifier: Apache-2.0
// Which part of the configs stands for which device. A new GPU, adapter, switch or processor is a line in
// parts_table.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "import/server.hpp"

namespace tsunagi::importing {

/// A device and its part.
struct PartRow {
  Role role;
  int vendor;  ///< of the PCI device; any: of whatever vendor
  int device;  ///< any: of whatever device
  std::string_view name;
  std::string_view part;    ///< a file of configs/parts, without ".json"
  bool is_it;               ///< the part is that device; else it is the nearest one
  std::int64_t window_kib;  ///< addresses that the part answers to; 0: those of what is below it
  std::string_view port;    ///< of the part, towards the root complex
  /// Bytes that its copy engines ask for at a time, where that is less than the device's register may allow; 0: what it
  /// allows.
  int reads = 0;
  /// Of rows of whatever device: they stand for those whose links are of this generation or a later one.
  int from_generation = 0;

  static constexpr int any = -1;
};

/// A processor and the parts of its socket.
struct CpuRow {
  std::string_view vendor;  ///< as CPUID says it; empty: of whatever vendor
  int family;               ///< any: of whatever family
  int first_model;
  int last_model;  ///< any: of whatever later model
  std::string_view name;
  bool is_it;
  std::string_view root_complex;
  std::string_view core;
  std::string_view memory;
  std::string_view socket_link;  ///< wire between two sockets
  std::string_view bus;          ///< wire between core, memory or I/O and what joins them on the die
};

/// Functions on the bus that are a processor's own, by their numbers or, where a file has none, by words of their
/// names.
struct CpuFunction {
  int vendor;
  int first_device;
  int last_device;
  std::string_view words;
  std::string_view cpu_vendor;  ///< of the processor, as in CpuRow
  int family;
  int model;
};

const std::vector<PartRow>& part_rows();
const std::vector<CpuRow>& cpu_rows();
/// Surest first: who finds several takes the first.
const std::vector<CpuFunction>& cpu_functions();

/// The row of a device: by its numbers, else by the longest name in its model, else that of its role and generation.
const PartRow& part_of(const Card& card);
const CpuRow& part_of(const Socket& socket);

}  // namespace tsunagi::importing
