// SPDX-License-Identifier: Apache-2.0
// Cells that need not be measured twice: the same parts, wired alike, in other slots of the server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "box/places.hpp"

namespace tsunagi::box {

/// Pairs of places that something moves between, at the same time.
using Pairs = std::vector<std::pair<const Place*, const Place*>>;

/// What of a server such pairs use.
enum class Reach {
  all,     ///< cards, their ways to root complexes, and the process that asks for it
  nvlink,  ///< GPUs and the links that join them: of rates over NVLink, once all copies are asked for
};

/// Which pairs are alike. Two lists of pairs are if one becomes the other when devices and wires are given other names:
/// equal parts but for their addresses and names, equal wires, and where one has two pairs share a device or a wire the
/// other does. What else the server has is idle, so both measure the same. (No result of this model hangs on an
/// address: a TLP's header has one length.)
class Alike {
 public:
  /// Both have to outlive this.
  Alike(const topo::Graph& graph, const Server& server) : graph_(graph), server_(server) {}

  /// Equal for lists that are alike. The process is at the memory of a pair, or at the first place.
  std::string key(const Pairs& pairs, Reach reach);
  /// A text of one of two lists that are alike, with the other one's names of devices and ports.
  std::string renamed(const std::string& text, const Pairs& of, const Pairs& to, Reach reach) const;

 private:
  /// What a list of pairs touches, in an order that hangs on nothing but how it is wired.
  struct Touched {
    std::vector<std::uint32_t> nodes;
    std::vector<std::size_t> links;
  };
  Touched touched(const Pairs& pairs, Reach reach) const;
  const std::string& part(std::uint32_t node);
  const std::string& wire(std::size_t link);

  const topo::Graph& graph_;
  const Server& server_;
  std::map<std::uint32_t, std::string> parts_;  // by node, made when somebody asks
  std::map<std::size_t, std::string> wires_;    // by link
};

}  // namespace tsunagi::box
