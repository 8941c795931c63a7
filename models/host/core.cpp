// SPDX-License-Identifier: Apache-2.0
#include "models/host/core.hpp"

#include <algorithm>
#include <stdexcept>

#include "models/host/refusal.hpp"
#include "models/host/transaction.hpp"

namespace tsunagi::host {

Core::Core(DeviceArgs args, const CoreConfig& c)
    : Device(args.sim, args.pool, args.name),
      config_(c),
      clock_(c.clock),
      steps_(*this, config_),
      cache_(config_, steps_),
      stores_(*this, args.pool, config_, args.max_train, steps_, cache_),
      polls_(*this, config_, steps_, cache_),
      loads_(*this, args.pool, config_, steps_, stores_),
      streams_(*this, args.pool, config_, steps_, stores_) {
  add_port("bus", args.specs.of(c, 1, [] {
    net::PortSpec bus;
    bus.protocol = "on_chip";
    bus.needed = true;
    return bus;
  }));
}

void Core::receive(int, net::Delivery&& d) {
  require_okay(*this, *d.packet);
  const TransactionType type = d.packet->header<Transaction>().type;
  if (type != TransactionType::answer_with_data || !(loads_.awaits_answer() || streams_.awaits_answer()))
    throw std::runtime_error(name() + " received a packet it did not ask for");
  d.slot.release(d.schedule);
  if (streams_.awaits_answer())
    streams_.answer(*d.packet);
  else
    loads_.answer(*d.packet);
}

std::vector<std::uint8_t> Core::load_bytes(Fiber& f, std::uint64_t address, Bytes n) {
  std::vector<std::uint8_t> out(static_cast<std::size_t>(n.count()));
  for (std::size_t i = 0; i < out.size(); i += 8) {
    const std::size_t width = std::min<std::size_t>(8, out.size() - i);
    flow::write_word(&out[i], load(f, address + i, Bytes(static_cast<std::int64_t>(width))), width);
  }
  return out;
}

void Core::leave_interrupt(Fiber& f) {
  Scheduler& scheduler = steps_.scheduler();
  Program& p = scheduler.program(f);
  p.handler = false;
  scheduler.leave(p);
}

void Core::wait_for_interrupt(Fiber& f, Word& w, std::uint64_t& seen) {
  Program& p = steps_.scheduler().program(f);
  leave_interrupt(f);
  while (w.writer == seen) f.wait(w.changed, "an interrupt");
  p.handler = true;
  p.last_step = seen = w.writer;
}

void Core::execute(Fiber& f, const char* what, std::int64_t cycles) {
  const Hold hold(steps_, f);
  const Time begin = f.now();
  f.wait_for(clock_.cycles(cycles));
  steps_.tell(hold.program, net::Stage::step, what, begin, f.now());
}

void Core::compute(Fiber& f, Time duration) {
  const Hold hold(steps_, f);
  Program& p = hold.program;
  Scheduler& scheduler = steps_.scheduler();
  Time begin = f.now();
  Time end = begin + duration;
  while (f.now() < end) {
    const Time asked = scheduler.asked_to_compute(p);
    if (asked == Time::max()) {
      f.wait_any({&scheduler.asked_event()}, end, std::string());
      continue;
    }
    const Time stop = scheduler.edge_after(asked);
    f.wait_until(std::min(stop, end));
    if (stop >= end) break;
    steps_.tell(p, net::Stage::step, "compute", begin, stop);
    scheduler.preempt(p);
    steps_.take(p);
    begin = f.now();
    end = begin + (end - stop);
  }
  steps_.tell(p, net::Stage::step, "compute", begin, f.now());
}

void Core::read(Fiber& f, Memory& memory, std::uint64_t address, Bytes n, const char* what) {
  const Hold hold(steps_, f);
  if (memory.read_lines(address, n) == 0) return;
  const Time begin = f.now();
  f.wait_for(config_.poll_detect);
  steps_.tell(hold.program, net::Stage::memory, what, begin, f.now());
}

void Core::copy(Fiber& f, Memory& memory, std::uint64_t to, std::uint64_t from, Bytes n) {
  const Copied one{to, from, n};
  copy(f, memory, &one, &one + 1);
}

void Core::copy(Fiber& f, Memory& memory, const std::vector<Copied>& all) {
  copy(f, memory, all.data(), all.data() + all.size());
}

Bytes Core::moved(const Copied& c, const Copied* next) const {
  const auto apart = [](std::uint64_t a, std::uint64_t b) { return a < b ? b - a : a - b; };
  if (next == nullptr) return c.size;
  const std::uint64_t step = std::max(apart(c.to, next->to), apart(c.from, next->from));
  return std::max(c.size, Bytes(static_cast<std::int64_t>(std::min(step, unsigned_of(config_.copy.line)))));
}

void Core::copy(Fiber& f, Memory& memory, const Copied* first, const Copied* last) {
  Bytes n;
  for (const Copied* c = first; c != last; ++c) n += moved(*c, c + 1 == last ? nullptr : c + 1);
  if (n <= Bytes::zero()) return;
  const Hold hold(steps_, f);
  const Time begin = f.now();
  std::int64_t unread = 0;
  for (const Copied* c = first; c != last; ++c) {
    unread += memory.read_lines(c->from, c->size);
    memory.read_lines(c->to, c->size);  // lines that are written whole or fetched for it: not waited for
  }
  f.wait_for(config_.copy_time(n, unread));
  steps_.tell(hold.program, net::Stage::step, "copy", begin, f.now());
  // What is seen of it has a step to follow, also where copies take no time.
  if (hold.program.last_step == 0) hold.program.last_step = make_item();
  for (const Copied* c = first; c != last; ++c) memory.copy(c->to, c->from, c->size, hold.program.last_step);
}

}  // namespace tsunagi::host
