// SPDX-License-Identifier: Apache-2.0
#include "models/host/core/core_cache.hpp"

#include "models/host/transaction.hpp"

namespace tsunagi::host {

LineCache& CoreCache::lines_of(Memory& memory) {
  if (!lines_) {
    const LineCacheConfig& c = config_.line_cache;
    lines_ = std::make_unique<LineCache>(c.size, c.ways, c.line);
    touched_ = &memory;
  }
  const std::uint16_t number = memory.add_cache(*lines_);
  if (touched_ == &memory) number_of_lines_ = number;
  return *lines_;
}

void CoreCache::touch(Fiber& f, Memory& memory, std::uint64_t address, Bytes n, const char* what) {
  const CoreSteps::Hold hold(steps_, f);
  LineCache& lines = lines_of(memory);
  const Time begin = f.now();
  const LineCache::Touched t = lines.touch(address, n, begin);
  const Time found = begin + clock_.cycles(t.hits * config_.line_cache.hit_cycles);
  const Time end = found + config_.line_cache.miss * t.misses;
  f.wait_until(end);
  steps_.tell(hold.program, net::Stage::step, what, begin, found);
  steps_.tell(hold.program, net::Stage::memory, "cache misses", found, end);
}

Time CoreCache::fetch(ByteRange word, Time now) {
  // A write that the core has seen has made the line stale, also one of this moment.
  const LineCache::Touched t =
      lines_->touch(word.begin, Bytes(static_cast<std::int64_t>(word.end - word.begin)), now + Time::from_fs(1));
  return t.misses == 0 ? clock_.cycles(t.hits * config_.line_cache.hit_cycles) : config_.poll_detect;
}

void CoreCache::store(flow::Packet& p, Time now) {
  const Bytes n = p.total_payload();
  if (!touched_->has(p.address, n)) return;
  p.header<Transaction>().cache = number_of_lines_;
  lines_->store(p.address, n, now);
}

}  // namespace tsunagi::host
