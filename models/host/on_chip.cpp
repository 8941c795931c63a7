// SPDX-License-Identifier: Apache-2.0
#include "models/host/on_chip.hpp"

#include "models/host/transaction.hpp"

namespace tsunagi::host {

namespace {

/// A header of so many bytes and the data; a credit a transaction, and of cards' transactions one for each 64-byte line
/// of data: a core's stores wait for nothing that stands in front of I/O.
class OnChipFraming final : public flow::Framing {
 public:
  explicit OnChipFraming(Bytes header) : header_(header) {}
  Bytes smallest() const override { return Bytes::zero(); }
  flow::WireSize size(const flow::Packet&, Bytes payload) const override { return {payload, header_, Bytes::zero()}; }
  flow::FlowClass flow_class(const flow::Packet& p) const override {
    return transaction_class(p.header<Transaction>().type);
  }
  flow::Credits cost(const flow::Packet& p, Bytes payload) const override {
    return flow::Credits::of(1, p.header<Transaction>().agent == Agent::core ? 0 : units_of(payload, 64_B));
  }
  int classes() const override { return transaction_classes; }
  std::string_view class_name(flow::FlowClass c) const override { return transaction_class_name(c); }
  bool may_pass(flow::FlowClass later, flow::FlowClass earlier) const override {
    return transaction_may_pass(static_cast<TransactionClass>(later), static_cast<TransactionClass>(earlier));
  }

 private:
  Bytes header_;
};

}  // namespace

void describe(OnChipConfig& c, config::Describer& d) {
  using namespace config;
  d.field("bandwidth", c.bandwidth, "bytes a second in each direction", at_least(Rate::bytes_per_second(1'000'000)),
          ideal(Rate::infinite()));
  d.field("flight", c.flight, "delay, one way", within(1_fs, 1_us), ideal(1_fs));
  d.field("header", c.header, "bytes of bandwidth that a transaction takes beside its data", at_most(64_B), ideal(0_B));
  d.field("max_payload_size", c.max_payload_size, "largest transaction", within(64_B, 4_KiB));
}

net::WireSpec on_chip_spec(const config::AnyConfig& any) {
  const OnChipConfig& c = any.as<OnChipConfig>();
  net::WireSpec w;
  w.protocol = "on_chip";
  w.framing = std::make_shared<OnChipFraming>(c.header);
  w.rate = c.bandwidth;
  w.flight = c.flight;
  w.max_payload = c.max_payload_size;
  return w;
}

}  // namespace tsunagi::host
