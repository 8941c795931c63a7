// SPDX-License-Identifier: Apache-2.0
#include "draw/colours.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace tsunagi::draw {
namespace {

struct Known {
  const char* kind;
  const char* tint;
  const char* border;
};

/// In the order of legends; what stands in one machine beside each other has hues or tints far apart.
constexpr std::array<Known, 18> known_devices{{{"node", "#f6f6f6", "#777777"},
                                               {"core", "#cfe5f7", "#0072b2"},
                                               {"memory", "#d3efe6", "#00805d"},
                                               {"root_complex", "#fdebc8", "#b87900"},
                                               {"storage_controller", "#fbe3a6", "#8f6a00"},
                                               {"pcie_switch", "#f8f5c9", "#8a8000"},
                                               {"gpu", "#f4e1ec", "#a3517f"},
                                               {"fpga", "#e6d3ec", "#7a3f8f"},
                                               {"exerciser", "#eadcca", "#8c5a2b"},
                                               {"tlm_card", "#ded0c4", "#6b4a32"},
                                               {"peach2", "#fbd3b8", "#c25500"},
                                               {"hca", "#fbdcdc", "#b3273a"},
                                               {"nia", "#ffe0d2", "#cc4422"},
                                               {"infiniband_switch", "#cdd9ec", "#2f5597"},
                                               {"router", "#d6e4ee", "#35708f"},
                                               {"input_queued_router", "#c0d4e2", "#23506b"},
                                               {"sr8000_crossbar", "#cfdcee", "#34619c"},
                                               {"terminal", "#ececec", "#555555"}}};

constexpr std::array<Known, 7> known_wires{{{"pcie", "", "#0072b2"},
                                            {"on_chip", "", "#444444"},
                                            {"link", "", "#00805d"},
                                            {"infiniband", "", "#c25500"},
                                            {"ethernet", "", "#00805d"},
                                            {"myrinet", "", "#8a3f9f"},
                                            {"pcix", "", "#8c5a2b"}}};

constexpr std::array<const char*, 5> dashes{"", "8 4", "2.5 3.5", "10 4 2.5 4", "16 5"};

template <std::size_t n>
const Known* find(const std::array<Known, n>& all, const std::string& kind) {
  const auto it = std::find_if(all.begin(), all.end(), [&](const Known& k) { return kind == k.kind; });
  return it == all.end() ? nullptr : &*it;
}

/// A number that depends on the letters alone (FNV-1a).
std::size_t number_of(const std::string& text) {
  std::uint32_t out = 2166136261u;
  for (const char c : text) out = (out ^ static_cast<unsigned char>(c)) * 16777619u;
  return out;
}

/// From pale yellow over orange to dark red: darker all the way, so that it says the same in grey.
constexpr std::array<std::array<int, 3>, 6> heats{{{0xde, 0xde, 0xde},
                                                   {0xfe, 0xd9, 0x76},
                                                   {0xfd, 0xa2, 0x3f},
                                                   {0xf0, 0x5a, 0x24},
                                                   {0xb8, 0x0f, 0x1f},
                                                   {0x5c, 0, 0x1a}}};

}  // namespace

Fill fill_of(const std::string& kind) {
  const Known* known = find(known_devices, kind);
  if (known == nullptr) known = &known_devices[1 + number_of(kind) % (known_devices.size() - 2)];
  return {known->tint, known->border};
}

int rank_of(const std::string& kind) {
  const Known* known = find(known_devices, kind);
  return static_cast<int>(known == nullptr ? known_devices.size()
                                           : static_cast<std::size_t>(known - known_devices.data()));
}

Pen pen_of(const std::string& kind, std::size_t variant) {
  const Known* known = find(known_wires, kind);
  if (known == nullptr) known = &known_wires[number_of(kind) % known_wires.size()];
  return {known->border, 2.2, dashes[variant % dashes.size()]};
}

Pen heat(double part) {
  const double at = std::clamp(part, 0.0, 1.0) * (heats.size() - 1);
  const auto from = std::min(static_cast<std::size_t>(at), heats.size() - 2);
  const auto mixed = [&](std::size_t c) {
    return static_cast<int>(
        std::lround(heats[from][c] + (heats[from + 1][c] - heats[from][c]) * (at - static_cast<double>(from))));
  };
  return {fmt::format("#{:02x}{:02x}{:02x}", mixed(0), mixed(1), mixed(2)), 1.6 + 4.4 * std::clamp(part, 0.0, 1.0), {}};
}

}  // namespace tsunagi::draw
