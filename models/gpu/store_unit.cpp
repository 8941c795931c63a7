// SPDX-License-Identifier: Apache-2.0
#include "models/gpu/store_unit.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "models/gpu/ideal_if.hpp"
#include "models/pcie/framing.hpp"
#include "models/pcie/segmentation.hpp"
#include "models/pcie/tlp.hpp"

namespace tsunagi::gpu {

void describe(StoreUnitConfig& c, config::Describer& d) {
  using namespace config;
  d.field(
      "line", c.line,
      "largest write; the link's max payload bounds it, too; 0: what the GPU's stores cost is not told, and who needs "
      "them refuses it",
      one_of({0, 32, 64, 128, 256}));
  const bool there = c.line > Bytes::zero();
  d.field("clock", c.clock, "clock of the way from the multiprocessors to the bus",
          within(Frequency(10'000'000), Frequency(10'000'000'000)), ideal_if(there, Frequency(10'000'000'000)));
  d.field("width", c.width, "bytes of stores that pass there a cycle", within(1_B, 1_KiB), ideal_if(there, 1_KiB));
  d.field("burst", c.burst, "what a warp stores in a turn of its loop; blocks take turns by it", within(128_B, 64_KiB));
  d.field("queue", c.queue, "bytes that have been stored and not left the GPU, at most; at least a burst",
          within(4_KiB, 1_MiB), ideal_if(there, 1_MiB));
  d.field("block_rate", c.block_rate, "bytes a second that the threads of a block load, combine and store at most",
          at_least(Rate::bytes_per_second(1'000'000)), ideal_if(there, Rate::infinite()));
  d.field("load_latency", c.load_latency, "from a load of the GPU's memory to its data in a thread",
          within(1_ns, 10_us), ideal_if(there, 1_ns));
  d.field("fence_latency", c.fence_latency, "from the leaving of a block's last line to the end of a fence behind it",
          at_most(10_us), ideal_if(there, 0_ns));
  d.choice(
      "fence", c.fence,
      {{"before", static_cast<std::int64_t>(StoreUnitConfig::Fence::before), "what the block has stored before it"},
       {"quiet", static_cast<std::int64_t>(StoreUnitConfig::Fence::quiet),
        "until none of the block's stores is under way: what it stores meanwhile, too"}},
      "what a fence waits for");
  d.require(c.burst <= c.queue, "\"queue\" has no room for a burst");
}

StoreUnit::StoreUnit(net::Device& gpu, flow::PacketPool& pool, const StoreUnitConfig& c, Ports ports)
    : gpu_(gpu), pool_(pool), config_(c), clock_(c.clock), ports_(std::move(ports)) {}

StoreUnit::Block& StoreUnit::block(int number) {
  const auto i = static_cast<std::size_t>(number);
  if (i >= blocks_.size()) blocks_.resize(i + 1);
  if (blocks_[i] == nullptr) {
    blocks_[i] = std::make_unique<Block>();
    blocks_[i]->fence = Time::max();
  }
  return *blocks_[i];
}

bool StoreUnit::busy() const {
  return !bursts_.empty() || !leaving_.empty() || std::any_of(blocks_.begin(), blocks_.end(), [](const auto& b) {
    return b != nullptr && (!b->jobs.empty() || !b->releases.empty());
  });
}

void StoreUnit::store(const Stores& s) {
  if (s.size <= Bytes::zero()) throw std::runtime_error(gpu_.name() + ": a block stores no bytes");
  Block& b = block(s.block);
  b.jobs.push_back(s);
  if (s.burst == Bytes::zero()) b.jobs.back().burst = config_.burst;
  b.given += s.size.count();
  arm(std::max(ready(b), free_));
}

void StoreUnit::wait_stored(Fiber& f, int number) {
  Block& b = block(number);
  while (!b.jobs.empty()) f.wait(b.stored, "room on the way to the bus of " + gpu_.name());
}

void StoreUnit::wait_released(Fiber& f, int number) {
  Block& b = block(number);
  while (!b.releases.empty()) f.wait(b.released, "a fence of " + gpu_.name());
}

Time StoreUnit::ready(const Block& b) const {
  return b.jobs.empty() ? Time::max() : std::max(b.next, b.jobs.front().begin);
}

void StoreUnit::arm(Time at) { gpu_.simulation().agenda().arm_by(look_alarm_, std::max(at, now())); }

/// The next burst, of the first block in turn that is ready, if the unit is.
void StoreUnit::look() {
  const Time at = now();
  send_flushes();
  send_signals();
  if (free_ > at) return arm(free_);
  Time next = Time::max();
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const std::size_t number = (turn_ + i) % blocks_.size();
    const Block* b = blocks_[number].get();
    if (b == nullptr || b->jobs.empty()) continue;
    next = std::min(next, ready(*b));
    if (ready(*b) > at) continue;
    if (queued_ + std::min(b->jobs.front().burst, b->jobs.front().size) > config_.queue) return;  // until some has left
    turn_ = number + 1;
    issue(static_cast<int>(number));
    next = free_;
    break;
  }
  if (next != Time::max()) arm(next);
}

void StoreUnit::issue(int number) {
  Block& b = block(number);
  Stores& job = b.jobs.front();
  const Bytes n = std::min(job.burst, job.size);
  const Time begin = clock_.at_or_after(now());
  free_ = clock_.after(begin, units_of(n, config_.width));
  b.next = now() + config_.block_rate.time(n);
  queued_ += n;
  bursts_.emplace_back(*this, number, n);
  send(job, n, free_);
  job.source += unsigned_of(n);
  job.target += unsigned_of(n);
  job.size -= n;
  if (job.size > Bytes::zero()) return;
  b.jobs.pop_front();
  if (b.jobs.empty()) b.stored.notify();
}

void StoreUnit::send(const Stores& s, Bytes n, Time at) {
  Block& b = block(s.block);
  for (Bytes done; done < n;) {
    const std::uint64_t address = s.target + unsigned_of(done);
    const Way way = ports_.way(address);
    const pcie::WriteCut cut{std::min(config_.line, way.max_payload), true};
    const auto [piece, alike] = pcie::next_writes(cut, address, n - done, way.max_train);
    flow::PacketPtr p = pcie::memory_write(pool_, address, piece, alike);
    p->origin_offset = s.source + unsigned_of(done);
    done += piece * alike;
    const bool ends_run = s.in_order > Bytes::zero() && (s.target + unsigned_of(done)) % unsigned_of(s.in_order) == 0;
    if ((done == n || ends_run) && s.flag != 0) p->say_last(s.flag);
    net::Delivery d = gpu_.begin(std::move(p), {at, s.since, net::Stage::pipeline, "threads load and store"}, at);
    d.slot = net::Slot(bursts_.back(), pcie::posted, flow::Credits::of(1, piece.count()), static_cast<int>(alike));
    if (way.port > 0) {
      const auto at_port = [&](const Touched& t) { return t.port == way.port; };
      if (std::none_of(b.touched.begin(), b.touched.end(), at_port)) b.touched.push_back({way.port, address});
    }
    ports_.write(way.port, std::move(d));
  }
}

void StoreUnit::Burst::slot_released(flow::FlowClass, flow::Credits per_packet, net::Spans when, std::uint64_t packet) {
  for (const net::Span& s : when) {
    remaining -= Bytes(per_packet.data);
    if (const Time tail = std::max(s.tail, unit.now()); tail >= last.when) last = {tail, packet};
  }
  if (remaining == Bytes::zero()) unit.left(*this);
}

/// All of a burst leaves, now or later. Links of a bundle may have ended a later burst sooner.
void StoreUnit::left(Burst& b) {
  const auto behind = std::upper_bound(leaving_.begin(), leaving_.end(), b, [](const Burst& of, const Left& l) {
    return std::pair(of.last.when, of.block) < std::pair(l.when.when, l.block);
  });
  leaving_.insert(behind, {b.block, b.size, b.last});
  while (!bursts_.empty() && bursts_.front().remaining == Bytes::zero()) bursts_.pop_front();
  gpu_.simulation().agenda().arm_by(left_alarm_, leaving_.front().when.when);
}

void StoreUnit::count_left() {
  const Time at = now();
  while (!leaving_.empty() && leaving_.front().when.when <= at) {
    const Left l = leaving_.front();
    leaving_.pop_front();
    queued_ -= l.size;
    Block& b = block(l.block);
    b.left += l.size.count();
    b.last_left = l.when;
    fence(l.block);
  }
  if (!leaving_.empty()) gpu_.simulation().agenda().arm(left_alarm_, leaving_.front().when.when);
  look();
}

// --- releases ---

void StoreUnit::release(int number, std::uint64_t address, std::uint64_t value) {
  Block& b = block(number);
  b.releases.push_back({address, value, b.given});
  fence(number);
}

/// The first release's fence begins, if all that is before it has left.
void StoreUnit::fence(int number) {
  Block& b = block(number);
  if (b.releases.empty() || b.fence != Time::max() || b.flushes > 0 || b.left < b.releases.front().behind) return;
  if (config_.fence == StoreUnitConfig::Fence::quiet && b.left < b.given) return;
  if (!b.touched.empty()) {
    b.flushes = static_cast<int>(b.touched.size());
    for (const Touched& t : b.touched) to_flush_.push_back({t.address, t.port, number, b.last_left});
    b.touched.clear();
    return arm(now());
  }
  b.fence = now() + config_.fence_latency;
  gpu_.simulation().agenda().arm_by(fence_alarm_, b.fence);
}

/// Those of an instant leave in one order, whoever was first.
void StoreUnit::send_flushes() {
  std::sort(to_flush_.begin(), to_flush_.end(),
            [](const Flush& a, const Flush& b) { return std::pair(a.block, a.port) < std::pair(b.block, b.port); });
  const Time at = clock_.at_or_after(now());
  for (const Flush& f : to_flush_)
    ports_.flush(f.port, f.block,
                 gpu_.begin(pcie::memory_read(pool_, f.address / 4 * 4, 4_B),  // a read has whole words of 4 B
                            {at, f.by, net::Stage::pipeline, "a fence reads back"}, at));
  to_flush_.clear();
}

void StoreUnit::flushed(int number, net::Cause by) {
  Block& b = block(number);
  if (--b.flushes > 0) return;
  b.last_left = by;
  b.fence = std::max(by.when, now()) + config_.fence_latency;
  gpu_.simulation().agenda().arm_by(fence_alarm_, b.fence);
}

void StoreUnit::end_fences() {
  const Time at = now();
  Time next = Time::max();
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (blocks_[i] == nullptr) continue;
    Block& b = *blocks_[i];
    if (b.fence <= at && config_.fence == StoreUnitConfig::Fence::quiet && b.left < b.given) {
      b.fence = Time::max();  // the block has begun to store again
    } else if (b.fence <= at) {
      const Release r = b.releases.take_front();
      signal(r.address, r.value, b.last_left);
      b.fence = Time::max();
      fence(static_cast<int>(i));
      if (b.releases.empty()) b.released.notify();
    }
    next = std::min(next, b.fence);
  }
  if (next != Time::max()) gpu_.simulation().agenda().arm_by(fence_alarm_, next);
}

void StoreUnit::signal(std::uint64_t address, std::uint64_t value, net::Cause by) {
  signals_.push_back({address, value, by});
  arm(now());
}

/// Those of an instant leave in one order, whoever was first.
void StoreUnit::send_signals() {
  std::sort(signals_.begin(), signals_.end(), [](const Signal& a, const Signal& b) {
    return std::pair(a.address, a.value) < std::pair(b.address, b.value);
  });
  const Time at = clock_.at_or_after(now());
  for (const Signal& s : signals_) {
    net::Delivery d = gpu_.begin(pcie::memory_write(pool_, s.address, 8_B),
                                 {at, s.by, net::Stage::pipeline, "a block tells its peer"}, at);
    d.packet->say_last(s.value);
    ports_.write(ports_.way(s.address).port, std::move(d));
  }
  signals_.clear();
}

StoreUnit::Seen StoreUnit::seen(Fiber& f, std::uint64_t end, std::uint64_t value, Time since) {
  host::Word& w = ports_.word(end);
  while (w.value < value) f.wait(w.changed, "a peer's store to " + gpu_.name());
  // The first load that reads it then or later: each reads half a latency after it began.
  const Time latency = config_.load_latency;
  const Time first = since + Time::from_fs(latency.fs() / 2);
  const std::int64_t loads = w.since <= first ? 1 : 1 + (w.since - first + latency - 1_fs) / latency;
  return {since + latency * loads, {w.since, w.writer}};
}

}  // namespace tsunagi::gpu
