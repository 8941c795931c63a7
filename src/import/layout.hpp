// SPDX-License-Identifier: Apache-2.0
// Names and addresses of what is in a server.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "import/findings.hpp"
#include "import/parts_table.hpp"
#include "import/server.hpp"

namespace tsunagi::importing {

/// A card with its name in the machine and its addresses, in KiB.
struct PlacedCard {
  const Card* card = nullptr;
  const PartRow* part = nullptr;
  std::string name;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  int max_payload = 0;  ///< bytes, one for all that is below one slot
  std::vector<PlacedCard> below;
};

struct PlacedSocket {
  const Socket* socket = nullptr;
  const CpuRow* part = nullptr;
  std::string suffix;  ///< of "rc", "memory"; empty for the first
  std::int64_t memory_begin = 0;
  std::int64_t begin = 0;  ///< of all its cards
  std::int64_t end = 0;
  std::vector<PlacedCard> cards;
};

constexpr std::int64_t memory_kib = std::int64_t{64} << 20;  ///< assumed of each socket

/// Memories first, from address 0 on; then cards, socket by socket, so that what is below a switch, and what is at a
/// socket, is one range. GPUs are called gpu0, gpu1, ... by their own numbers if each has one and they are 0 to n - 1,
/// else in the order of the file; adapters hca, hca1, ...; switches switch0, ...
/// What a machine cannot hold goes to `findings`: then the result is not to be used.
std::vector<PlacedSocket> layout_of(const Server& server, Findings& findings);

}  // namespace tsunagi::importing
