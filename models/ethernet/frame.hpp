// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/router/header.hpp"
#include "net/device.hpp"

namespace tsunagi::ethernet {

/// Classes of frames on a wire: those of clients, and MAC control, which PAUSE does not stop.
constexpr flow::FlowClass data_frames = 0;
constexpr flow::FlowClass control_frames = 1;

/// What a frame says to switches and cards: a station's address is its place in the network.
struct Header {
  router::Header route;
  std::uint16_t quanta = 0;  // of a PAUSE: for how long (IEEE 802.3 annex 31B)
  bool pause = false;
};

constexpr Bytes frame_header{14};   // destination and source address, type (IEEE 802.3 clause 3)
constexpr Bytes frame_check{4};     // FCS
constexpr Bytes least_payload{46};  // shorter ones are padded
constexpr Bytes preamble{8};        // with the start frame delimiter
constexpr Bytes gap{12};            // between frames (IEEE 802.3 4.4.2)
constexpr Bytes quantum{64};        // of PAUSE, 512 bit times
constexpr std::uint16_t most_quanta = 65535;

/// A frame that carries `payload`, padded, as a device keeps it: from the destination address to the FCS.
constexpr Bytes frame_size(Bytes payload) {
  return frame_header + (payload < least_payload ? least_payload : payload) + frame_check;
}

/// A PAUSE of so many quanta, ready at `now`; 0: go on.
net::Delivery pause_frame(flow::PacketPool& pool, std::uint16_t quanta, Time now);

}  // namespace tsunagi::ethernet
