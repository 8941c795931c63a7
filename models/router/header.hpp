// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "flow/framing.hpp"
#include "topo/network.hpp"

namespace tsunagi::router {

/// Most virtual channels of a link.
constexpr int most_virtual_channels = 16;

/// What a packet says to routers. Terminals are numbered as in the network.
struct Header {
  Header() : more(false), body(false) {}
  std::uint32_t source = 0;
  std::uint32_t destination = 0;
  /// Spreads pairs over virtual channels; equal for all packets of a pair, which therefore keep their order, but where
  /// routes are adaptive each packet's own.
  std::uint32_t mix = 0;
  /// Virtual channel on the wire that the packet is on or waits for: the router rewrites it.
  flow::FlowClass vc = 0;
  /// Another piece of the same worm follows (wormhole switching: pieces smaller than a packet), or another one went
  /// before, so that this one carries no header of its own.
  bool more : 1;
  bool body : 1;
  /// Terminals that get a copy, from `destination` on, the first behind the last; all at one router. 1: no multicast.
  std::uint16_t copies = 1;
};
static_assert(sizeof(Header) == 16);

/// The same where routes are adaptive.
struct AdaptiveHeader {
  Header plain;
  std::uint32_t via = 0;  // topo::Trip::via
};

/// What terminals write for routers that let the oldest packet go first (Turns), whether routes are adaptive or not.
struct AgedHeader {
  AdaptiveHeader adaptive;
  /// Cycle of the terminal's clock in which the message was posted, modulo 2^32.
  std::uint32_t born = 0;
};

/// Whether another piece follows that must come behind this one on the same virtual channel, nothing in between.
inline bool more_follows(const flow::Packet& p) { return p.header<Header>().more; }

/// Virtual channel of a pair on wires where every one may be used.
constexpr flow::FlowClass any_vc(std::uint32_t mix, int virtual_channels) {
  return static_cast<flow::FlowClass>((mix >> 8) % static_cast<unsigned>(virtual_channels));
}

/// The header with which a terminal sends.
inline Header header_of(int source, int destination, int virtual_channels) {
  Header h;
  h.source = static_cast<std::uint32_t>(source);
  h.destination = static_cast<std::uint32_t>(destination);
  h.mix = topo::mix_of(h.source, h.destination);
  h.vc = any_vc(h.mix, virtual_channels);
  return h;
}

/// The same for packet `number` of its sender where routes are adaptive: drawn for each.
inline Header header_of(int source, int destination, int virtual_channels, std::uint64_t number) {
  Header h = header_of(source, destination, virtual_channels);
  h.mix = topo::mix_of(topo::mix_of(h.source, static_cast<std::uint32_t>(number)),
                       static_cast<std::uint32_t>(number >> 32));
  h.vc = any_vc(h.mix, virtual_channels);
  return h;
}

}  // namespace tsunagi::router
