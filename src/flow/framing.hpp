// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "flow/credits.hpp"
#include "flow/packet.hpp"
#include "units/bytes.hpp"

namespace tsunagi::flow {

/// Index of an independently flow-controlled class of packets on a wire
/// (PCIe: posted, non-posted, completion; a router: its virtual channels).
using FlowClass = std::uint8_t;

/// What one packet weighs on a wire, by what the bytes are for.
struct WireSize {
  Bytes payload;
  Bytes header;
  Bytes framing;
  Bytes total() const { return payload + header + framing; }
};

/// A protocol's rules of size, class and order on a wire. Pure: no state, no time.
class Framing {
 public:
  virtual ~Framing() = default;
  /// Size of a packet like `p` that carries `payload` data bytes.
  virtual WireSize size(const Packet& p, Bytes payload) const = 0;
  virtual FlowClass flow_class(const Packet& p) const = 0;
  /// Buffer space that such a packet takes at the receiver.
  virtual Credits cost(const Packet& p, Bytes payload) const = 0;
  virtual int classes() const = 0;
  virtual std::string_view class_name(FlowClass c) const = 0;
  /// Most data that a packet of a class carries on a wire whose packets carry at most `max_payload`.
  virtual Bytes most_payload(FlowClass /*c*/, Bytes max_payload) const { return max_payload; }
  /// May a packet of class `later` overtake an earlier one of class `earlier` of the same source?
  virtual bool may_pass(FlowClass later, FlowClass earlier) const = 0;
  /// No packet takes fewer bytes of the wire.
  virtual Bytes smallest() const = 0;
  /// Whether packets may be pieces of a longer one (a worm's flits) that must follow each other on their class: once
  /// the first has been granted no other source is served there before the last.
  virtual bool in_worms() const { return false; }
  /// Whether packet `i` of a train is such a piece, and not the last one.
  virtual bool more_follow(const Packet& /*p*/, std::int32_t /*i*/) const { return false; }
  /// Whether packet `p` tells its receiver to send no packets of class 0 for so long as so many bytes take the wire (a
  /// PAUSE); 0: no longer.
  virtual std::optional<Bytes> pause(const Packet& /*p*/) const { return std::nullopt; }
  /// When a packet set out, for arbiters that let go first who did first: a number in any unit, which begins again at 0
  /// behind the largest. Packets that meet are less than half of the numbers apart.
  virtual std::uint32_t born(const Packet& /*p*/) const { return 0; }
  /// How many of the first packets of a train (1 .. p.count) have headers of one size.
  virtual std::int32_t alike(const Packet& p) const { return p.count; }
};

}  // namespace tsunagi::flow
