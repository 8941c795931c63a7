// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "flow/packet.hpp"
#include "net/specs.hpp"

namespace tsunagi::net {

/// Closed forms that no stream of packets like `p`, each with `payload` data bytes, can beat.

/// Payload over the bytes that carry it, at the wire's rate.
Rate payload_ceiling(const WireSpec& wire, const flow::Packet& p, Bytes payload);
/// The same when each packet starts on an edge of the port's word clock; infinite without one.
Rate word_ceiling(const WireSpec& wire, const TxSpec& tx, const flow::Packet& p, Bytes payload);
/// Header and payload in whole beats of the port's datapath; infinite without one.
Rate datapath_ceiling(const WireSpec& wire, const TxSpec& tx, const flow::Packet& p, Bytes payload);
/// All of the receiver's buffer of that class once in the shortest time in which a credit can come back: across,
/// through the receiving pipeline, and home. Holds for packets of up to `payload`. Infinite for infinite buffers.
Rate credit_ceiling(const WireSpec& wire, const RxSpec& rx, const flow::Packet& p, Bytes payload);

/// What passes before the first of those credits is waited for: all of the buffer.
Bytes credit_burst(const WireSpec& wire, const RxSpec& rx, const flow::Packet& p, Bytes payload);

/// What at most has left the port's datapath and has not passed the wire: of the pipeline, the FIFO behind it, and one
/// packet; zero without a datapath. What is timed until then beats the wire's rate by so much.
Bytes not_on_wire_yet(const WireSpec& wire, const TxSpec& tx, const flow::Packet& p, Bytes payload);

/// Data units that may arrive once a stop/go receiver has reached its mark with one: packets of up to `payload` that
/// are sent, or on the way through the sending port, before the stop is heard.
std::int64_t stop_room(const WireSpec& wire, const TxSpec& tx, const flow::Packet& p, Bytes payload);

}  // namespace tsunagi::net
