// SPDX-License-Identifier: Apache-2.0
#include "models/pcie/framing.hpp"

#include <algorithm>

namespace tsunagi::pcie {

namespace {

constexpr std::uint64_t first_wide_address = std::uint64_t{1} << 32;

}  // namespace

Bytes tlp_header_bytes(const flow::Packet& p) {
  return tlp_class(p) != completion && p.address >= first_wide_address ? Bytes(16) : Bytes(12);
}

std::int32_t PcieFraming::alike(const flow::Packet& p) const {
  if (p.count == 1 || p.address >= first_wide_address || tlp_class(p) == completion) return p.count;
  const std::int64_t below = units_of(Bytes(static_cast<std::int64_t>(first_wide_address - p.address)), p.stride);
  return static_cast<std::int32_t>(std::min<std::int64_t>(p.count, below));
}

flow::WireSize PcieFraming::size(const flow::Packet& p, Bytes payload) const {
  constexpr Bytes dw{4};
  flow::WireSize s;
  s.payload = payload;
  if (counted_.header) s.header = tlp_header_bytes(p);
  if (counted_.framing) s.framing = framing_each() + (dw * units_of(payload, dw) - payload);
  return s;
}

Bytes PcieFraming::smallest() const {
  constexpr Bytes least_header{12};
  return (counted_.header ? least_header : Bytes::zero()) + (counted_.framing ? framing_each() : Bytes::zero());
}

flow::Credits PcieFraming::cost(const flow::Packet&, Bytes payload) const {
  return flow::Credits::of(1, units_of(payload, data_credit));
}

std::string_view PcieFraming::class_name(flow::FlowClass c) const { return tlp_class_name(c); }

bool PcieFraming::may_pass(flow::FlowClass later, flow::FlowClass earlier) const {
  return tlp_may_pass(static_cast<TlpClass>(later), static_cast<TlpClass>(earlier));
}

bool tlp_may_pass(TlpClass later, TlpClass earlier) {
  if (later == earlier) return false;
  return later == posted || earlier != posted;
}

bool tlp_may_pass(const Ordered& later, const Ordered& earlier) {
  if (tlp_may_pass(later.of, earlier.of)) return true;
  if (earlier.of != posted) return false;
  if (later.attributes.id_based_ordering && later.requester != earlier.requester) return true;
  return later.attributes.relaxed_ordering && later.of != non_posted;
}

std::string_view tlp_class_name(flow::FlowClass c) {
  constexpr std::string_view names[] = {"posted", "non-posted", "completion"};
  return names[c];
}

}  // namespace tsunagi::pcie
