// SPDX-License-Identifier: Apache-2.0
#include "models/host/memory/memory.hpp"

#include <algorithm>
#include <stdexcept>

#include "models/host/refusal.hpp"
#include "models/host/transaction.hpp"

namespace tsunagi::host {

void describe(MemoryConfig& c, config::Describer& d) {
  using namespace config;
  d.field("base", c.base, "first address", within(0_B, Bytes(std::int64_t{1} << 46)));
  d.field("size", c.size, "bytes from there on", within(1_MiB, Bytes(std::int64_t{1} << 46)));
  d.field("write_latency", c.write_latency, "from arrival of a write to its visibility to a core", at_most(10_us),
          ideal(0_ns));
  d.field("read_latency", c.read_latency, "from arrival of a read to its data", at_most(10_us), ideal(0_ns));
  d.object("llc", c.llc, "last-level cache and DRAM behind it");
  d.choice("device_writes", c.device_writes,
           {{"cache", static_cast<std::int64_t>(DeviceWrites::cache), "into the last-level cache (Data Direct I/O)"},
            {"memory", static_cast<std::int64_t>(DeviceWrites::memory),
             "past all caches: who reads such a line next gets it from DRAM"}},
           "where writes by cards go, for cores that read what has come");
  d.field(
      "write_lines", c.write_lines,
      "64-byte lines of cards' writes that it has under way at a time, from their arrival until they are where they "
      "stay; "
      "0: any number",
      within(0, 65536), ideal(0));
  d.field("record", c.record, "keep every extent written (tests)");
  d.require(is_paged(c.base) && is_paged(c.size), "\"base\" and \"size\" must be multiples of 4 KiB");
  d.require(c.llc.size == Bytes::zero() || c.device_writes == DeviceWrites::cache,
            "an \"llc\" has \"device_ways\" for cards' writes: none of them goes past it");
  d.require(c.llc.size > Bytes::zero() || c.write_lines == 0, "\"write_lines\" needs an \"llc\"");
}

Bytes buffers_from(Bytes size) { return size >= 5_GiB ? 4_GiB : 0_B; }

Memory::Memory(DeviceArgs args, const MemoryConfig& c)
    : Device(args.sim, args.pool, args.name), config_(c), written_(args.sim, c.record) {
  add_port("bus", args.specs.of(c, 1, [&c] {
    net::PortSpec bus;
    bus.protocol = "on_chip";
    bus.needed = true;
    bus.rx.trains = true;
    constexpr std::int32_t infinite = flow::Credits::infinite;
    if (c.write_lines != 0) bus.rx.buffers = {{infinite, c.write_lines}, {infinite, infinite}, {infinite, infinite}};
    return bus;
  }));
  if (c.llc.size > Bytes::zero()) cached_ = std::make_unique<CachedDram>(c.llc);
  if (c.device_writes == DeviceWrites::memory) unread_ = std::make_unique<UnreadLines>();
}

bool Memory::has(std::uint64_t address, Bytes n) const {
  const std::uint64_t offset = address - unsigned_of(config_.base);
  const std::uint64_t size = unsigned_of(config_.size);
  return offset < size && size - offset >= unsigned_of(n);
}

void Memory::receive(int, net::Delivery&& d) {
  const flow::Packet& p = *d.packet;
  const Bytes n = is_write(p) ? p.total_payload() : asked_bytes(p);
  if (!has(p.address, n)) return refuse(*this, 0, 0, std::move(d), config_.read_latency, "access beyond its end");
  switch (p.header<Transaction>().type) {
    case TransactionType::write:
      if (cached_) return write_cached(std::move(d));
      write(p, d.schedule);
      return d.slot.release(d.schedule);
    case TransactionType::read:
      return cached_ ? answer_cached(std::move(d)) : answer(std::move(d));
    default:
      throw std::runtime_error(name() + " received an answer");
  }
}

void Memory::answer(net::Delivery request) {
  flow::Packet& p = *request.packet;
  set_answered(p);
  p.origin_offset = p.address;  // the data is named by where it was read
  const Time read = request.schedule.back().tail;
  request.slot.release(request.schedule);
  request.slot = {};
  tell(p.id, 0, net::Stage::memory, "read", request.schedule.front().tail,
       request.schedule.front().tail + config_.read_latency);
  for (net::Span& s : request.schedule) s.head = s.tail = s.tail + config_.read_latency;
  if (p.total_payload() <= flow::Contents::most)
    p.contents = written_.words().read(pool().contents(), p.address, p.total_payload(), read);
  else if (written_.words().has(p.address, p.total_payload()))
    return send_with_contents(std::move(request));
  port(0).send(0, std::move(request));
}

/// In trains of 4 KiB, because a train has one block of contents.
void Memory::send_with_contents(net::Delivery all) {
  const auto each = static_cast<std::size_t>(std::max<std::int64_t>(flow::Contents::most / all.packet->payload, 1));
  for (std::size_t first = 0; first < all.schedule.size(); first += each) {
    const std::size_t n = std::min(each, all.schedule.size() - first);
    net::Delivery part;
    part.packet = first + n < all.schedule.size()
                      ? flow::PacketPool::split_front(*all.packet, static_cast<std::int32_t>(n))
                      : std::move(all.packet);
    for (std::size_t i = first; i < first + n; ++i) part.schedule.push_back(all.schedule[i]);
    flow::Packet& p = *part.packet;
    p.contents = written_.words().read(pool().contents(), p.address, p.total_payload(),
                                       part.schedule.back().tail - config_.read_latency);
    port(0).send(0, std::move(part));
  }
}

void Memory::write(const flow::Packet& p, const net::Schedule& s) {
  tell(p.id, 0, net::Stage::memory, "write", s.front().tail, s.front().tail + config_.write_latency);
  std::uint64_t address = p.address;
  for (std::int32_t i = 0; i < p.count; ++i) {
    const Time seen = s[static_cast<std::size_t>(i)].tail + config_.write_latency;
    written_.write(p, i, address, seen);
    make_stale(p, address, p.payload_of(i), seen);
    address += static_cast<std::uint64_t>(p.payload.count());
  }
}

void Memory::copy(std::uint64_t to, std::uint64_t from, Bytes n, std::uint64_t step) {
  if (!has(to, n) || !has(from, n)) throw std::logic_error(name() + ": a copy beyond its end");
  written_.copy(pool().contents(), to, from, n, step, now());
}

void Memory::store(const flow::Packet& p, std::uint64_t to) {
  if (!has(to, p.total_payload())) throw std::logic_error(name() + ": a store beyond its end");
  written_.write(p, 0, to, now());
}

std::uint16_t Memory::add_cache(LineCache& cache) {
  const auto at = std::find(caches_.begin(), caches_.end(), &cache);
  const auto number = static_cast<std::uint16_t>(at - caches_.begin() + 1);
  if (at == caches_.end()) caches_.push_back(&cache);
  return number;
}

void Memory::make_stale(const flow::Packet& p, std::uint64_t address, Bytes n, Time seen) {
  const std::size_t own = p.header<Transaction>().cache;
  for (std::size_t i = 0; i < caches_.size(); ++i)
    if (i + 1 != own) caches_[i]->written(address, n, seen, now());
  if (unread_) unread_->written(address, n, seen, now());
}

std::string Memory::leftover() const {
  if (!held_.empty()) return "answers are under way";
  return !written_.words().pending() ? "" : "writes not visible yet";
}

}  // namespace tsunagi::host
