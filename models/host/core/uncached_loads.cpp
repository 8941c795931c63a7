// SPDX-License-Identifier: Apache-2.0
#include "models/host/core/uncached_loads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "models/host/transaction.hpp"

namespace tsunagi::host {

void UncachedLoads::answer(const flow::Packet& p) {
  const Bytes n = p.total_payload();
  if (n > left_) throw std::runtime_error(core_.name() + " received more bytes than it asked for");
  if (p.contents) {
    loaded_.value |= p.contents.word(Bytes::zero(), n) << 8 * came_.count();
    if (p.contents.sight().since >= loaded_.sight.since) loaded_.sight = p.contents.sight();
  }
  loaded_.packet = p.id;
  came_ += n;
  left_ -= n;
  if (left_ == Bytes::zero()) answered_.notify();
}

std::uint64_t UncachedLoads::load(Fiber& f, std::uint64_t address, Bytes n) {
  const CoreSteps::Hold hold(steps_, f);
  return read(hold.program, address, n).value;
}

UncachedLoads::Loaded UncachedLoads::read(CoreSteps::Program& p, std::uint64_t address, Bytes n) {
  if (n <= Bytes::zero() || n > 8_B) throw std::logic_error(core_.name() + ": a load has one to eight bytes");
  Fiber& f = *p.fiber;
  left_ = n;
  came_ = {};
  loaded_ = {};
  const Time at = std::max(f.now() + config_.load_to_bus, stores_.flushed());
  core_.ports().front().send(0, core_.begin(make_read(pool_, address, n),
                                            {at, {f.now(), p.last_step}, net::Stage::pipeline, "uncached load"}, at));
  while (awaits_answer()) f.wait(answered_, fmt::format("the answer to a load of {:#x}", address));
  p.last_step = loaded_.packet;
  const Time back = f.now();
  f.wait_for(config_.uncached_load);
  steps_.tell(p, net::Stage::step, "uncached load retires", back, f.now());
  return loaded_;
}

std::uint64_t UncachedLoads::poll(Fiber& f, std::uint64_t end, const PollingLoop::Until& until) {
  const CoreSteps::Hold hold(steps_, f);
  CoreSteps::Program& p = hold.program;
  const Time start = f.now();
  for (;;) {
    const Loaded seen = read(p, end - 8, 8_B);
    if (until(seen.value)) {
      // What brought the value began when the load read it; it was there since `since`, by a write, unless that was
      // before the poll.
      if (seen.sight.since > start)
        core_.tell(seen.packet, seen.sight.writer, net::Stage::poll, "polling loop", seen.sight.since, seen.sight.read);
      return seen.value;
    }
    const Time again = f.now();
    f.wait_for(clock_.cycles(config_.poll_cycles));
    steps_.tell(p, net::Stage::poll, "polling loop", again, f.now());
    if (steps_.scheduler().offer(p)) steps_.take(p);
  }
}

}  // namespace tsunagi::host
