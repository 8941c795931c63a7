// SPDX-License-Identifier: Apache-2.0
#include "models/gpu/nvlink_ports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "config/error_at.hpp"
#include "models/gpu/ideal_if.hpp"
#include "models/nvlink/nvswitch.hpp"
#include "models/pcie/completer.hpp"
#include "models/pcie/refusal.hpp"
#include "units/parse.hpp"

namespace tsunagi::gpu {

namespace {

// Queues of an NVLink port: answers; of all engines writes, with the reads behind them, and reads of data; what the
// multiprocessors store, with the reads behind that.
constexpr int nvlink_answers = 0;
constexpr int nvlink_writes = 1;
constexpr int nvlink_reads = 2;
constexpr int nvlink_stores = 3;
constexpr int nvlink_queues = 4;
constexpr std::size_t flush_tags = 64;  // of blocks
constexpr int first_nvlink_port = 1;
// A train would be stored whole before what comes by another link meanwhile.
constexpr int one_packet = 1;

}  // namespace

void describe(NvlinkConfig& c, config::Describer& d) {
  using namespace config;
  d.field("links", c.links, "NVLink links, ports \"nvlink0\" and so on; 0: none", within(0, 36));
  const bool there = c.links > 0;
  d.field("interleave", c.interleave, "bytes of a peer's memory that one link of a bundle reaches before the next does",
          one_of({128, 256, 512, 1024, 2048, 4096}));
  d.field(
      "packet", c.packet,
      "payload of the packets of copies, and what a read asks for; \"interleave\" bounds it, payload the link's, too",
      one_of({32, 64, 128, 256}), ideal_if(there, 256_B));
  d.field("width", c.width,
          "bytes of the GPU's own memory that engines of a peer read a cycle of copy_engines, or ask the peer for",
          within(1_B, 4_KiB), ideal_if(there, 4_KiB));
  d.field("tags", c.tags, "reads that engines of a peer have under way at most", within(1, 4096),
          ideal_if(there, 4096));
  d.field("buffer", c.buffer, "bytes of its own memory that such an engine has read and not sent, at most",
          within(4_KiB, 16_MiB), ideal_if(there, 16_MiB));
  d.field("port_latency", c.port_latency, "latency of an NVLink port, one direction", at_most(1_us),
          ideal_if(there, 0_ns));
  d.object("buffers", c.buffers, "receive buffer of each NVLink port; a data credit is a flit of 16 B");
  d.require(c.packet <= c.interleave, "\"packet\" is larger than \"interleave\"");
}

net::PortSpec NvlinkPorts::port_spec(const NvlinkConfig& c) {
  net::PortSpec p;
  p.protocol = "nvlink";
  p.tx.pipeline.delay = c.port_latency;
  p.rx.pipeline.delay = c.port_latency;
  p.rx.trains = true;
  p.rx.buffers = pcie::buffer_credits(c.buffers);
  p.sources = nvlink_queues;
  return p;
}

NvlinkPorts::NvlinkPorts(net::Device& gpu, flow::PacketPool& pool, const NvlinkConfig& c,
                         const CopyEngineConfig& engines, EnginePorts inside, std::uint64_t base)
    : gpu_(gpu), pool_(pool), config_(c), engines_config_(engines), inside_(std::move(inside)), base_(base) {
  engines_config_.width = c.width;
  engines_config_.align_writes = true;
  engines_config_.write_size = engines_config_.max_read_request = c.packet;
  engines_config_.tags = c.tags;
  engines_config_.buffer = c.buffer;
}

void NvlinkPorts::wired() {
  peers_ = nvlink::wired_to(gpu_, first_nvlink_port);
  for (int i = first_nvlink_port; i < static_cast<int>(gpu_.ports().size()); ++i) {
    const net::Port& p = gpu_.ports()[static_cast<std::size_t>(i)];
    if (!p.connected()) continue;
    const net::Device& there = p.channel().destination();
    if (dynamic_cast<const nvlink::NvSwitch*>(&there) == nullptr) continue;
    for (const nvlink::Behind& b : nvlink::wired_to(there, 0)) {
      if (b.device == &gpu_) continue;
      auto at = std::find_if(peers_.begin(), peers_.end(), [&](const auto& known) { return known.device == b.device; });
      if (at == peers_.end()) at = peers_.insert(peers_.end(), {b.device, b.window, {}});
      at->ports.push_back(i);
    }
  }
  for (nvlink::Behind& p : peers_) {
    std::sort(p.ports.begin(), p.ports.end());
    if (p.device == &gpu_) throw config::error_at("/machine", gpu_.name() + ": an NVLink link leads back to itself");
  }
  for (std::size_t i = 0; i < peers_.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (peers_[i].window.overlaps(peers_[k].window))
        throw config::error_at("/machine", fmt::format("{}: on NVLink {}, overlap {}", gpu_.name(),
                                                       peers_[k].window.text(), peers_[i].window.text()));
  engines_.resize(2 * peers_.size());
  constexpr std::size_t tags = std::numeric_limits<std::uint16_t>::max() + std::size_t{1};
  if (first_flush_tag() + flush_tags > tags)
    throw config::error_at("/machine", fmt::format("{}: NVLink leads to {} others, for which \"tags\" of {} are too "
                                                   "many: {} in all, of two engines each",
                                                   gpu_.name(), peers_.size(), config_.tags, tags - flush_tags));
}

const nvlink::Behind* NvlinkPorts::way_to(const net::Device& other) const {
  for (const nvlink::Behind& p : peers_)
    if (p.device == &other) return &p;
  return nullptr;
}

std::size_t NvlinkPorts::peer_at(std::uint64_t address) const {
  for (std::size_t i = 0; i < peers_.size(); ++i)
    if (peers_[i].has(address)) return i;
  throw std::runtime_error(fmt::format("{}: NVLink leads to nobody who has address {:#x}", gpu_.name(), address));
}

int NvlinkPorts::link_for(const nvlink::Behind& peer, std::uint64_t address) const {
  const std::uint64_t unit = (address - unsigned_of(peer.window.base)) / unsigned_of(config_.interleave);
  return peer.ports[unit % peer.ports.size()];
}

EnginePorts NvlinkPorts::ports_to(std::size_t peer) {
  EnginePorts p = inside_;
  const nvlink::Behind& to = peers_[peer];
  const auto by = [this, &to](int queue) {
    return [this, &to, queue](net::Delivery d) {
      net::Port& port = gpu_.ports()[static_cast<std::size_t>(link_for(to, d.packet->address))];
      port.send(queue, std::move(d));
    };
  };
  p.write = by(nvlink_writes);
  p.read = by(nvlink_reads);
  p.max_payload = [this, &to] { return gpu_.ports()[static_cast<std::size_t>(to.ports.front())].max_payload(); };
  p.read_boundary = config_.packet;
  p.asked_a_cycle = config_.width;
  p.ways = static_cast<int>(to.ports.size());
  p.interleave = config_.interleave;
  p.max_train = one_packet;
  return p;
}

Engine& NvlinkPorts::engine(const CopyCommand& c) {
  const bool out = c.from == Aperture::local;
  const std::size_t peer = peer_at(out ? c.destination : c.source);
  const std::size_t number = 2 * peer + (out ? 0 : 1);
  std::unique_ptr<CopyEngine>& e = engines_[number];
  if (e == nullptr)
    e = std::make_unique<CopyEngine>(gpu_, pool_, engines_config_, static_cast<int>(number), ports_to(peer));
  return *e;
}

StoreUnit::Way NvlinkPorts::way(std::uint64_t address) const {
  for (const nvlink::Behind& p : peers_) {
    if (!p.has(address)) continue;
    const int port = link_for(p, address);
    const Bytes payload = gpu_.ports()[static_cast<std::size_t>(port)].max_payload();
    return {port, std::min(payload, config_.interleave), one_packet};
  }
  return {};
}

void NvlinkPorts::store(int port, net::Delivery d) {
  gpu_.ports()[static_cast<std::size_t>(port)].send(nvlink_stores, std::move(d));
}

void NvlinkPorts::flush(int port, int block, net::Delivery d) {
  if (static_cast<std::size_t>(block) >= flush_tags)
    throw std::runtime_error(fmt::format("{}: block {} of {} stores by NVLink", gpu_.name(), block, flush_tags));
  d.packet->header<pcie::Tlp>().requester.tag =
      static_cast<std::uint16_t>(first_flush_tag() + static_cast<std::size_t>(block));
  store(port, std::move(d));
}

bool NvlinkPorts::busy() const {
  return std::any_of(engines_.begin(), engines_.end(), [](const auto& e) { return e != nullptr && e->busy(); });
}

std::uint64_t NvlinkPorts::own(std::uint64_t address, Bytes n) const {
  const std::uint64_t at = address - base_;
  if (at >= unsigned_of(inside_.memory_size) || unsigned_of(n) > unsigned_of(inside_.memory_size) - at)
    throw std::runtime_error(fmt::format("{}: nothing answers at address {:#x} on NVLink", gpu_.name(), address));
  return at;
}

void NvlinkPorts::receive(int port, net::Delivery&& d) {
  switch (d.packet->header<pcie::Tlp>().type) {
    case pcie::TlpType::memory_write:
      return write(std::move(d));
    case pcie::TlpType::memory_read:
      return answer(port, std::move(d));
    default:
      break;
  }
  pcie::require_success(gpu_, *d.packet);
  const std::size_t tag = d.packet->header<pcie::Tlp>().requester.tag;
  if (tag >= first_flush_tag() && tag < first_flush_tag() + flush_tags && flushed_) {
    const Cause by{d.schedule.back().tail, d.packet->id};
    d.slot.release(d.schedule);
    return flushed_(static_cast<int>(tag - first_flush_tag()), by);
  }
  const std::size_t number = tag / static_cast<std::size_t>(CopyEngine::tag_numbers(engines_config_));
  if (number >= engines_.size() || engines_[number] == nullptr)
    throw std::runtime_error(gpu_.name() + " received an answer on NVLink for no read");
  engines_[number]->complete(std::move(d));
}

void NvlinkPorts::write(net::Delivery d) {
  const flow::Packet& p = *d.packet;
  const Time arrived = d.schedule.front().tail;
  gpu_.tell(p.id, 0, net::Stage::memory, "write", arrived, arrived + inside_.write_latency);
  for (std::int32_t i = 0; i < p.count; ++i)
    inside_.store(p, i, own(p.address + unsigned_of(p.stride * i), p.payload_of(i)),
                  d.schedule[static_cast<std::size_t>(i)].tail + inside_.write_latency);
  d.slot.release(d.schedule);
}

void NvlinkPorts::answer(int port, net::Delivery request) {
  const flow::Packet& p = *request.packet;
  if (p.count != 1) throw std::logic_error(gpu_.name() + " received a train of reads");
  const Time arrived = request.schedule.back().tail;
  // It reaches the memory's words as a write would, behind all before it.
  const Time read = arrived + std::min(inside_.write_latency, inside_.read_latency);
  gpu_.tell(p.id, 0, net::Stage::memory, "read", arrived, read);
  request.slot.release(net::Schedule::at(arrived));
  net::Port& by = gpu_.ports()[static_cast<std::size_t>(port)];
  pcie::cut_completions(pool_, p, 0, std::min(config_.packet, by.max_payload()), 1, [&](flow::PacketPtr c) {
    c->origin_offset = own(c->address, c->total_payload());
    c->contents = inside_.load(c->origin_offset, c->total_payload(), read);
    gpu_.tell(c->id, p.id, net::Stage::memory, "read", read, arrived + inside_.read_latency);
    by.send(nvlink_answers, {std::move(c), net::Schedule::at(arrived + inside_.read_latency), {}});
  });
}

}  // namespace tsunagi::gpu
