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
  d.field("command_cycles", c.command_cycles, "of the scheduling processor, a command of the driver",
          within(0, 100'000), ideal(0));
  d.field("range_cycles", c.range_cycles,
          "of it, each 32 queue pairs of the range whose state a command changes: a word of their bits",
          within(0, 100'000), ideal(0));
  d.field("context_cycles", c.context_cycles, "of it, each context that a command saves or restores",
          within(0, 100'000), ideal(0));
  d.field("context_size", c.context_size, "of a queue's saved context in host memory",
          within(SavedContext::size, 1_KiB));
  d.field("threads", c.threads, "work requests under way at most, of one queue pair one", within(1, 1024), ideal(1024));
  d.field("acknowledge_each_message", c.acknowledge_each_message,
          "each message asks for an acknowledgement; else only those whose completion software wants to see",
          ideal(false));
  d.object("bus", c.bus, "I/O bus that the card sits on");
}

namespace {

constexpr int writers = 2;  // on the bus: the sending and the receiving processor
constexpr int command_writer = 0;

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
  choosing_port_ = std::make_unique<firmware::StartedPort>(*bus_, *choosing_, c.dma_cycles);
  const Bytes burst = std::max(std::min({c.bus.max_read, c.bus.max_write, flow::Contents::most}), c.context_size);
  commands_ = std::make_unique<CommandUnit>(
      *this, pool(), *choosing_port_, *choosing_, *scheduler_, static_cast<CommandUnit::Queues&>(*this),
      CommandUnit::Config{c.command_cycles, c.range_cycles, c.context_cycles, c.context_size, burst, command_writer});
  const auto requests = [this](CardParts& p, const QueuePairConfig& q, RequestSource::User& u) {
    return std::make_unique<ScheduledRequests>(p, *scheduler_, q, u, form());
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
  if (commands_->busy()) return "a command is under way";
  return Adapter::leftover();
}

void FirmwareHca::stored(const flow::Packet& p, std::int32_t i, const net::Cause& by) {
  const std::uint64_t offset = offset_of(p, i);
  if (offset % page_size == doorbell_at)
    requester(p.last_word_of(i)).doorbell(by);
  else if (offset % page_size == command_at)
    commands_->told(p.last_word_of(i), by);
  else
    fail(fmt::format("no register at offset {:#x}", offset));
}

int FirmwareHca::count(Command::Of of) const {
  switch (of) {
    case Command::Of::queue_pairs:
      return queue_pairs();
    case Command::Of::receive_queues:
      return receive_queues();
    case Command::Of::completion_queues:
      return completion_queues();
  }
  return 0;
}

void FirmwareHca::require_rest(Command::Of of, std::uint32_t number) const {
  if (of == Command::Of::receive_queues && receive_queue(number).busy())
    fail(fmt::format("receive queue {} is in use: its context is not at rest", number));
  if (of != Command::Of::queue_pairs) return;
  const ScheduledRequests& q = scheduler_->queue(number);
  if (!q.stopped() || !q.stable() || pair(number).responder->busy())
    fail(fmt::format("queue pair {} has not been stopped, or is not stable yet: its context is not at rest", number));
}

void FirmwareHca::check_start(std::uint32_t queue_pair) const {
  if (pair(queue_pair).reset) fail(fmt::format("queue pair {} is reset: it cannot be started", queue_pair));
}

SavedContext FirmwareHca::save(Command::Of of, std::uint32_t number) const {
  require_rest(of, number);
  SavedContext c;
  if (of == Command::Of::completion_queues) completion_queue(number).save(c);
  if (of == Command::Of::receive_queues) receive_queue(number).save(c);
  if (of != Command::Of::queue_pairs) return c;
  scheduler_->queue(number).save(c);
  pair(number).requester->save(c);
  pair(number).responder->save(c);
  return c;
}

void FirmwareHca::put(Command::Of of, std::uint32_t number, const SavedContext& c) {
  require_rest(of, number);
  if (of == Command::Of::completion_queues) return completion_queue(number).restore(c);
  if (of == Command::Of::receive_queues) return receive_queue(number).restore(c);
  scheduler_->queue(number).restore(c);
  pair(number).requester->restore(c);
  pair(number).responder->restore(c);
}

void FirmwareHca::reset(Command::Of of, std::uint32_t number) {
  put(of, number, {});
  if (of == Command::Of::queue_pairs) pair(number).reset = true;
}

void FirmwareHca::restore(Command::Of of, std::uint32_t number, const SavedContext& c) {
  put(of, number, c);
  if (of == Command::Of::queue_pairs) pair(number).reset = false;
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
