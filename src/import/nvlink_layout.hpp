// SPDX-License-Identifier: Apache-2.0
// NVLink of a server that is imported: which port of which GPU is wired to what.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "import/findings.hpp"
#include "import/layout.hpp"

namespace tsunagi::importing {

/// Parts of GPUs with NVLink, a line a generation of GPU: a new one is a line in nvlink_layout.cpp.
struct NvlinkRow {
  std::string_view gpu;   ///< the part that PartRow names for the same GPU
  std::string_view part;  ///< with NVLink
  int links;              ///< that it has
  std::string_view wire;
  std::string_view switched;  ///< part of switches of its time
  int switch_ports;           ///< that this has
  int switches;               ///< as many as servers of eight such GPUs have
  std::string_view model;     ///< as `Card::model`, for files that say only how many links there are
};
const std::vector<NvlinkRow>& nvlink_rows();

struct NvlinkDevice {
  std::string name;
  std::string_view part;
  int ports = 0;  ///< that it needs; 0: those of the part
  std::string said;
};
struct NvlinkWire {
  std::string a, b;
  std::string_view part;
  std::string said;  ///< of the first of a bundle; else empty
};
struct NvlinkLayout {
  std::vector<NvlinkDevice> switches;
  std::vector<NvlinkWire> wires;
  std::map<std::string, std::string_view> parts;  ///< of GPUs with NVLink, by their names
  std::map<std::string, int> ports;               ///< that such a GPU needs beyond those of its part
};

/// From what the cards say of it. Links that only one end tells of are taken, those that lead to nothing in the file
/// are left out: both with a warning.
NvlinkLayout nvlink_layout(const std::vector<PlacedSocket>& sockets, Findings& findings);

}  // namespace tsunagi::importing
