// SPDX-License-Identifier: Apache-2.0
#include "models/infiniband/hca.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "config/error_at.hpp"
#include "models/dma/bus_config.hpp"
#include "models/infiniband/request_fetcher.hpp"
#include "models/pcie/tags.hpp"

namespace tsunagi::infiniband {

void describe(HcaConfig& c, config::Describer& d) {
  using namespace config;
  describe(static_cast<AdapterConfig&>(c), d);
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
  d.field("pcie_latency", c.pcie_latency, "between card and PCIe link, each way", at_most(1_us), ideal(0_ns));
  d.field("request_fetch", c.request_fetch, "bytes of a queue that are read at a time", within(64_B, 4_KiB));
  d.field("request_ahead", c.request_ahead, "bytes of a send queue that are read ahead at most", within(64_B, 64_KiB));
  d.field("max_read_request", c.max_read_request, "MRRS: bytes of a PCIe read at most",
          one_of({128, 256, 512, 1024, 2048, 4096}), ideal(4_KiB));
  pcie::describe_tag_bits(c.tag_bits, d);
  d.field("read_tags", c.read_tags, "PCIe reads under way at most", within(1, 1024),
          ideal(std::min(1024, pcie::usable_tags(c.tag_bits))));
  pcie::require_tags(d, c.read_tags, c.tag_bits, "read_tags");
  d.field("relaxed_ordering", c.relaxed_ordering,
          "writes of messages' data have the attribute of relaxed ordering (completion entries have not)");
  d.field("ask_interval", c.ask_interval, "packets of which one at least asks for an acknowledgement",
          within(1, 65536));
  d.field("blueflame", c.blueflame, "largest work request that may be written into the card",
          one_of({64, 128, 256, 512}));
  d.object("buffers", c.buffers, "receive buffer of the PCIe port");
}

namespace {

dma::BusConfig bus_of(const HcaConfig& c) {
  dma::BusConfig bus;
  bus.latency = c.pcie_latency;
  bus.max_read = c.max_read_request;
  bus.reads = c.read_tags;
  bus.buffers = c.buffers;
  bus.relaxed_ordering = c.relaxed_ordering;
  return bus;
}

}  // namespace

Hca::Hca(DeviceArgs args, const HcaConfig& c)
    : Adapter(args, c, args.specs.of(c, 0, [&c] { return dma::port_spec(bus_of(c), Clock(c.clock), c.ports); }), 1),
      config_(c),
      incoming_(static_cast<std::size_t>(2 * c.pages)) {
  const Clock clock(c.clock);
  host_ = dma::make_port(*this, pool(), bus_of(c), clock, *this, c.ports, args.max_train);
  engine_ = std::make_unique<SendEngine>(*this, pool(), *host_,
                                         SendEngine::Config{clock, c.packet_cycles, c.build_cycles, c.send_buffer});
  parts_ = std::make_unique<CardParts>(
      CardParts{*this, pool(), *host_, *engine_, words_, clock, c.decode_cycles, c.context_cycles, c.read_cycles,
                c.request_fetch, c.request_ahead, c.reads_under_way, c.ask_interval, c.virtual_lanes, false,
                [](CardParts& p, const QueuePairConfig& q, RequestSource::User& u) {
                  if (q.service == Service::reliable_datagram)
                    throw config::error_at("/library/service",
                                           p.card.name() + " has no reliable datagrams (\"firmware_hca\" has)");
                  return std::make_unique<RequestFetcher>(p, q.sends, u);
                }});
}

void Hca::wired() {
  Adapter::wired();
  dma::check_bus(*this, bus_of(config_), config_.bar_base, Bytes(static_cast<std::int64_t>(page_size)) * config_.pages,
                 "its registers are");
}

std::string Hca::leftover() const { return engine_->busy() ? "packets are under way" : Adapter::leftover(); }

void Hca::stored(const flow::Packet& p, std::int32_t i, const net::Cause& by) {
  const std::uint64_t offset = offset_of(p, i);
  const std::uint64_t in_page = offset % page_size;
  if (in_page == doorbell_at)
    requester(p.last_word_of(i)).doorbell(by);
  else if (in_page >= blueflame_at && in_page < blueflame_at + 2 * unsigned_of(config_.blueflame))
    blueflame_written(p, i, offset, by);
  else
    fail(fmt::format("no register at offset {:#x}", offset));
}

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
  requester(r.queue_pair).request(r, std::move(data), by);
}

void Hca::packet_came(int port, net::Delivery d) {
  const net::Cause by{d.schedule.back().tail, d.packet->id};
  if (!fails_check(d)) take(port, std::move(d), by);
}

}  // namespace tsunagi::infiniband
