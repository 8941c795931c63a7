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

CoreCache::Step CoreCache::touch_at(LineCache& lines, std::uint64_t address, Bytes n, Time at) const {
  const LineCache::Touched t = lines.touch(address, n, at);
  const Time found = at + clock_.cycles(t.hits * config_.line_cache.hit_cycles);
  return {at, found, found + config_.line_cache.miss * t.misses};
}

void CoreCache::tell(CoreSteps::Program& p, const Step& s, const char* what) {
  steps_.tell(p, net::Stage::step, what, s.begin, s.found);
  steps_.tell(p, net::Stage::memory, "cache misses", s.found, s.end);
}

void CoreCache::touch(Fiber& f, Memory& memory, std::uint64_t address, Bytes n, const char* what) {
  const CoreSteps::Hold hold(steps_, f);
  const Step s = touch_at(lines_of(memory), address, n, f.now());
  f.wait_until(s.end);
  tell(hold.program, s, what);
}

void CoreCache::touch_each(Fiber& f, Memory& memory, const std::vector<std::uint64_t>& addresses, Bytes n,
                           const char* what) {
  if (!steps_.scheduler().alone(f)) {
    for (const std::uint64_t address : addresses) touch(f, memory, address, n, what);
    return;
  }
  const CoreSteps::Hold hold(steps_, f);
  LineCache& lines = lines_of(memory);
  std::vector<Step> all;
  all.reserve(addresses.size());
  Time at = f.now();
  for (const std::uint64_t address : addresses) {
    // What makes room for a line that is not there hangs on what others have written by then.
    if (at > f.now() && !lines.has(address, n, at)) f.wait_until(at);
    all.push_back(touch_at(lines, address, n, at));
    at = all.back().end;
  }
  f.wait_until(at);
  for (const Step& s : all) tell(hold.program, s, what);
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
