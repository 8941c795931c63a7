// SPDX-License-Identifier: Apache-2.0
#include "models/host/core/write_combining.hpp"

#include <algorithm>

#include "flow/segmentation.hpp"
#include "models/host/transaction.hpp"

namespace tsunagi::host {

WriteCombining::WriteCombining(net::Device& core, flow::PacketPool& pool, const CoreConfig& c, int max_train,
                               CoreSteps& steps, CoreCache& cache)
    : core_(core),
      pool_(pool),
      config_(c),
      clock_(c.clock),
      steps_(steps),
      cache_(cache),
      max_train_(max_train),
      free_buffers_(c.write_combining_buffers) {}

void WriteCombining::await_free(Fiber& f, int buffers) {
  for (;;) {
    while (!releases_.empty() && releases_.front() <= f.now()) {
      releases_.pop_front();
      ++free_buffers_;
    }
    if (free_buffers_ >= buffers) break;
    if (!releases_.empty())
      f.wait_until(releases_.front());
    else
      f.wait(buffer_freed_, "a write-combining buffer of " + core_.name());
  }
}

void WriteCombining::take_buffer(Fiber& f) {
  await_free(f, 1);
  --free_buffers_;
}

void WriteCombining::fence(Fiber& f) {
  const CoreSteps::Hold hold(steps_, f);
  const Time begin = f.now();
  await_free(f, config_.write_combining_buffers);
  if (acknowledged_ > f.now()) f.wait_until(acknowledged_);
  steps_.tell(hold.program, net::Stage::buffer, "store fence", begin, f.now());
}

void WriteCombining::slot_released(flow::FlowClass, flow::Credits, net::Spans when, std::uint64_t) {
  for (const net::Span& s : when) releases_.push_back(s.tail);
  acknowledged_ = std::max(acknowledged_, when.back().tail + config_.store_acknowledged);
  buffer_freed_.notify();
}

void WriteCombining::store(Fiber& f, Stores s) {
  const CoreSteps::Hold hold(steps_, f);
  while (s.left > Bytes::zero())
    if (Time t = f.now(); max_train_ > 1 && store_lines(hold.program, s, t))
      f.wait_until(t);
    else
      store_line(hold.program, s);
}

void WriteCombining::execute_and_store(Fiber& f, const char* what, std::int64_t cycles, const std::vector<Said>& all) {
  const CoreSteps::Hold hold(steps_, f);
  Time t = f.now() + clock_.cycles(cycles);
  steps_.tell(hold.program, net::Stage::step, what, f.now(), t);
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

void WriteCombining::store_line(CoreSteps::Program& program, Stores& s) {
  Fiber& f = *program.fiber;
  const Bytes piece = flow::next_piece(s.address, s.left, line, line);
  const Time begin = f.now();
  take_buffer(f);
  steps_.tell(program, net::Stage::buffer, "write-combining buffer", begin, f.now());
  const Time begin_store = f.now();
  f.wait_for(retiring(piece));
  steps_.tell(program, net::Stage::step, "store", begin_store, f.now());
  flow::PacketPtr p = make_write(pool_, s.address, piece);
  core_.tell(p->id, program.last_step, net::Stage::pipeline, "write-combining flush", f.now(),
             f.now() + config_.store_to_bus);
  send_lines(program, s, std::move(p), net::Schedule::at(f.now() + config_.store_to_bus));
}

bool WriteCombining::store_lines(CoreSteps::Program& program, Stores& s, Time& end) {
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
  flow::PacketPtr p = make_write(pool_, s.address, count == 1 ? rest : line);
  p->set_train(count, count == 1 ? rest : line, rest);
  send_lines(program, s, std::move(p), std::move(when));
  end = t;
  return true;
}

void WriteCombining::send_lines(const CoreSteps::Program& program, Stores& s, flow::PacketPtr p, net::Schedule when) {
  const Bytes n = p->total_payload();
  p->parent = program.last_step;
  p->origin = s.origin;
  p->origin_offset = static_cast<std::uint64_t>(s.done.count());
  if (s.memory != nullptr && s.done < s.silent)
    p->contents =
        s.memory->contents(s.source + static_cast<std::uint64_t>(s.done.count()), std::min(n, s.silent - s.done));
  p->say(s.silent - s.done, s.said);
  cache_.store_through(*p, core_.simulation().now());
  s.address += static_cast<std::uint64_t>(n.count());
  s.done += n;
  s.left -= n;
  flushed_ = when.back().tail;
  net::Delivery d;
  d.slot = net::Slot(*this, write_class, {1, 0}, p->count);
  d.packet = std::move(p);
  d.schedule = std::move(when);
  core_.ports().front().send(0, std::move(d));
}

}  // namespace tsunagi::host
