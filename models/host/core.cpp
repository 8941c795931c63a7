// SPDX-License-Identifier: Apache-2.0
#include "models/host/core.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "flow/segmentation.hpp"
#include "models/host/refusal.hpp"
#include "models/host/transaction.hpp"

namespace tsunagi::host {

Core::Core(DeviceArgs args, const CoreConfig& c)
    : Device(args.sim, args.pool, args.name),
      config_(c),
      clock_(c.clock),
      max_train_(args.max_train),
      free_buffers_(c.write_combining_buffers),
      scheduler_(name(), clock_, c.sharing) {
  add_port("bus", args.specs.of(c, 1, [] {
    net::PortSpec bus;
    bus.protocol = "on_chip";
    bus.needed = true;
    return bus;
  }));
}

void Core::receive(int, net::Delivery d) {
  require_okay(*this, *d.packet);
  const TransactionType type = d.packet->header<Transaction>().type;
  if (type != TransactionType::answer_with_data || !loading_ || answer_ != nullptr)
    throw std::runtime_error(name() + " received a packet it did not ask for");
  d.slot.release(d.schedule);
  answer_ = std::move(d.packet);
  answered_.notify();
}

void Core::take(Program& p) {
  std::vector<Piece> waited;
  take(p, waited);
  for (const Piece& w : waited) step(p, w.stage, w.what, w.begin, w.end);
}

void Core::take(Program& p, std::vector<Piece>& told) {
  const bool switches = scheduler_.acquire(p);
  const Time got = now();
  for (std::size_t i = 0; i < p.waited_for.size(); ++i) {
    const Time end = i + 1 < p.waited_for.size() ? p.waited_for[i + 1].since : got;
    told.push_back({net::Stage::core, held_by(p.waited_for[i].by), p.waited_for[i].since, end});
  }
  if (!switches || config_.switch_cycles == 0) return;
  p.fiber->wait_for(clock_.cycles(config_.switch_cycles));
  told.push_back({net::Stage::core, "switch of programs", got, now()});
}

const char* Core::held_by(const Program* p) {
  if (p == nullptr) return "core clock";
  return simulation().shared_text("core held by " + p->name).c_str();
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
  const Hold hold(*this, f);
  while (s.left > Bytes::zero())
    if (Time t = f.now(); max_train_ > 1 && store_lines(hold.program, s, t))
      f.wait_until(t);
    else
      store_line(hold.program, s);
}

void Core::execute_and_store(comm::Fiber& f, const char* what, std::int64_t cycles, const std::vector<Said>& all) {
  const Hold hold(*this, f);
  Time t = f.now() + clock_.cycles(cycles);
  step(hold.program, net::Stage::step, what, f.now(), t);
  for (const Said& said : all) {
    Stores s{said.address, Bytes(static_cast<std::int64_t>(said.bytes.size)), {}, {}, said.bytes, 0};
    while (s.left > Bytes::zero()) {
      if (max_train_ > 1 && store_lines(hold.program, s, t)) continue;
      f.wait_until(t);
      store_line(hold.program, s);
      t = f.now();
    }
  }
  f.wait_until(t);
}

void Core::store_line(Program& program, Stores& s) {
  comm::Fiber& f = *program.fiber;
  const Bytes piece = flow::next_piece(s.address, s.left, line, line);
  const Time begin = f.now();
  take_buffer(f);
  step(program, net::Stage::buffer, "write-combining buffer", begin, f.now());
  const Time begin_store = f.now();
  f.wait_for(retiring(piece));
  step(program, net::Stage::step, "store", begin_store, f.now());
  flow::PacketPtr p = make_write(pool(), s.address, piece);
  tell(p->id, program.last_step, net::Stage::pipeline, "write-combining flush", f.now(),
       f.now() + config_.store_to_bus);
  send_lines(program, s, std::move(p), net::Schedule::at(f.now() + config_.store_to_bus));
}

bool Core::store_lines(Program& program, Stores& s, Time& end) {
  Time t = end;
  net::Schedule when;
  Bytes last;
  for (Bytes ahead; ahead < s.left && static_cast<int>(when.size()) < max_train_; ahead += last) {
    last = flow::next_piece(s.address + static_cast<std::uint64_t>(ahead.count()), s.left - ahead, line, line);
    if (last != line && s.left - ahead > last) break;  // it begins within a line and goes on behind it
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
  flow::PacketPtr p = make_write(pool(), s.address, count == 1 ? rest : line);
  p->set_train(count, count == 1 ? rest : line, rest);
  send_lines(program, s, std::move(p), std::move(when));
  end = t;
  return true;
}

void Core::send_lines(const Program& program, Stores& s, flow::PacketPtr p, net::Schedule when) {
  const Bytes n = p->total_payload();
  p->parent = program.last_step;
  p->origin = s.origin;
  p->origin_offset = static_cast<std::uint64_t>(s.done.count());
  if (s.memory != nullptr && s.done < s.silent)
    p->contents =
        s.memory->contents(s.source + static_cast<std::uint64_t>(s.done.count()), std::min(n, s.silent - s.done));
  p->say(s.silent - s.done, s.said);
  if (lines_ && config_.line_cache.stores == StorePolicy::through) store_through(*p);
  s.address += static_cast<std::uint64_t>(n.count());
  s.done += n;
  s.left -= n;
  flushed_ = when.back().tail;
  net::Delivery d;
  d.slot = net::Slot(*this, write_class, {1, 0}, p->count);
  d.packet = std::move(p);
  d.schedule = std::move(when);
  port(0).send(0, std::move(d));
}

void Core::store_through(flow::Packet& p) {
  const Bytes n = p.total_payload();
  if (!touched_->has(p.address, n)) return;
  p.header<Transaction>().cache = number_of_lines_;
  lines_->store(p.address, n, now());
}

std::uint64_t Core::load(comm::Fiber& f, std::uint64_t address, Bytes n) {
  const Hold hold(*this, f);
  return read(hold.program, address, n).value;
}

Core::Loaded Core::read(Program& p, std::uint64_t address, Bytes n) {
  if (n <= Bytes::zero() || n > 8_B) throw std::logic_error(name() + ": a load has one to eight bytes");
  comm::Fiber& f = *p.fiber;
  loading_ = true;
  const Time at = std::max(f.now() + config_.load_to_bus, flushed_);
  port(0).send(
      0, begin(make_read(pool(), address, n), {at, {f.now(), p.last_step}, net::Stage::pipeline, "uncached load"}, at));
  while (answer_ == nullptr) f.wait(answered_, fmt::format("the answer to a load of {:#x}", address));
  const flow::PacketPtr answer = std::move(answer_);
  loading_ = false;
  p.last_step = answer->id;
  const Time back = f.now();
  f.wait_for(config_.uncached_load);
  step(p, net::Stage::step, "uncached load retires", back, f.now());
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

void Core::wait_for_interrupt(comm::Fiber& f, Word& w, std::uint64_t& seen) {
  Program& p = scheduler_.program(f);
  p.handler = false;
  scheduler_.leave(p);
  while (w.writer == seen) f.wait(w.changed, "an interrupt");
  p.handler = true;
  p.last_step = seen = w.writer;
}

void Core::step(Program& p, net::Stage stage, const char* what, Time begin, Time end) {
  if (end == begin) return;
  const std::uint64_t item = make_item();
  tell(item, p.last_step, stage, what, begin, end);
  p.last_step = item;
}

}  // namespace tsunagi::host
