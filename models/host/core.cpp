// SPDX-License-Identifier: Apache-2.0
#include "models/host/core.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "flow/segmentation.hpp"
#include "models/pcie/refusal.hpp"
#include "models/pcie/tlp.hpp"

namespace tsunagi::host {

void describe(CoreConfig& c, config::Describer& d) {
  using namespace config;
  d.field("clock", c.clock, "core clock", within(Frequency(10'000'000), Frequency(10'000'000'000)),
          ideal(Frequency(10'000'000'000)));
  d.field("write_combining_buffers", c.write_combining_buffers, "64-byte lines that can be on their way out",
          within(1, 64), ideal(64));
  d.field("store_cycles", c.store_cycles, "cycles an 8-byte store takes to retire",
          within(std::int64_t{1}, std::int64_t{1000}), ideal(std::int64_t{1}));
  d.field("store_to_bus", c.store_to_bus, "from the store that completes a line to the line on the bus", at_most(1_us),
          ideal(0_ns));
  d.field("poll_cycles", c.poll_cycles, "cycles of one iteration of a polling loop",
          within(std::int64_t{1}, std::int64_t{10000}), ideal(std::int64_t{1}));
  d.field("poll_detect", c.poll_detect, "from the poll that misses in the cache to the new value in a register",
          at_most(1_us), ideal(0_ns));
  d.field("load_to_bus", c.load_to_bus, "from the issue of an uncached load to its request on the bus", at_most(1_us),
          ideal(0_ns));
  d.field("uncached_load", c.uncached_load,
          "from the answer to an uncached load on the bus to the instruction behind it: nothing follows it earlier",
          at_most(1_us), ideal(0_ns));
}

Core::Core(DeviceArgs args, const CoreConfig& c)
    : Device(args.sim, args.pool, args.name),
      config_(c),
      clock_(c.clock),
      max_train_(args.max_train),
      free_buffers_(c.write_combining_buffers) {
  net::PortSpec bus;
  bus.name = "bus";
  bus.protocol = "on_chip";
  bus.needed = true;
  add_port(std::move(bus));
}

void Core::receive(int, net::Delivery d) {
  pcie::require_success(*this, *d.packet);
  const pcie::TlpType type = d.packet->header<pcie::Tlp>().type;
  if (type != pcie::TlpType::completion_with_data || !loading_ || answer_ != nullptr)
    throw std::runtime_error(name() + " received a packet it did not ask for");
  d.slot.release(d.schedule);
  answer_ = std::move(d.packet);
  load_done_.notify();
}

void Core::take_buffer(comm::Fiber& f) {
  for (;;) {
    while (!releases_.empty() && releases_.front() <= f.now()) {
      releases_.pop_front();
      ++free_buffers_;
    }
    if (free_buffers_ > 0) break;
    if (!releases_.empty())
      f.wait_until(releases_.front());
    else
      f.wait(buffer_freed_, "a write-combining buffer of " + name());
  }
  --free_buffers_;
}

void Core::slot_released(flow::FlowClass, flow::Credits, net::Spans when, std::uint64_t) {
  for (const net::Span& s : when) releases_.push_back(s.tail);
  buffer_freed_.notify();
}

void Core::store(comm::Fiber& f, Stores s) {
  wait_for_stores(f);
  storing_ = true;
  while (s.left > Bytes::zero())
    if (max_train_ == 1 || !store_lines(f, s)) store_line(f, s);
  storing_ = false;
  stored_.notify();
}

void Core::wait_for_stores(comm::Fiber& f) {
  while (storing_) f.wait(stored_, "the stores of another program on " + name());
}

void Core::store_line(comm::Fiber& f, Stores& s) {
  const Bytes piece = flow::next_piece(s.address, s.left, line, line);
  const Time begin = f.now();
  take_buffer(f);
  step(net::Stage::buffer, "write-combining buffer", begin, f.now());
  const Time begin_store = f.now();
  f.wait_for(retiring(piece));
  step(net::Stage::step, "store", begin_store, f.now());
  flow::PacketPtr p = pcie::memory_write(pool(), s.address, piece);
  tell(p->id, last_step_, net::Stage::pipeline, "write-combining flush", f.now(), f.now() + config_.store_to_bus);
  send_lines(s, std::move(p), net::Schedule::at(f.now() + config_.store_to_bus));
}

bool Core::store_lines(comm::Fiber& f, Stores& s) {
  Time t = f.now();
  net::Schedule when;
  Bytes last;
  for (Bytes ahead; ahead < s.left && static_cast<int>(when.size()) < max_train_; ahead += last) {
    last = flow::next_piece(s.address + static_cast<std::uint64_t>(ahead.count()), s.left - ahead, line, line);
    if (last != line && (when.size() == 0 || s.left - ahead >= line)) break;  // it begins within a line
    for (; !releases_.empty() && releases_.front() <= t; releases_.pop_front()) ++free_buffers_;
    if (free_buffers_ > 0)
      --free_buffers_;
    else if (!releases_.empty())
      t = releases_.take_front();
    else
      break;
    t += retiring(last);
    when.push_back({t + config_.store_to_bus, t + config_.store_to_bus});
  }
  if (when.size() == 0) return false;
  const auto count = static_cast<std::int32_t>(when.size());
  const Bytes rest = std::min(line, s.left - line * (count - 1));
  flow::PacketPtr p = pcie::memory_write(pool(), s.address, count == 1 ? rest : line);
  p->set_train(count, count == 1 ? rest : line, rest);
  send_lines(s, std::move(p), std::move(when));
  f.wait_until(t);
  return true;
}

void Core::send_lines(Stores& s, flow::PacketPtr p, net::Schedule when) {
  const Bytes n = p->total_payload();
  p->parent = last_step_;
  p->origin = s.origin;
  p->origin_offset = static_cast<std::uint64_t>(s.done.count());
  p->say(s.silent - s.done, s.said);
  s.address += static_cast<std::uint64_t>(n.count());
  s.done += n;
  s.left -= n;
  flushed_ = when.back().tail;
  net::Delivery d;
  d.slot = net::Slot(*this, pcie::posted, {1, 0}, p->count);
  d.packet = std::move(p);
  d.schedule = std::move(when);
  port(0).send(0, std::move(d));
}

void Core::poll(comm::Fiber& f, Memory& memory, std::uint64_t end, Bytes width, const Until& until) {
  Word& w = memory.word_ending_at(end, width);
  const Time start = f.now();
  while (!until(w.value)) f.wait(w.changed, fmt::format("a write to {} at {:#x} (poll)", memory.name(), w.place.begin));
  const Time period = clock_.cycles(config_.poll_cycles);
  const Time seen = std::max(w.since, start);
  const std::int64_t iterations = (seen - start + period - Time::from_fs(1)) / period;
  const Time loop = start + period * iterations;
  f.wait_until(loop + config_.poll_detect);
  // It ends with the write that it saw, or, where that was there before, follows the program's step before.
  if (w.since > start) last_step_ = w.writer;
  step(net::Stage::poll, "polling loop", seen, loop);
  step(net::Stage::poll, "fetch the line", loop, f.now());
}

Core::Loaded Core::read(comm::Fiber& f, std::uint64_t address, Bytes n) {
  if (n <= Bytes::zero() || n > 8_B) throw std::logic_error(name() + ": a load has one to eight bytes");
  while (loading_) f.wait(load_done_, "the load before, of " + name());
  loading_ = true;
  wait_for_stores(f);
  const Time at = std::max(f.now() + config_.load_to_bus, flushed_);
  port(0).send(0, begin(pcie::memory_read(pool(), address, n),
                        {at, {f.now(), last_step_}, net::Stage::pipeline, "uncached load"}, at));
  while (answer_ == nullptr) f.wait(load_done_, fmt::format("the answer to a load of {:#x}", address));
  const flow::PacketPtr answer = std::move(answer_);
  last_step_ = answer->id;
  const Time back = f.now();
  f.wait_for(config_.uncached_load);
  step(net::Stage::step, "uncached load retires", back, f.now());
  loading_ = false;
  load_done_.notify();
  return {answer->last_word(), answer->id, answer->contents ? answer->contents.sight() : flow::Sight{}};
}

std::vector<std::uint8_t> Core::load_bytes(comm::Fiber& f, std::uint64_t address, Bytes n) {
  std::vector<std::uint8_t> out(static_cast<std::size_t>(n.count()));
  for (std::size_t i = 0; i < out.size(); i += 8) {
    const std::size_t width = std::min<std::size_t>(8, out.size() - i);
    flow::write_word(&out[i], load(f, address + i, Bytes(static_cast<std::int64_t>(width))), width);
  }
  return out;
}

std::uint64_t Core::poll_uncached(comm::Fiber& f, std::uint64_t end, const Until& until) {
  const Time start = f.now();
  for (;;) {
    const Loaded seen = read(f, end - 8, 8_B);
    if (until(seen.value)) {
      // What brought the value began when the load read it; it was there since `since`, by a write, unless that was
      // before the poll.
      if (seen.sight.since > start)
        tell(seen.packet, seen.sight.writer, net::Stage::poll, "polling loop", seen.sight.since, seen.sight.read);
      return seen.value;
    }
    const Time again = f.now();
    f.wait_for(clock_.cycles(config_.poll_cycles));
    step(net::Stage::poll, "polling loop", again, f.now());
  }
}

void Core::wait_for_interrupt(comm::Fiber& f, Word& w, std::uint64_t& seen) {
  while (w.writer == seen) f.wait(w.changed, "an interrupt");
  last_step_ = seen = w.writer;
}

void Core::execute(comm::Fiber& f, const char* what, std::int64_t cycles) {
  const Time begin = f.now();
  f.wait_for(clock_.cycles(cycles));
  step(net::Stage::step, what, begin, f.now());
}

void Core::step(net::Stage stage, const char* what, Time begin, Time end) {
  if (end == begin) return;
  const std::uint64_t item = make_item();
  tell(item, last_step_, stage, what, begin, end);
  last_step_ = item;
}

}  // namespace tsunagi::host
