// SPDX-License-Identifier: Apache-2.0
#include "models/infiniband/firmware/firmware_hca.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tsunagi::infiniband {

void describe(FirmwareHcaConfig& c, config::Describer& d) {
  using namespace config;
  describe(static_cast<AdapterConfig&>(c), d);
  d.field("schedule_cycles", c.schedule_cycles, "of the scheduling processor, to choose whose work request is next",
          within(0, 100'000), ideal(0));
  d.field("request_cycles", c.request_cycles,
          "of the sending processor a work request, and of the receiving one a receive", within(0, 100'000), ideal(0));
  d.field("dma_cycles", c.dma_cycles, "of a processor, to start a transfer on the bus", within(0, 100'000), ideal(0));
  d.field("packet_cycles", c.packet_cycles, "of a processor a packet, sent or received", within(0, 100'000), ideal(0));
  d.field("threads", c.threads, "work requests under way at most, of one queue pair one", within(1, 1024), ideal(1024));
  d.field("acknowledge_each_message", c.acknowledge_each_message,
          "each message asks for an acknowledgement; else only those whose completion software wants to see",
          ideal(false));
  d.object("bus", c.bus, "I/O bus that the card sits on");
}

namespace {

constexpr int writers = 2;  // on the bus: the sending and the receiving processor

}  // namespace

FirmwareHca::Side::Side(FirmwareHca& card, dma::Port& bus, const FirmwareHcaConfig& c, int source)
    : processor(card, Clock(c.clock)),
      port(bus, processor, c.dma_cycles),
      engine(card, card.pool(), port,
             SendEngine::Config{Clock(c.clock), c.packet_cycles, 0, c.send_buffer, &processor, source}) {}

FirmwareHca::FirmwareHca(DeviceArgs args, const FirmwareHcaConfig& c)
    : Adapter(args, c, args.specs.of(c, 0, [&c] { return dma::port_spec(c.bus, Clock(c.clock), writers); }), 2),
      config_(c) {
  const Clock clock(c.clock);
  bus_ = dma::make_port(*this, pool(), c.bus, clock, *this, writers, args.max_train);
  sending_ = std::make_unique<Side>(*this, *bus_, c, 0);
  receiving_ = std::make_unique<Side>(*this, *bus_, c, 1);
  choosing_ = std::make_unique<firmware::Processor>(*this, clock);
  scheduler_ = std::make_unique<RequestScheduler>(
      *this, *choosing_, sending_->processor, RequestScheduler::Config{c.threads, c.schedule_cycles, c.request_cycles});
  const auto requests = [this](CardParts& p, const QueuePairConfig& q, RequestSource::User& u) {
    return std::make_unique<ScheduledRequests>(p, *scheduler_, q.sends, u, form(),
                                               q.service == Service::reliable_datagram);
  };
  for (Side* s : {sending_.get(), receiving_.get()})
    s->parts = std::make_unique<CardParts>(CardParts{*this, pool(), s->port, s->engine, words_, clock, 0, 0, 0,
                                                     form().receive_entry, Bytes::zero(), c.reads_under_way, 1 << 16,
                                                     c.virtual_lanes, c.acknowledge_each_message, requests});
}

void FirmwareHca::wired() {
  Adapter::wired();
  dma::check_bus(*this, config_.bus, config_.bar_base, Bytes(static_cast<std::int64_t>(page_size)) * config_.pages,
                 "its registers are");
}

std::string FirmwareHca::leftover() const {
  if (sending_->engine.busy() || receiving_->engine.busy()) return "packets are under way";
  return Adapter::leftover();
}

void FirmwareHca::stored(const flow::Packet& p, std::int32_t i, const net::Cause& by) {
  const std::uint64_t offset = offset_of(p, i);
  if (offset % page_size != doorbell_at) fail(fmt::format("no register at offset {:#x}", offset));
  requester(p.last_word_of(i)).doorbell(by);
}

void FirmwareHca::packet_came(int port, net::Delivery d) {
  if (fails_check(d)) return;
  const Opcode code = d.packet->header<Header>().code();
  const bool receives = is_send(code) && begins_message(code);
  const net::Cause came{d.schedule.back().tail, d.packet->id};
  const net::Wait taken =
      receiving_->processor.run({came.when, came, net::Stage::pipeline, "packet came"},
                                config_.packet_cycles + (receives ? config_.request_cycles : 0), "packet received");
  take(port, std::move(d), taken.since);
}

}  // namespace tsunagi::infiniband
