// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/router/header.hpp"

namespace tsunagi::sr8000 {

/// What a packet of the inter-node network is for (paper 002, 4.1 to 4.3).
enum class Purpose : std::uint8_t {
  remote_dma,  // data for a remote DMA field of one node
  broadcast,   // the same for all nodes of a box, at the same offset: on its way to the serialising crossbar
  spreading,   // behind it: what the crossbars copy
  barrier,     // a node, or all nodes of a line, have come to a barrier; its colour is in `field`
  released,    // all have
};

/// Header of a packet: a node's number is its place in the network. Data go to `address` (the packet's) within remote
/// DMA field `field` of the receiver. Of broadcasts and barriers route.destination and `last` are opposite corners of
/// the box of nodes that take part, the lowest and the highest number in it.
struct Header {
  router::Header route;
  std::uint32_t last = 0;
  std::uint16_t field = 0;
  Purpose purpose = Purpose::remote_dma;
};
static_assert(sizeof(Header) == 24);

/// Virtual channels of the network: broadcasts that spread have one of their own, because they take the crossbars'
/// dimensions in another order than everything else, and waits could close a circle.
enum VirtualChannel : flow::FlowClass { ordinary_channel, spreading_channel, virtual_channels };

/// Barriers have so many colours (4.3).
constexpr int colours = 8;

}  // namespace tsunagi::sr8000
