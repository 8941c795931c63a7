// SPDX-License-Identifier: Apache-2.0
// What the htsim drivers share: wires of a queue and a pipe each, packets that follow the route they were given, no
// protocol above.
#pragma once

// htsim's headers count on these.
#include <cstdint>
#include <iostream>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "cbrpacket.h"
#include "common.hpp"
#include "eventlist.h"
#include "pipe.h"
#include "queue.h"
#include "route.h"

namespace compare {

inline EventList& events() { return EventList::getTheEventList(); }
inline double simulated_s() { return timeAsSec(EventList::now()); }

/// Bytes a second of a wire of 16 GB/s: htsim takes whole picoseconds a byte, 62 of 62.5. Loads are shares of it.
constexpr double rate_of_16 = 1e12 / 62;

/// One direction of a wire: an output's queue without bounds, and the cable.
struct Wire {
  Wire(double gigabytes_per_second, simtime_picosec flight)
      : queue(speedFromGbps(8 * gigabytes_per_second), mem_b{1} << 40, events(), nullptr), pipe(flight, events()) {}
  ::Queue queue;
  Pipe pipe;
};

/// Where packets end; counts a packet-hop for each wire that they have crossed.
struct Sink final : PacketSink {
  void receivePacket(Packet& p) override {
    hops += (p.route()->size() - 1) / 2;
    p.free();
  }
  const std::string& nodename() override { return name; }
  std::string name = "sink";
  std::uint64_t hops = 0;
};

/// A way over `wires` to `end`.
inline std::unique_ptr<Route> way(const std::vector<Wire*>& wires, Sink& end) {
  auto r = std::make_unique<Route>();
  for (Wire* w : wires) {
    r->push_back(&w->queue);
    r->push_back(&w->pipe);
  }
  r->push_back(&end);
  return r;
}

/// Sends a packet of `bytes` along `route`.
inline void send(PacketFlow& flow, Route& route, int bytes) {
  static int id = 0;
  CbrPacket::newpkt(flow, route, ++id, bytes)->sendOn();
}

inline void run() {
  while (EventList::doNextEvent()) {
  }
}

}  // namespace compare
