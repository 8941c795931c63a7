// SPDX-License-Identifier: Apache-2.0
// What a device says of its ports and a config of its wires, before anything is built.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flow/framing.hpp"
#include "net/schedule.hpp"
#include "units/bytes.hpp"
#include "units/clock.hpp"
#include "units/rate.hpp"
#include "units/time.hpp"

namespace tsunagi::net {

/// A fixed latency: cycles of a clock, counted from the first edge at or after the
/// arrival, plus a time that no clock divides.
struct Pipeline {
  std::optional<Clock> clock;
  std::int64_t cycles = 0;
  Time delay;
  Time apply(Time t) const { return (clock ? clock->after(t, cycles) : t) + delay; }
  void apply(Schedule& s) const {
    for (Span& span : s) {
      const Time tail = apply(span.tail);
      span.head = span.head == span.tail ? tail : apply(span.head);
      span.tail = tail;
    }
  }
  /// Latency of what enters on an edge.
  Time latency() const { return (clock ? clock->cycles(cycles) : Time::zero()) + delay; }
};

/// A chip's internal bus in front of a port: `width` bytes a clock, header and payload in whole beats.
struct Datapath {
  Clock clock;
  Bytes width;
};

/// How a port sends.
struct TxSpec {
  std::optional<Datapath> datapath;
  Pipeline pipeline;
  /// Packets start on an edge of this clock (a hard IP whose link layer works in whole words).
  std::optional<Clock> word_clock;
  /// Bytes that may wait between the pipeline and the wire before the datapath is held.
  Bytes fifo;
};

/// How a port receives.
struct RxSpec {
  Pipeline pipeline;
  /// Wait for the last byte (a link layer that checks the CRC first) or start at the first.
  bool store_and_forward = true;
  /// The device's `receive` looks at the whole schedule of a delivery. Else it gets packets one by one, each when its
  /// head is there.
  bool trains = false;
  /// Buffer space a class offers to the sender.
  std::vector<flow::Credits> buffers;
  /// Payload of the largest packets that their data space is laid out for: on a wire of larger ones there is more, in
  /// proportion. Zero: it is what it is.
  Bytes laid_out_for;

  /// Buffer space by class on a wire of packets of up to `max_payload`.
  std::vector<flow::Credits> buffers_for(Bytes max_payload) const {
    std::vector<flow::Credits> out = buffers;
    if (laid_out_for == Bytes::zero() || max_payload <= laid_out_for) return out;
    for (flow::Credits& c : out)
      if (c.data != flow::Credits::infinite)
        c = flow::Credits::of(c.headers, units_of(max_payload * c.data, laid_out_for));
    return out;
  }
};

/// Which end of a PCIe link a port can be.
enum class LinkRole : std::uint8_t { any, root_complex, endpoint };

/// Who of those that wait at a port is next. Takers have turns one after the other; where there are priorities, a taker
/// has one only while none of a higher priority has a packet that may go. Turns by weight are those of InfiniBand's
/// virtual lanes (InfiniBand Architecture Specification, volume 1, 7.6.9: VL arbitration).
struct Arbitration {
  /// Takers are the sources of a port, or the flow classes (InfiniBand: virtual lanes).
  enum class Takers : std::uint8_t { sources, classes };
  /// Of the classes of one source: that whose packet came first, or one after the other.
  enum class Within : std::uint8_t { oldest, round_robin };
  Takers takers = Takers::sources;
  Within within = Within::oldest;
  /// Bytes on the wire that a turn is good for, by taker; its last packet may exceed them. Those that are missing: one
  /// packet a turn.
  std::vector<Bytes> weights;
  /// By taker, the highest number first; those that are missing: 0.
  std::vector<int> priorities;
  /// Of those of one priority that may go, the packet that set out first (flow::Framing::born) is next, whoever's turn
  /// it is; turns are of packets that set out together (age-based arbitration: Dally and Towles, "Principles and
  /// Practices of Interconnection Networks", 15.4.1).
  bool oldest_first = false;
  bool by_source() const { return takers == Takers::sources; }
  bool plain() const { return by_source() && weights.empty() && priorities.empty() && !oldest_first; }
  /// Of the packets of one source that may go, the one that came first is next.
  bool by_age() const { return by_source() && within == Within::oldest && !oldest_first; }
};

/// One port of a device, as the device describes it.
struct PortSpec {
  std::string name;
  /// Which wires fit: the wire's protocol must be equal.
  std::string protocol;
  LinkRole role = LinkRole::any;
  TxSpec tx;
  RxSpec rx;
  /// Most data by class in a packet that the device sends by this port, and in one that comes because the device asked
  /// for it (completions of its reads); a class that is missing: as much as the wire carries.
  std::vector<Bytes> sends;
  std::vector<Bytes> expects;
  /// The device is of no use if nothing is wired to the port.
  bool needed = false;
  /// How many independent sources queue for this port inside the device.
  int sources = 1;
  Arbitration arbitration;
  /// Packets of max payload for which the receiver must have room left after a packet of a source, by source; empty:
  /// none. One for those that enter a ring and none for those that travel on keeps the ring from filling up and
  /// deadlocking (bubble flow control: Puente et al., "Adaptive Bubble Router", ICPP 1999).
  std::vector<std::uint8_t> reserve;
  /// What the device sends by the port gets ready in the order in which it sends it: nothing that comes later is ready
  /// before. With one source what is next is then certain ahead of its time, and needs no wake-up (Channel).
  bool in_order = false;
};

/// Acknowledgement and credit packets that a link layer sends in the reverse direction.
struct LinkLayerSpec {
  bool acks = false;
  bool credit_updates = false;
  Bytes dllp;           // bytes of one such packet on the wire
  Time ack_delay;       // latest time from reception to ACK
  Time update_delay;    // latest time from release to UpdateFC
  Time process;         // from reception to the effect at the sender
  Bytes replay_buffer;  // sent and not acknowledged, at most; 0: no limit
  Time replay_timer;    // from a packet that nobody acknowledges to its replay
  Time update_repeat;   // a lost UpdateFC is made good by the next one after this
  /// By class: while the receiver has fewer units of a kind left to offer, space that gets free is told at once.
  std::vector<flow::Credits> update_at_once;
};

/// How a sender is kept from flooding the receiver's buffer.
enum class FlowPolicy : std::uint8_t {
  credits,  // it sends what there is room for
  stop_go,  // it sends until it is told to stop
  none,     // it sends; the receiver drops what it has no room for (Ethernet without PAUSE, IEEE 802.3 annex 31B)
};

/// Marks of stop/go in data units of a class's buffer: 0 <= go < stop, and behind `stop` room for what is under way.
struct StopGoSpec {
  std::int64_t stop = 0;
  std::int64_t go = 0;
};

/// Flits: units of one size in which a physical layer sends, back to back from time 0 on, whether there are packets or
/// not; ordered sets between them, at fixed intervals (PCI Express Base Specification 6.0, 4.2.3: flit mode). The bytes
/// of packets fill their first part, each packet from a double word on; what a flit brings is there when all of it is.
/// Its other bytes, no packet's, say what has arrived and carry one credit update.
struct FlitSpec {
  Bytes size;             // on the wire; zero: there are no flits
  Bytes packets;          // of these, those of packets: the wire's rate is theirs
  double error_rate = 0;  // probability that one arrives wrong and has to be sent again
  bool any() const { return size > Bytes::zero(); }
};

/// Ordered sets that the physical layer inserts.
struct SkipSpec {
  Time interval;  // 0: none
  Time length;
};

/// A wire, the same for both directions. One object serves all wires of one config.
struct WireSpec {
  std::string protocol;
  std::shared_ptr<const flow::Framing> framing;
  /// Of bytes; a line code is taken off: `coding_data` of `coding_line` bits on the line are data.
  Rate rate;
  std::int64_t coding_data = 1;
  std::int64_t coding_line = 1;
  Time flight;
  /// Of the flight, what repeaters on the way take (PCI Express: retimers), however long the cable is.
  Time repeaters;
  /// Of a packet's bytes, those at its end that bring nothing (Ethernet's interpacket gap, IEEE 802.3 4.4.2): all of it
  /// is there so much earlier than the wire is free.
  Bytes gap;
  /// A receiver may say at any time that nothing of a class be sent for a while (`Channel::hold`).
  bool held = false;
  /// Largest payload of one packet (PCIe: max payload size).
  Bytes max_payload;
  FlowPolicy flow_control = FlowPolicy::credits;
  StopGoSpec stop_go;
  LinkLayerSpec link_layer;
  SkipSpec skip;
  /// Probability that a bit on the wire is wrong.
  double bit_error_rate = 0;
  FlitSpec flits;

  /// When the other end has read a link-layer packet whose tail was sent at `t`.
  Time told_at(Time t) const { return t + flight + link_layer.process; }
};

}  // namespace tsunagi::net
