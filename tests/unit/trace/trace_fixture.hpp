// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "trace/catalog.hpp"

namespace tsunagi::test {

/// Two chips and both directions of the link between them.
inline std::vector<net::ChannelInfo> link_channels() {
  net::ChannelInfo there;
  there.from_device = "node0.peach2";
  there.from_port = "e";
  there.to_device = "node1.peach2";
  there.to_port = "w";
  there.classes = {"posted", "completion"};
  net::ChannelInfo back = there;
  std::swap(back.from_device, back.to_device);
  std::swap(back.from_port, back.to_port);
  return {there, back};
}

/// A posted write of 256 B on the first channel: ready, granted at once, 80 ns on the wire from `head` on, 5 ns away.
inline net::Hop hop_at(std::uint64_t item, Time ready, Time head) {
  net::Hop h;
  h.item = item;
  h.ready = h.datapath = {ready, ready};
  h.granted = h.piped = ready;
  h.first_try = head;
  h.wire = {head, head + 80_ns};
  h.landed = h.wire.tail + 5_ns;
  h.arrived = {h.wire.head + 5_ns, h.landed};
  h.size = {256_B, 16_B, 8_B};
  return h;
}

/// What a trace writes of the events that `tell` tells it.
inline std::string traced(const std::string& format, const std::function<void(trace::Trace&)>& tell,
                          const trace::Selection& selection = {}, Bytes limit = trace::Output::default_limit,
                          Time end = 1_us) {
  std::ostringstream text;
  trace::Output output(text, limit);
  const auto trace = trace::open(format, output, link_channels(), selection, "1.2.3");
  tell(*trace);
  trace->finish(end);
  output.close();
  return text.str();
}

}  // namespace tsunagi::test
