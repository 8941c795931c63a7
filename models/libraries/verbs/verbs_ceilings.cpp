// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/verbs/verbs_ceilings.hpp"

#include <algorithm>

#include "models/pcie/tlp.hpp"
#include "net/ceilings.hpp"

namespace tsunagi::libraries {

using infiniband::Opcode;

namespace {

flow::Packet packet_of(Opcode code) {
  flow::Packet p;
  infiniband::Header h;
  h.opcode = static_cast<std::uint32_t>(code);
  p.header<infiniband::Header>() = h;
  return p;
}

void keep_fastest(Rate& so_far, Rate r) { so_far = so_far.is_infinite() ? r : std::max(so_far, r); }

}  // namespace

Rate verbs_payload_rate(const net::WireSpec& wire, Bytes mtu, Bytes size) {
  const auto weight = [&](Opcode code, Bytes payload) { return wire.framing->size(packet_of(code), payload).total(); };
  const std::int64_t packets = units_of(size, mtu);
  const Bytes sum = packets == 1
                        ? weight(Opcode::write_only, size)
                        : weight(Opcode::write_first, mtu) + weight(Opcode::write_middle, mtu) * (packets - 2) +
                              weight(Opcode::write_last, size - mtu * (packets - 1));
  return wire.rate.scaled(size.count(), sum.count());
}

std::vector<comm::Ceiling> verbs_ceilings(const VerbsNode& from, const VerbsNode& to, int rails,
                                          const std::string& method) {
  // Of packets between the first and the last of a message, which carry an MTU with the least beside it.
  const flow::Packet middle = packet_of(method == "send" ? Opcode::send_middle : Opcode::write_middle);
  flow::Packet write;
  write.header<pcie::Tlp>() = pcie::Tlp{};
  write.address = to.user_base();
  Rate link, slot;
  Bytes burst;  // acknowledged by the cards there, and not written yet; entries of reads come behind their data
  int cards = 0;
  for (int rail = 0; rail < rails; ++rail) {
    keep_fastest(link, net::payload_ceiling(from.port(rail).channel().wire(), middle, from.config().mtu));
    if (method != "read") {
      const net::Port& port = to.port(rail);
      burst += infiniband::LinkFraming::credit_block *
               port.spec().rx.buffers_for(port.channel().wire().max_payload).front().data;
    }
    if (to.earlier_on_card(rail) > 0) continue;
    ++cards;
    const net::WireSpec& wire = to.card(rail).ports().front().channel().wire();
    keep_fastest(slot, net::payload_ceiling(wire, write, wire.max_payload));
  }
  return {{"link payload, " + from.card().name(), link.scaled(rails, 1)},
          {"PCIe writes, " + to.card().name(), slot.scaled(cards, 1), burst}};
}

}  // namespace tsunagi::libraries
