// SPDX-License-Identifier: Apache-2.0
#include "models/infiniband/adapter.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "models/infiniband/ports.hpp"
#include "models/router/order.hpp"
#include "units/checked.hpp"
#include "units/parse.hpp"

namespace tsunagi::infiniband {

void describe(AdapterConfig& c, config::Describer& d) {
  using namespace config;
  d.field("ports", c.ports, "network ports", within(1, 2));
  describe(c.limits, d);
  d.field("clock", c.clock, "clock of the card", within(Frequency(1'000'000), Frequency(10'000'000'000)),
          ideal(Frequency(10'000'000'000)));
  d.field("send_latency", c.send_latency, "from a packet that is made to the wire", at_most(10_us), ideal(0_ns));
  d.field("receive_latency", c.receive_latency, "from a packet's last byte until it is taken in", at_most(10_us),
          ideal(0_ns));
  d.field("send_buffer", c.send_buffer, "data read from the host and not sent yet, at most", within(4_KiB, 1_MiB),
          ideal(1_MiB));
  d.field("reads_under_way", c.reads_under_way, "RDMA reads and atomic operations under way of a queue pair",
          within(1, 128), ideal(128));
  d.field("virtual_lanes", c.virtual_lanes, "data lanes, as on the wires", one_of({1, 2, 4, 8, 15}));
  d.field("lane_blocks", c.lane_blocks,
          "blocks of 64 B that a port buffers a virtual lane; on a wire of an MTU above 2 KiB more, in proportion",
          within(1, 1'000'000), ideal(1'000'000));
  d.field("bar_base", c.bar_base, "first host address of the registers", at_most(largest_given));
  d.field("pages", c.pages, "pages of 4 KiB of registers, each for one process", within(1, 4096));
  d.field("loss_ppm", c.loss_ppm, "packets of a million that come and fail their check",
          within(std::int64_t{0}, std::int64_t{999'999}), ideal(std::int64_t{0}));
  d.require(is_paged(c.bar_base), "\"bar_base\" must be a multiple of 4 KiB");
}

Adapter::Adapter(DeviceArgs& args, const AdapterConfig& c, std::shared_ptr<const net::PortSpec> bus, int queues)
    : Device(args.sim, args.pool, args.name), common_(c), losses_(args.seed, name()) {
  std::string bus_name = bus->name;
  add_port(std::move(bus_name), std::move(bus));
  enum { network_port = 1 };
  for (int i = 1; i <= c.ports; ++i)
    add_port("port" + std::to_string(i), args.specs.of(c, network_port, [&] {
      net::PortSpec p;
      p.protocol = "infiniband";
      p.tx.pipeline.delay = c.send_latency;
      p.rx.pipeline.delay = c.receive_latency;
      p.rx.buffers.assign(static_cast<std::size_t>(c.virtual_lanes), {flow::Credits::infinite, c.lane_blocks});
      p.rx.laid_out_for = AdapterConfig::lane_mtu;
      p.sources = queues;
      return p;
    }));
  lids_.resize(ports().size());
  networks_.resize(ports().size());
  for (const topo::Place& place : args.places) {
    const int at = find_port(place.port);
    if (place.role != topo::Place::Role::terminal || at < 1) continue;
    lids_[static_cast<std::size_t>(at)] = static_cast<std::uint32_t>(place.number);
    networks_[static_cast<std::size_t>(at)] = place.network;
    router::require_order(*place.network, name(), "takes what is out of order for lost");
  }
}

Adapter::~Adapter() = default;

void Adapter::wired() {
  check_ports(*this, common_.limits);
  for (std::size_t i = 1; i < ports().size(); ++i) {
    const net::Port& p = ports()[i];
    if (!p.connected()) continue;
    if (const int have = p.channel().wire().framing->classes(); have != common_.virtual_lanes)
      throw config::error_at("/machine", fmt::format("{} has {} virtual lanes, the wire at {} {}", name(),
                                                     common_.virtual_lanes, p.name(), have));
    if (common_.send_buffer < p.max_payload())
      throw config::error_at("/machine", fmt::format("{}: \"send_buffer\" of {} holds no packet of {}", name(),
                                                     to_string(common_.send_buffer), to_string(p.max_payload())));
    // Two cards on a cable are a subnet of their own.
    if (networks_[i] == nullptr) lids_[i] = name() < p.channel().destination().name() ? 0 : 1;
  }
}

std::string Adapter::leftover() const {
  if (host().busy()) return "reads of host memory are under way";
  for (const Pair& p : pairs_) {
    if (!p.made()) continue;
    if (p.requester->busy()) return "a work request has not been done";
    if (p.responder->busy()) return "an answer is under way";
  }
  return {};
}

void Adapter::fail(const std::string& what) const { throw std::runtime_error(name() + ": " + what); }

int Adapter::make_completion_queue(const QueueMemory& m) {
  completions_.push_back(std::make_unique<CompletionQueue>(m));
  return static_cast<int>(completions_.size()) - 1;
}

int Adapter::make_receive_queue(const QueueMemory& m) {
  receives_.push_back(std::make_unique<ReceiveQueue>(responding(), m));
  return static_cast<int>(receives_.size()) - 1;
}

int Adapter::make_queue_pair(QueuePairConfig c) {
  if (c.number < 0) c.number = queue_pairs();
  const auto number = static_cast<std::size_t>(c.number);
  if (number >= pairs_.size()) pairs_.resize(number + 1);
  Pair& p = pairs_[number];
  if (p.made()) throw std::invalid_argument(fmt::format("{}: queue pair {} is there already", name(), number));
  const auto of = [](auto& all, int i) { return all.at(static_cast<std::size_t>(i)).get(); };
  ReceiveQueue* receives = c.receives < 0 ? nullptr : of(receives_, c.receives);
  p.requester = std::make_unique<Requester>(requesting(), c, lid(c.port), requesting_writer(c.port),
                                            *of(completions_, c.send_completions));
  p.responder = std::make_unique<Responder>(responding(), c, lid(c.port), responding_writer(c.port),
                                            *of(completions_, c.receive_completions), receives, registered_);
  return c.number;
}

std::int64_t Adapter::retransmissions() const {
  std::int64_t n = 0;
  for (const Pair& p : pairs_) n += p.made() ? p.requester->retransmissions() : 0;
  return n;
}

Adapter::Pair& Adapter::pair(std::uint64_t number) {
  if (number >= pairs_.size() || !pairs_[number].made()) fail(fmt::format("there is no queue pair {}", number));
  return pairs_[number];
}

void Adapter::receive(int port, net::Delivery&& d) {
  if (port > 0) return packet_came(port, std::move(d));
  host().came(std::move(d));
}

bool Adapter::fails_check(net::Delivery& d) {
  if (common_.loss_ppm == 0 || !losses_.chance(common_.loss_ppm)) return false;
  ++lost_;
  d.slot.release(d.schedule);
  return true;
}

void Adapter::take(int port, net::Delivery d, const net::Cause& by) {
  const Header h = d.packet->header<Header>();
  if (h.route.destination != lid(port)) fail(fmt::format("a packet for LID {} came", h.route.destination));
  Pair& p = pair(h.queue_pair);
  if (p.reset) return d.slot.release(d.schedule);
  if (is_answer(h.code()))
    p.requester->answered(std::move(d), by);
  else
    p.responder->requested(std::move(d), by);
}

}  // namespace tsunagi::infiniband
