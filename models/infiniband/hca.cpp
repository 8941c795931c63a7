// SPDX-License-Identifier: Apache-2.0
#include "models/infiniband/hca.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "models/dma/pcie_port.hpp"
#include "models/infiniband/ports.hpp"
#include "models/pcie/slots.hpp"
#include "models/router/order.hpp"
#include "units/checked.hpp"
#include "units/parse.hpp"

namespace tsunagi::infiniband {

void describe(HcaConfig& c, config::Describer& d) {
  using namespace config;
  d.field("ports", c.ports, "network ports", within(1, 2));
  describe(c.limits, d);
  d.field("clock", c.clock, "clock of the card", within(Frequency(1'000'000), Frequency(10'000'000'000)),
          ideal(Frequency(10'000'000'000)));
  d.field("decode_cycles", c.decode_cycles, "from a doorbell, or a work request, until something follows from it",
          within(0, 10000), ideal(0));
  d.field("context_cycles", c.context_cycles,
          "from the first news of an idle queue pair's requests until its context is there; requests that have to be "
          "read are read meanwhile",
          within(0, 10000), ideal(0));
  d.field("read_cycles", c.read_cycles, "to set up the answer of an RDMA read, before its data are read",
          within(0, 10000), ideal(0));
  d.field("packet_cycles", c.packet_cycles, "from one packet to the next", within(1, 10000), ideal(1));
  d.field("build_cycles", c.build_cycles, "from a packet's last data to its way out", within(0, 10000), ideal(0));
  d.field("send_latency", c.send_latency, "from there to the wire", at_most(10_us), ideal(0_ns));
  d.field("receive_latency", c.receive_latency, "from a packet's last byte until it is taken in", at_most(10_us),
          ideal(0_ns));
  d.field("pcie_latency", c.pcie_latency, "between card and PCIe link, each way", at_most(1_us), ideal(0_ns));
  d.field("send_buffer", c.send_buffer, "data read from the host and not sent yet, at most", within(4_KiB, 1_MiB),
          ideal(1_MiB));
  d.field("request_fetch", c.request_fetch, "bytes of a queue that are read at a time", within(64_B, 4_KiB));
  d.field("request_ahead", c.request_ahead, "bytes of a send queue that are read ahead at most", within(64_B, 64_KiB));
  d.field("max_read_request", c.max_read_request, "MRRS: bytes of a PCIe read at most",
          one_of({128, 256, 512, 1024, 2048, 4096}), ideal(4_KiB));
  d.field("read_tags", c.read_tags, "PCIe reads under way at most", within(1, 256), ideal(256));
  d.field("reads_under_way", c.reads_under_way, "RDMA reads and atomic operations under way of a queue pair",
          within(1, 128), ideal(128));
  d.field("ask_interval", c.ask_interval, "packets of which one at least asks for an acknowledgement",
          within(1, 65536));
  d.field("blueflame", c.blueflame, "largest work request that may be written into the card",
          one_of({64, 128, 256, 512}));
  d.field("virtual_lanes", c.virtual_lanes, "data lanes, as on the wires", one_of({1, 2, 4, 8, 15}));
  d.field("lane_blocks", c.lane_blocks,
          "blocks of 64 B that a port buffers a virtual lane; on a wire of an MTU above 2 KiB more, in proportion",
          within(1, 1'000'000), ideal(1'000'000));
  d.field("bar_base", c.bar_base, "first host address of the registers", at_most(largest_given));
  d.field("pages", c.pages, "pages of 4 KiB of registers, each for one process", within(1, 4096));
  d.field("loss_ppm", c.loss_ppm, "packets of a million that come and fail their check",
          within(std::int64_t{0}, std::int64_t{999'999}), ideal(std::int64_t{0}));
  d.object("buffers", c.buffers, "receive buffer of the PCIe port");
  d.require(is_paged(c.bar_base), "\"bar_base\" must be a multiple of 4 KiB");
}

Hca::Hca(DeviceArgs args, const HcaConfig& c)
    : Device(args.sim, args.pool, args.name),
      config_(c),
      clock_(c.clock),
      incoming_(static_cast<std::size_t>(2 * c.pages)),
      losses_(args.seed, name()) {
  enum { pcie_port, network_port };
  add_port("pcie", args.specs.of(c, pcie_port, [&c] {
    net::PortSpec p;
    p.protocol = "pcie";
    p.role = net::LinkRole::endpoint;
    p.needed = true;
    p.expects = pcie::completions_up_to(c.max_read_request);
    p.tx.pipeline.delay = c.pcie_latency;
    p.tx.word_clock = Clock(c.clock);
    p.rx.pipeline.delay = c.pcie_latency;
    p.rx.buffers = pcie::buffer_credits(c.buffers);
    p.sources = 1 + c.ports;
    return p;
  }));
  for (int i = 1; i <= c.ports; ++i)
    add_port("port" + std::to_string(i), args.specs.of(c, network_port, [&c] {
      net::PortSpec p;
      p.protocol = "infiniband";
      p.tx.pipeline.delay = c.send_latency;
      p.rx.pipeline.delay = c.receive_latency;
      p.rx.buffers.assign(static_cast<std::size_t>(c.virtual_lanes), {flow::Credits::infinite, c.lane_blocks});
      p.rx.laid_out_for = HcaConfig::lane_mtu;
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
  pcie::RequesterSpec reads{clock_, c.max_read_request, c.read_tags};
  reads.tag_wait = "DMA read tag";
  host_ = std::make_unique<dma::PciePort>(*this, pool(), reads, *this, c.ports, args.max_train);
  engine_ = std::make_unique<SendEngine>(*this, pool(), *host_,
                                         SendEngine::Config{clock_, c.packet_cycles, c.build_cycles, c.send_buffer});
  parts_ = std::make_unique<CardParts>(CardParts{*this, pool(), *host_, *engine_, words_, clock_, c.decode_cycles,
                                                 c.context_cycles, c.read_cycles, c.request_fetch, c.request_ahead,
                                                 c.reads_under_way, c.ask_interval, c.virtual_lanes});
}

Hca::~Hca() = default;

void Hca::wired() {
  check_ports(*this, config_.limits);
  pcie::check_window(*this, config_.bar_base, Bytes(static_cast<std::int64_t>(page_size)) * config_.pages,
                     "its registers are");
  for (std::size_t i = 1; i < ports().size(); ++i) {
    const net::Port& p = ports()[i];
    if (!p.connected()) continue;
    if (const int have = p.channel().wire().framing->classes(); have != config_.virtual_lanes)
      throw config::error_at("/machine", fmt::format("{} has {} virtual lanes, the wire at {} {}", name(),
                                                     config_.virtual_lanes, p.name(), have));
    if (config_.send_buffer < p.max_payload())
      throw config::error_at("/machine", fmt::format("{}: \"send_buffer\" of {} holds no packet of {}", name(),
                                                     to_string(config_.send_buffer), to_string(p.max_payload())));
    // Two cards on a cable are a subnet of their own.
    if (networks_[i] == nullptr) lids_[i] = name() < p.channel().destination().name() ? 0 : 1;
  }
}

std::string Hca::leftover() const {
  if (host_->busy()) return "reads of host memory are under way";
  if (engine_->busy()) return "packets are under way";
  for (const Pair& p : pairs_) {
    if (p.requester->busy()) return "a work request has not been done";
    if (p.responder->busy()) return "an answer is under way";
  }
  return {};
}

void Hca::fail(const std::string& what) const { throw std::runtime_error(name() + ": " + what); }

int Hca::make_completion_queue(const QueueMemory& m) {
  completions_.push_back(std::make_unique<CompletionQueue>(*parts_, m));
  return static_cast<int>(completions_.size()) - 1;
}

int Hca::make_receive_queue(const QueueMemory& m) {
  receives_.push_back(std::make_unique<ReceiveQueue>(*parts_, m));
  return static_cast<int>(receives_.size()) - 1;
}

int Hca::make_queue_pair(const QueuePairConfig& c) {
  const int number = next_queue_pair();
  const auto of = [](auto& all, int i) { return all.at(static_cast<std::size_t>(i)).get(); };
  ReceiveQueue* receives = c.receives < 0 ? nullptr : of(receives_, c.receives);
  const auto qpn = static_cast<std::uint32_t>(number);
  Pair p;
  p.requester =
      std::make_unique<Requester>(*parts_, c, qpn, lid(c.port), c.port - 1, *of(completions_, c.send_completions));
  p.responder = std::make_unique<Responder>(*parts_, c, qpn, lid(c.port), c.port - 1,
                                            *of(completions_, c.receive_completions), receives, registered_);
  pairs_.push_back(std::move(p));
  return number;
}

std::int64_t Hca::retransmissions() const {
  std::int64_t n = 0;
  for (const Pair& p : pairs_) n += p.requester->retransmissions();
  return n;
}

Hca::Pair& Hca::pair(std::uint64_t number) {
  if (number >= pairs_.size()) fail(fmt::format("there is no queue pair {}", number));
  return pairs_[number];
}

void Hca::receive(int port, net::Delivery d) {
  if (port > 0) return packet_came(port, std::move(d));
  host_->came(std::move(d));
}

void Hca::stored(const flow::Packet& p, std::int32_t i, const net::Cause& by) {
  const std::uint64_t offset = p.address + unsigned_of(p.stride * i) - unsigned_of(config_.bar_base);
  const std::uint64_t in_page = offset % page_size;
  if (in_page == doorbell_at)
    doorbell_written(p.last_word_of(i), by);
  else if (in_page >= blueflame_at && in_page < blueflame_at + 2 * unsigned_of(config_.blueflame))
    blueflame_written(p, i, offset, by);
  else
    fail(fmt::format("no register at offset {:#x}", offset));
}

void Hca::doorbell_written(std::uint64_t value, const net::Cause& by) { pair(value).requester->doorbell(by); }

void Hca::blueflame_written(const flow::Packet& p, std::int32_t i, std::uint64_t offset, const net::Cause& by) {
  const std::uint64_t in_register = offset % page_size - blueflame_at;
  const std::uint64_t half = in_register / unsigned_of(config_.blueflame);
  const std::uint64_t at = in_register % unsigned_of(config_.blueflame);
  Incoming& all = incoming_[offset / page_size * 2 + half];
  const Bytes n = p.payload_of(i);
  if (at == 0) {
    all.bytes.assign(static_cast<std::size_t>(config_.blueflame.count()), 0);
    all.came = Bytes::zero();
    all.contents.reset();
  }
  if (all.bytes.size() < at + unsigned_of(n)) fail("a work request is written from its middle on");
  if (p.contents) {
    const flow::Contents::Part part = p.contents.part(p.payload * i, n);
    if (part.bytes.size > 0) {
      all.contents.add(pool().contents(), part.at + Bytes(static_cast<std::int64_t>(at)), part.bytes);
      p.contents.copy(p.payload * i, n, &all.bytes[at]);
    }
  }
  all.came += n;
  const PlacedRequest r = decode(all.bytes.data());
  if (all.came < size_of(r.what)) return;
  flow::Contents data;
  if (r.what.inlined && r.what.length > Bytes::zero() && all.contents) {
    const flow::Contents::Part part = all.contents.part(inline_offset(r.what), r.what.length);
    if (part.bytes.size > 0) data.add(pool().contents(), part.at, part.bytes);
  }
  all.bytes.clear();
  all.contents.reset();
  pair(r.queue_pair).requester->request(r, std::move(data), by);
}

void Hca::packet_came(int port, net::Delivery d) {
  const Header h = d.packet->header<Header>();
  const net::Cause by{d.schedule.back().tail, d.packet->id};
  if (config_.loss_ppm > 0 && losses_.chance(config_.loss_ppm)) {
    ++lost_;
    return d.slot.release(d.schedule);
  }
  if (h.route.destination != lid(port)) fail(fmt::format("a packet for LID {} came", h.route.destination));
  Pair& p = pair(h.queue_pair);
  if (is_answer(h.code()))
    p.requester->answered(std::move(d), by);
  else
    p.responder->requested(std::move(d), by);
}

}  // namespace tsunagi::infiniband
