// SPDX-License-Identifier: Apache-2.0
// What an observer is told. Plain structs: models never print, trace or count by themselves.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "flow/credits.hpp"
#include "flow/framing.hpp"
#include "net/schedule.hpp"
#include "units/rate.hpp"
#include "units/time.hpp"

namespace tsunagi::net {

/// Every way that time passes inside a device. What passes on a wire and in its ports is a Hop.
enum class Stage : std::uint8_t {
  pipeline,  // fixed latency of a chip, in cycles or time
  memory,    // memory access
  tag,       // no request tag free
  buffer,    // no buffer space free in the device itself
  poll,      // until the polling core has seen it
  step,      // instructions of a core
  core,      // another program has the core
};

/// One stage of one item: a packet, or a step of a core (both have ids of one numbering).
struct StageEvent {
  std::uint64_t item = 0;
  /// The packet or step whose progress up to `begin` let this stage begin; 0: the item itself (its stage or hop
  /// before).
  std::uint64_t parent = 0;
  Stage stage = Stage::step;
  const char* name = "";   // "route", "write-combining flush": a literal, or a text that outlives the run
  std::string_view place;  // the device; outlives the run
  Time begin;
  Time end;
};

/// What kept a packet at the head of its queue from being granted.
enum class BlockedBy : std::uint8_t { nothing, credit, replay_space, stop };

/// One packet crossing one direction of a wire, with all its times. Times ascend from `ready.head` to `arrived.tail`:
/// it waits until `granted`, crosses the datapath (`datapath`, equal to `ready` where there is none), its
/// head leaves the pipeline at `piped`, it is on the wire in `wire`, at the other end one flight later and through the
/// receiving port in `arrived`. The next hop of a packet, or a stage in a device, begins at `arrived.tail` or, where
/// the receiver cuts through, at `arrived.head`.
struct Hop {
  std::uint64_t item = 0;
  std::uint64_t parent = 0;  // of the packet
  std::uint32_t channel = 0;
  std::int16_t source = 0;  // the port's queue that it came by: packets of different sources compete
  flow::FlowClass flow_class = 0;
  BlockedBy blocked_by = BlockedBy::nothing;  // the last part of the wait, from `blocked_since` to `granted`
  Time blocked_since;
  Span ready;
  Time granted;
  Span datapath;
  Time piped;
  Time first_try;  // start of the first attempt on the wire; before `wire.head` only if it was replayed
  Span wire;
  Time landed;  // tail at the other end of the cable
  Span arrived;
  flow::WireSize size;
};

/// What else occupies a direction of a wire.
enum class Overhead : std::uint8_t { ack, credit_update, nak, skip };
struct OverheadEvent {
  std::uint32_t channel = 0;
  Overhead kind = Overhead::ack;
  Span wire;
};

/// A sender's credits changed: what is left of a class at `when`.
struct CreditEvent {
  std::uint32_t channel = 0;
  flow::FlowClass flow_class = 0;
  Time when;
  flow::Credits left;
};

/// A direction of a wire, as observers see it; its number in the events is its place in their list.
struct ChannelInfo {
  std::string from_device;  // "node0.peach2"
  std::string from_port;    // "e"
  std::string to_device;
  std::string to_port;
  Rate rate;                     // of bytes, coding taken off; infinite: serialises in no time
  std::int64_t coding_data = 1;  // of `coding_line` bits on the line these are data (8 of 10, 128 of 130)
  std::int64_t coding_line = 1;
  Time flight;
  std::vector<std::string> classes;  // names of the flow classes

  /// "node0.peach2.e > node1.peach2.w"
  std::string name() const { return from_device + "." + from_port + " > " + to_device + "." + to_port; }
  /// "posted", or "class 3" where the wire names none.
  std::string class_name(flow::FlowClass c) const {
    return c < classes.size() ? classes[c] : "class " + std::to_string(c);
  }
};

/// Hears of everything. Told in the order of simulated grants: events of one time in no order that matters, a hop when
/// it is granted (its later times are known by then).
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void stage(const StageEvent& e) = 0;
  virtual void hop(const Hop& h) = 0;
  virtual void overhead(const OverheadEvent& e) = 0;
  virtual void credits(const CreditEvent& e) = 0;
};

/// Whom a channel tells what it puts on its wire, if anybody listens.
struct LinkObserver {
  Listener* listener = nullptr;
  std::uint32_t channel = 0;
  void overhead(Overhead kind, Span wire) const {
    if (listener != nullptr) listener->overhead({channel, kind, wire});
  }
};

}  // namespace tsunagi::net
