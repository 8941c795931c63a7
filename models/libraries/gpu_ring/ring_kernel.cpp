// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/gpu_ring/ring_kernel.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace tsunagi::libraries {

using gpu::Stores;
using Seen = gpu::StoreUnit::Seen;

namespace {

constexpr int warp = 32;           // threads
constexpr Bytes thread_store{16};  // by a store of a thread
constexpr std::uint64_t word = 8;

Seen later(const Seen& a, const Seen& b) { return b.when > a.when ? b : a; }

}  // namespace

RingKernel::RingKernel(gpu::Gpu& g, int rank, const RingConfig& c, Calls calls, const comm::Steps& step,
                       sim::Simulation& sim)
    : gpu_(g), unit_(g.stores()), rank_(rank), config_(c), calls_(std::move(calls)), step_(step) {
  g.set_programs(*this);
  for (int channel = 0; channel < c.channels; ++channel)
    sim.spawn_service("block " + std::to_string(channel) + " of " + g.name(),
                      [this, channel](Fiber& f) { run_block(f, channel); });
}

void RingKernel::begin(std::uint32_t program, net::Cause by) {
  number_ = program;
  begun_ = by;
  running_ = channels_ = operation().way().channels;
  started_.notify();
}

void RingKernel::run_block(Fiber& f, int channel) {
  for (std::uint64_t done = 0;;) {
    while (number_ == done) f.wait(started_, "a kernel");
    done = number_;
    if (channel >= channels_) continue;
    f.wait_for(unit_.config().load_latency * config_.prologue_loads);
    const RingOperation& o = operation();
    const RingWay way = o.way();
    const auto primitives = ring_primitives(way.algorithm, o.call(), rank_, o.ranks());
    for (const std::vector<RingBlock>& round : ring_rounds(config_, way, o.call(), o.ranks(), channel))
      for (const RingPrimitive& p : primitives) {
        const RingBlock& b = round[static_cast<std::size_t>(p.block)];
        if (way.protocol == RingProtocol::simple)
          simple(f, channel, p, b);
        else
          lines(f, channel, p, b);
      }
    unit_.wait_released(f, channel);
    if (--running_ > 0) continue;
    calls_.over(rank_, done);
    gpu_.program_ended();
  }
}

std::vector<RingConnection*> RingKernel::incoming(int channel, const RingPrimitive& p) const {
  std::vector<RingConnection*> out;
  for (const int from : p.from) out.push_back(&calls_.connection(operation().way().protocol, channel, from, rank_));
  return out;
}

std::vector<RingConnection*> RingKernel::outgoing(int channel, const RingPrimitive& p) const {
  std::vector<RingConnection*> out;
  for (const int to : p.to) out.push_back(&calls_.connection(operation().way().protocol, channel, rank_, to));
  return out;
}

RingContent RingKernel::take(const RingPrimitive& p, const RingBlock& b, const std::vector<RingConnection*>& from) {
  std::vector<const RingContent*> came;
  for (RingConnection* c : from) came.push_back(&c->content(c->received));
  RingContent out = operation().combined(rank_, b, came, p.own);
  if (p.keep) operation().keep(rank_, out);
  return out;
}

/// To the next slot of a connection, of what the rank has in its hands.
Stores RingKernel::stores(int channel, const RingBlock& b, const std::vector<RingConnection*>& from,
                          const RingConnection& to) {
  Stores s;
  s.block = channel;
  s.source = from.empty() ? unsigned_of(b.offset) : from.front()->buffer + from.front()->place(from.front()->received);
  s.target = to.buffer_window + to.place(to.sent);
  s.size = b.size;
  return s;
}

Seen RingKernel::wait_room(Fiber& f, const std::vector<RingConnection*>& to, int steps) {
  Seen out{f.now(), begun_};
  for (const RingConnection* c : to) {
    const std::uint64_t full = c->sent + static_cast<std::uint64_t>(steps);
    if (full <= static_cast<std::uint64_t>(c->steps)) continue;
    out = later(out, unit_.seen(f, c->head + word, full - static_cast<std::uint64_t>(c->steps), out.when));
  }
  return out;
}

void RingKernel::simple(Fiber& f, int channel, const RingPrimitive& p, const RingBlock& b) {
  for (const RingBlock& s : slices_of(config_, b)) slice(f, channel, p, s);
}

void RingKernel::slice(Fiber& f, int channel, const RingPrimitive& p, const RingBlock& b) {
  const std::vector<RingConnection*> from = incoming(channel, p);
  const std::vector<RingConnection*> to = outgoing(channel, p);
  const auto steps = static_cast<std::uint64_t>(config_.slice_steps);
  const Time begin = f.now();
  Seen ready = wait_room(f, to, config_.slice_steps);
  for (const RingConnection* c : from) ready = later(ready, unit_.seen(f, c->tail + word, c->received + steps, begin));
  f.wait_until(ready.when);
  RingContent content;
  if (b.size > Bytes::zero()) content = take(p, b, from);
  const Time loaded = f.now() + unit_.config().load_latency;
  if (b.size > Bytes::zero()) {
    for (const RingConnection* c : to) {
      step_.sent(b.size);
      Stores s = stores(channel, b, from, *c);
      s.begin = loaded;
      s.since = ready.by;
      unit_.store(s);
    }
    if (to.empty()) f.wait_until(loaded + unit_.config().block_rate.time(b.size));
    unit_.wait_stored(f, channel);
  }
  unit_.wait_released(f, channel);
  for (RingConnection* c : to) {
    c->content(c->sent) = content;
    c->sent += steps;
    unit_.release(channel, c->tail_window, c->sent);
  }
  for (RingConnection* c : from) {
    c->received += steps;
    unit_.signal(c->head_window, c->received, ready.by);
  }
}

void RingKernel::lines(Fiber& f, int channel, const RingPrimitive& p, const RingBlock& b) {
  const std::vector<RingConnection*> from = incoming(channel, p);
  const std::vector<RingConnection*> to = outgoing(channel, p);
  const RingProtocol protocol = operation().way().protocol;
  const Bytes line = config_.line_of(protocol);
  const Bytes data = config_.data_of(protocol);
  const Bytes all = line * units_of(b.size, data);
  const Bytes turn = thread_store * warp;
  const Seen room = wait_room(f, to, 1);
  std::vector<Time> warps(static_cast<std::size_t>(config_.of(protocol).threads / warp), room.when);
  Time last = room.when;
  std::size_t i = 0;
  for (Bytes done; done < all; done += turn) {
    const Bytes n = std::min(turn, all - done);
    Time& mine = warps[i++ % warps.size()];
    Seen ready{mine + unit_.config().load_latency, room.by};
    for (const RingConnection* c : from) {
      const std::uint64_t begin = c->buffer + c->place(c->received) + unsigned_of(done);
      const std::uint64_t end = begin + unsigned_of(n);
      const std::uint64_t run = c->in_order > Bytes::zero() ? unsigned_of(c->in_order) : end;
      for (std::uint64_t at = begin; at < end;) {
        at = std::min(end, (at / run + 1) * run);
        ready = later(ready, unit_.seen(f, at, c->received + 1, mine));
      }
    }
    mine = ready.when;
    last = std::max(last, mine);
    if (done == Bytes::zero()) {  // known before its first line can be seen
      const RingContent content = take(p, b, from);
      for (RingConnection* c : to) c->content(c->sent) = content;
    }
    for (RingConnection* c : to) {
      Stores s = stores(channel, b, from, *c);
      s.source += unsigned_of(done);
      s.target += unsigned_of(done);
      s.size = s.burst = n;
      s.flag = c->sent + 1;
      s.in_order = c->in_order;
      s.begin = mine;
      s.since = ready.by;
      unit_.store(s);
    }
  }
  f.wait_until(last);
  if (b.size > Bytes::zero())
    for (std::size_t of = 0; of < to.size(); ++of) step_.sent(b.size);
  for (RingConnection* c : to) ++c->sent;
  for (RingConnection* c : from) {
    ++c->received;
    unit_.signal(c->head_window, c->received, {f.now(), 0});
  }
}

}  // namespace tsunagi::libraries
