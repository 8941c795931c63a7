// SPDX-License-Identifier: Apache-2.0
#include "models/host/scheduler.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>

namespace tsunagi::host {

Scheduler::Program& Scheduler::program(Fiber& f) {
  if (last_ != nullptr && last_->fiber == &f) return *last_;
  for (const auto& p : programs_)
    if (std::find(p->fibers.begin(), p->fibers.end(), &f) != p->fibers.end()) {
      p->fiber = &f;
      return *p;
    }
  Program& p = add(std::string(f.name()));
  p.fibers.push_back(p.fiber = &f);
  f.at_end([this, &p] { leave(p); });
  return p;
}

void Scheduler::part_of(const std::string& program, Fiber& f) {
  const auto known =
      std::find_if(programs_.begin(), programs_.end(), [&](const auto& p) { return p->name == program; });
  Program& p = known == programs_.end() ? add(program) : **known;
  if (std::find(p.fibers.begin(), p.fibers.end(), &f) == p.fibers.end()) p.fibers.push_back(&f);
}

Scheduler::Program& Scheduler::add(std::string name) {
  programs_.push_back(std::make_unique<Program>(std::move(name)));
  return *programs_.back();
}

bool Scheduler::acquire(Program& p) {
  p.waited_for.clear();
  if (owner_ == &p) return false;  // it keeps the core between its steps
  const Time t = p.fiber->now();
  const bool goes_on = last_ == &p || (last_ == nullptr && told_ < 2 && !p.handler);
  if (owner_ == nullptr && goes_on && asked(false) >= t)
    take(p);
  else
    wait_for_turn(p);
  if (p.handler) return false;
  const bool switches = last_program_ != nullptr && last_program_ != &p;
  last_program_ = &p;
  return switches;
}

void Scheduler::wait_for_turn(Program& p) {
  check_first_use(p);
  Fiber& f = *p.fiber;
  p.asked = f.now();
  p.waited_for.push_back({p.asked, owner_});
  waiting_.push_back(&p);
  asked_.notify();
  f.wait_any({&p.granted}, edge_after(p.asked), [this] { return why(); });
  if (owner_ == nullptr) hand_over(f.now());
  while (owner_ != &p) f.wait(p.granted, why());
}

void Scheduler::take(Program& p) {
  if (first_ == nullptr) {
    first_ = &p;
    first_use_ = p.fiber->now();
  }
  p.interrupted = false;
  owner_ = last_ = &p;
  waiting_.erase(std::remove(waiting_.begin(), waiting_.end(), &p), waiting_.end());
  for (Program* w : waiting_) w->waited_for.push_back({p.fiber->now(), &p});
}

/// The core is free: it goes to the best of those who asked before `t`.
void Scheduler::hand_over(Time t) {
  Program* next = best(t, false);
  if (next == nullptr) return;
  take(*next);
  next->granted.notify();
}

void Scheduler::release(Program& p) {
  if (!keeps(p)) leave(p);
}

void Scheduler::leave(Program& p) {
  if (owner_ != &p) return;
  owner_ = nullptr;
  hand_over(p.fiber->now());
}

bool Scheduler::let_in(Program& p, bool handlers_only, bool interrupted) {
  Program* next = best(p.fiber->now(), handlers_only);
  if (next == nullptr) return false;
  p.interrupted = interrupted;
  owner_ = nullptr;
  take(*next);
  next->granted.notify();
  return true;
}

Scheduler::Program* Scheduler::best(Time t, bool handlers_only) const {
  const auto turn = [](const Program& p) { return std::make_tuple(!p.handler, !p.interrupted, p.asked, &p.name); };
  const auto before = [&](const Program& a, const Program& b) {
    const auto [ah, ai, at, an] = turn(a);
    const auto [bh, bi, bt, bn] = turn(b);
    return std::tie(ah, ai, at, *an) < std::tie(bh, bi, bt, *bn);
  };
  Program* out = nullptr;
  for (Program* w : waiting_)
    if ((w->asked < t || w->interrupted) && (w->handler || !handlers_only) && (out == nullptr || before(*w, *out)))
      out = w;
  return out;
}

Time Scheduler::asked(bool handlers_only) const {
  Time first = Time::max();
  for (const Program* w : waiting_)
    if (w->handler || !handlers_only) first = std::min(first, w->asked);
  return first;
}

void Scheduler::check_first_use(const Program& p) const {
  if (told_ >= 2 || p.handler || first_ == nullptr || first_ == &p || first_->handler || first_use_ != p.fiber->now())
    return;
  const auto [a, b] = std::minmax(p.name, first_->name);
  throw std::logic_error(core_ + ": " + a + " and " + b +
                         " begin at one time; say that it has several programs (add_program)");
}

std::string Scheduler::why() const {
  return owner_ == nullptr ? "the next clock edge of " + core_ : core_ + ", held by " + owner_->name;
}

}  // namespace tsunagi::host
