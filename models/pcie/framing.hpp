// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "flow/framing.hpp"
#include "models/pcie/tlp.hpp"

namespace tsunagi::pcie {

/// Which bytes around a payload are counted; each can be switched off to see what it costs.
struct Overheads {
  bool header = true;
  bool framing = true;
  bool flits = false;  // flit mode: nothing frames a TLP (Base Specification 6.0, 4.2.3)
};

/// Sizes, credit classes and order of TLPs on a PCI Express link.
///  - header 12 B (completions, requests below 4 GiB, which must not use the long form) or 16 B (requests above);
///    payload in whole DW: Base Specification 2.2.4.1.
///    Header bases of flit mode are as long (6.0, 2.2.1.2); what can follow them is not used here.
///  - framing 8 B, none in flits: Gen1/2 STP 1 + sequence 2 + LCRC 4 + END 1; Gen3+ STP token 4 + LCRC 4. 3.6.1, 4.2.
///  - data credit 16 B, one header credit a TLP. 2.6.1.
///  - order: `tlp_may_pass`. 2.4.1.
class PcieFraming : public flow::Framing {
 public:
  static constexpr Bytes framing_bytes{8};
  static constexpr Bytes data_credit{16};

  explicit PcieFraming(Overheads counted = {}) : counted_(counted) {}
  flow::WireSize size(const flow::Packet& p, Bytes payload) const override;
  flow::FlowClass flow_class(const flow::Packet& p) const override { return tlp_class(p); }
  flow::Credits cost(const flow::Packet& p, Bytes payload) const override;
  int classes() const override { return tlp_classes; }
  std::string_view class_name(flow::FlowClass c) const override;
  /// Reads, the only non-posted requests here, carry no data.
  Bytes most_payload(flow::FlowClass c, Bytes max_payload) const override {
    return c == non_posted ? Bytes::zero() : max_payload;
  }
  bool may_pass(flow::FlowClass later, flow::FlowClass earlier) const override;
  Bytes smallest() const override;
  std::int32_t alike(const flow::Packet& p) const override;

 private:
  Bytes framing_each() const { return counted_.flits ? Bytes::zero() : framing_bytes; }
  Overheads counted_;
};

/// Header bytes of a TLP (12 or 16); of a train, of its first packet.
Bytes tlp_header_bytes(const flow::Packet& p);

/// The transaction layer's ordering table without relaxed ordering (Base Specification 2.4.1, table 2-37):
/// posted requests may pass anything (so that reads cannot block writes for ever); reads and completions
/// may not pass a posted request; completions and reads may pass each other.
bool tlp_may_pass(TlpClass later, TlpClass earlier);

/// What the order of two TLPs turns on.
struct Ordered {
  TlpClass of = posted;
  Attributes attributes = {};
  std::uint32_t requester = 0;  // requester ID, of completions that of their request
};

/// The same with the attributes of the later one (Base Specification 2.4.1, table 2-40): with relaxed ordering posted
/// writes and completions may pass posted writes; with ID-based ordering anything may pass posted writes of another
/// requester. Whether reads pass reads and completions of other reads pass each other is a device's choice: not here.
bool tlp_may_pass(const Ordered& later, const Ordered& earlier);

std::string_view tlp_class_name(flow::FlowClass c);

}  // namespace tsunagi::pcie
