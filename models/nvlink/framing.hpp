// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "flow/framing.hpp"
#include "models/pcie/tlp.hpp"

namespace tsunagi::nvlink {

/// Sizes, credit classes and order of packets on NVLink. What moves are reads, their answers and writes of memory, as
/// on PCI Express, so packets have the same header; what they weigh is NVLink's.
///  - A packet is flits of 128 bits: a header flit (83 bits of transaction, 20 of data link, a CRC of 25), and up to 16
///    flits of data, 256 B (NVIDIA, "NVIDIA Tesla P100" whitepaper, appendix on NVLink signalling and protocol; Foley
///    and Danskin, "Ultra-Performance Pascal GPU and NVLink Interconnect", IEEE Micro 37(2), 2017).
///  - A write that does not begin and end with a flit has a flit of byte enables behind its header (there).
///  - The flit of an address extension is sent when what it says changes, which in a stream it does not: not counted.
///  - Acknowledgements and credits ride in headers' data link fields: they take no flits.
///  - Writes are not answered (assumed: copies both ways at once are as fast as one way).
///  - A header credit a packet, a data credit a flit (assumed; not published).
///  - Order of one link's packets: as PCI Express has it (assumed), so that a read finds what was written before it.
class NvlinkFraming final : public flow::Framing {
 public:
  static constexpr Bytes flit{16};
  static constexpr Bytes most_data{256};

  /// `headers`: whether header and byte-enable flits are counted.
  explicit NvlinkFraming(bool headers = true) : headers_(headers) {}
  flow::WireSize size(const flow::Packet& p, Bytes payload) const override;
  flow::FlowClass flow_class(const flow::Packet& p) const override { return pcie::tlp_class(p); }
  flow::Credits cost(const flow::Packet& p, Bytes payload) const override;
  int classes() const override { return pcie::tlp_classes; }
  std::string_view class_name(flow::FlowClass c) const override;
  Bytes most_payload(flow::FlowClass c, Bytes max_payload) const override {
    return c == pcie::non_posted ? Bytes::zero() : max_payload;
  }
  bool may_pass(flow::FlowClass later, flow::FlowClass earlier) const override;
  Bytes smallest() const override { return headers_ ? flit : Bytes::zero(); }
  std::int32_t alike(const flow::Packet& p) const override;

 private:
  bool headers_;
};

}  // namespace tsunagi::nvlink
