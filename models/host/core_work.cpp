// SPDX-License-Identifier: Apache-2.0
// Steps of a core that touch no bus: instructions, computation, copies, cached control words.
#include <algorithm>

#include "models/host/core.hpp"

namespace tsunagi::host {

void Core::execute(comm::Fiber& f, const char* what, std::int64_t cycles) {
  const Hold hold(*this, f);
  const Time begin = f.now();
  f.wait_for(clock_.cycles(cycles));
  step(hold.program, net::Stage::step, what, begin, f.now());
}

void Core::compute(comm::Fiber& f, Time duration) {
  const Hold hold(*this, f);
  Program& p = hold.program;
  Time begin = f.now();
  Time end = begin + duration;
  while (f.now() < end) {
    const Time asked = scheduler_.asked_to_compute(p);
    if (asked == Time::max()) {
      f.wait_any({&scheduler_.asked_event()}, end, std::string());
      continue;
    }
    const Time stop = scheduler_.edge_after(asked);
    f.wait_until(std::min(stop, end));
    if (stop >= end) break;
    step(p, net::Stage::step, "compute", begin, stop);
    scheduler_.preempt(p);
    take(p);
    begin = f.now();
    end = begin + (end - stop);
  }
  step(p, net::Stage::step, "compute", begin, f.now());
}

void Core::copy(comm::Fiber& f, Memory& memory, std::uint64_t to, std::uint64_t from, Bytes n) {
  const Copied one{to, from, n};
  copy(f, memory, &one, &one + 1);
}

void Core::copy(comm::Fiber& f, Memory& memory, const std::vector<Copied>& all) {
  copy(f, memory, all.data(), all.data() + all.size());
}

void Core::copy(comm::Fiber& f, Memory& memory, const Copied* first, const Copied* last) {
  Bytes n;
  for (const Copied* c = first; c != last; ++c) n += c->size;
  if (n <= Bytes::zero()) return;
  const Hold hold(*this, f);
  const Time begin = f.now();
  f.wait_for(config_.copy.rate(n).time(n));
  step(hold.program, net::Stage::step, "copy", begin, f.now());
  // What is seen of it has a step to follow, also where copies take no time.
  if (hold.program.last_step == 0) hold.program.last_step = make_item();
  for (const Copied* c = first; c != last; ++c) memory.copy(c->to, c->from, c->size, hold.program.last_step);
}

LineCache& Core::lines_of(Memory& memory) {
  if (!lines_) {
    const LineCacheConfig& c = config_.line_cache;
    lines_ = std::make_unique<LineCache>(c.size, c.ways, c.line);
    touched_ = &memory;
  }
  const std::uint16_t number = memory.add_cache(*lines_);
  if (touched_ == &memory) number_of_lines_ = number;
  return *lines_;
}

void Core::touch(comm::Fiber& f, Memory& memory, std::uint64_t address, Bytes n, const char* what) {
  const Hold hold(*this, f);
  LineCache& lines = lines_of(memory);
  const Time begin = f.now();
  const LineCache::Touched t = lines.touch(address, n, begin);
  const Time found = begin + clock_.cycles(t.hits * config_.line_cache.hit_cycles);
  const Time end = found + config_.line_cache.miss * t.misses;
  f.wait_until(end);
  step(hold.program, net::Stage::step, what, begin, found);
  step(hold.program, net::Stage::memory, "cache misses", found, end);
}

}  // namespace tsunagi::host
