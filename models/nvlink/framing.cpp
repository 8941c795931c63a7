// SPDX-License-Identifier: Apache-2.0
#include "models/nvlink/framing.hpp"

#include "models/pcie/framing.hpp"

namespace tsunagi::nvlink {

namespace {

/// Whether bytes of its first or last flit are not written.
bool has_byte_enables(const flow::Packet& p, Bytes payload) {
  return pcie::is_write(p) &&
         (p.address % unsigned_of(NvlinkFraming::flit) != 0 || payload.count() % NvlinkFraming::flit.count() != 0);
}

}  // namespace

flow::WireSize NvlinkFraming::size(const flow::Packet& p, Bytes payload) const {
  flow::WireSize s;
  s.payload = payload;
  // Data stand in flits as they do in memory.
  const Bytes before =
      pcie::is_write(p) ? Bytes(static_cast<std::int64_t>(p.address % unsigned_of(flit))) : Bytes::zero();
  s.framing = payload > Bytes::zero() ? flit * units_of(before + payload, flit) - payload : Bytes::zero();
  if (!headers_) return s;
  s.header = flit;
  if (has_byte_enables(p, payload)) s.header += flit;
  return s;
}

flow::Credits NvlinkFraming::cost(const flow::Packet& p, Bytes payload) const {
  const Bytes total = size(p, payload).payload + size(p, payload).framing;
  return flow::Credits::of(1, units_of(total, flit));
}

std::string_view NvlinkFraming::class_name(flow::FlowClass c) const {
  constexpr std::string_view names[] = {"write", "read", "answer"};
  return names[c];
}

bool NvlinkFraming::may_pass(flow::FlowClass later, flow::FlowClass earlier) const {
  return pcie::tlp_may_pass(static_cast<pcie::TlpClass>(later), static_cast<pcie::TlpClass>(earlier));
}

std::int32_t NvlinkFraming::alike(const flow::Packet& p) const {
  return p.count == 1 || p.stride.count() % flit.count() == 0 ? p.count : 1;
}

}  // namespace tsunagi::nvlink
