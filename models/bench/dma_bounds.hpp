// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "comm/facets/dma.hpp"
#include "models/bench/engine_config.hpp"
#include "net/specs.hpp"

namespace tsunagi::bench {

/// What a DMA operation meets on its way, as far as that bounds it in a closed form: the card's link with headers, the
/// largest packets of each kind (Neugebauer et al., "Understanding PCIe performance for end host networking", SIGCOMM
/// 2018, section 3), and what the card adds.
struct DmaWay {
  const net::WireSpec* link = nullptr;
  std::uint64_t address = 0;  // the lowest, which has the shortest header
  Bytes max_read_request;
  Bytes completion_size;  // as the memory's side builds them
  Time port_latency;      // of the card
};

/// The fewest bytes of an operation of `size` on the link: as many TLPs as it must have, none of them cut by an
/// alignment. One of more at an unlucky address.
comm::DmaLoad load(const DmaWay& w, comm::DmaOperation::Kind kind, Bytes size);

/// No such operation alone takes less: cycles of its start and end, its bytes and their flights; nothing of the host.
Time least(const DmaWay& w, const EngineConfig& engine, EngineMethod by, comm::DmaOperation::Kind kind, Bytes size);

}  // namespace tsunagi::bench
