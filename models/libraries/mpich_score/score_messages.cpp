// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/mpich_score/score_messages.hpp"

#include <algorithm>
#include <utility>

#include "config/error_at.hpp"
#include "models/libraries/envelope_line.hpp"
#include "units/parse.hpp"

namespace tsunagi::libraries {

using comm::Milestone;

namespace {

constexpr Bytes queue_area = 64_KiB;  // entries of both matching queues

}  // namespace

void describe(ScoreMessagesConfig& c, config::Describer& d) {
  using namespace config;
  constexpr std::int64_t most = 1'000'000;
  d.field("eager_limit", c.eager_limit, "longest message that travels with its envelope, in one of PM's",
          within(0_B, 1_MiB));
  d.field("unexpected", c.unexpected, "messages that are kept because nobody has posted a receive",
          within(1, 1'000'000));
  d.field("send_cycles", c.send_cycles, "core cycles to make an envelope, beside copies and PM's calls",
          within(std::int64_t{0}, most), ideal(std::int64_t{0}));
  d.field("arrival_cycles", c.arrival_cycles, "core cycles to handle one that has come, beside matching and copies",
          within(std::int64_t{0}, most), ideal(std::int64_t{0}));
  d.field("lookup_cycles", c.lookup_cycles, "core cycles to look whether memory is registered (pin-down cache)",
          within(std::int64_t{0}, most), ideal(std::int64_t{0}));
  d.field("register_call", c.register_call, "a call that registers memory which is not", at_most(10_ms), ideal(0_ns));
  d.field("register_page", c.register_page, "and for each page of 4 KiB of it", at_most(100_us), ideal(0_ns));
  d.field("pinned", c.pinned, "memory that stays registered when a message is over; 0: none", at_most(1024_GiB),
          ideal(1024_GiB));
}

ScoreMessages::ScoreMessages(const ScoreMessagesConfig& c, const PmBuffersConfig& buffers, PmNetwork& network,
                             const comm::Steps& step)
    : config_(c), network_(network), step_(step), states_(static_cast<std::size_t>(network.ranks())) {
  if (c.eager_limit + EnvelopeLine::size > buffers.longest)
    throw config::error_at("/library/eager_limit",
                           to_string(c.eager_limit) + " and an envelope of " + to_string(EnvelopeLine::size) +
                               " are more than PM's messages hold: at most " +
                               to_string(buffers.longest - EnvelopeLine::size) + " do (/library/pm/longest)");
  const Bytes each = std::max(c.eager_limit, EnvelopeLine::size);
  user_memory_ = Bytes(std::int64_t{1} << 62);
  for (int rank = 0; rank < network.ranks(); ++rank) {
    State& s = states_[rank];
    for (auto i = static_cast<int>(buffers.send_memory / buffers.longest); i > 0; --i) s.free.push_back(i - 1);
    s.pinned = protocols::PinDownCache(c.pinned);
    const process::HostProcess& me = process(rank);
    process::MemoryPlan plan(me.user_base(), me.user_base() + unsigned_of(me.user_memory()));
    s.unexpected.emplace(plan.take("unexpected messages", each * c.unexpected).base, each, c.unexpected);
    s.queues = plan.take("matching queues", queue_area);
    if (const std::string why = plan.refusal(1_B); !why.empty())
      throw config::error_at("/library/unexpected", "rank " + std::to_string(rank) + ": " + why);
    user_memory_ = std::min(user_memory_, plan.left());
  }
}

comm::Protocol ScoreMessages::protocol(const comm::Buffer& b) const {
  const std::string limit = "\"eager_limit\" is " + to_string(config_.eager_limit);
  if (b.size <= config_.eager_limit) return {"eager", 2, 1, {}, limit};
  return {"rendezvous write", 0, 1, {"ready to send", "clear to send", "finished"}, limit};
}

void ScoreMessages::send(Fiber& f, int from, int to, const comm::Envelope& e, const comm::Buffer* b) {
  State& s = states_[from];
  const int buffer = s.free.back();
  s.free.pop_back();
  const process::HostProcess& me = process(from);
  const std::uint64_t at = network_.send_buffer(from, buffer);
  const Bytes n = b == nullptr ? Bytes::zero() : b->size;
  if (n > Bytes::zero()) {
    step_.copied(comm::Copier::core, n);
    step_(f, from, "copy the message",
          [&] { me.core().copy(f, me.memory(), at + unsigned_of(EnvelopeLine::size), address(from, b->offset), n); });
  }
  step_.copied(comm::Copier::dma, n);
  step_(f, from, b == nullptr ? "send the envelope" : "send the message", [&] {
    const EnvelopeLine line(e, 1);
    me.core().execute_and_store(f, "envelope made", config_.send_cycles, {{at, line.bytes()}});
    network_.send(f, from, to, at, EnvelopeLine::size + n, buffer);
  });
}

void ScoreMessages::post(Fiber& f, int from, int to, const comm::Envelope& e, const comm::Buffer* b,
                         const comm::Request* request) {
  if (request != nullptr) request->reach(Milestone::started, f.now());
  send(f, from, to, e, b);
  if (request != nullptr) request->reach(Milestone::completed, f.now());
}

void ScoreMessages::pin(Fiber& f, int rank, const comm::Buffer& b) {
  const std::int64_t fresh = states_[rank].pinned.add(address(rank, b.offset), b.size);
  step_(f, rank, "look into the pin-down cache",
        [&] { process(rank).core().execute(f, "pin-down cache", config_.lookup_cycles); });
  if (fresh == 0) return;
  const Time t = config_.register_call + config_.register_page * fresh;
  if (t > Time::zero()) step_(f, rank, "register memory", [&] { process(rank).core().compute(f, t); });
}

std::uint64_t ScoreMessages::offer(Fiber& f, int from, const comm::Buffer& b) {
  pin(f, from, b);
  return address(from, b.offset);
}

std::uint64_t ScoreMessages::expose(Fiber& f, int rank, const comm::Envelope& /*e*/, const comm::Buffer& b) {
  pin(f, rank, b);
  return address(rank, b.offset);
}

void ScoreMessages::put(Fiber& f, int from, int to, const comm::Buffer& b, std::uint64_t target,
                        const comm::Envelope& last, const comm::Request& request) {
  states_[from].jobs.add({to, address(from, b.offset), b.size, target, last, request});
  go_on(f, from);
}

bool ScoreMessages::write(Fiber& f, int rank, Job& job) {
  State& s = states_[rank];
  if (job.write < 0) {
    if (!network_.room(rank, job.peer)) return false;
    if (s.free_writes.empty()) {
      s.free_writes.push_back(static_cast<int>(s.writes.size()));
      s.writes.emplace_back();
    }
    job.write = s.free_writes.back();
    s.free_writes.pop_back();
    s.writes[static_cast<std::size_t>(job.write)] = {job.request};
    job.request.reach(Milestone::started, f.now());
    step_.copied(comm::Copier::dma, job.size);
    step_(f, rank, "write the message", [&] {
      network_.transfer(f, rank, job.peer, PmNetwork::Transfer::write, job.address, job.target, job.size, job.write);
    });
  }
  if (!room(rank, job.peer)) return false;
  // A pair's messages and writes are done in their order: the bytes are there before this.
  send(f, rank, job.peer, job.last, nullptr);
  s.writes[static_cast<std::size_t>(job.write)].told = true;
  complete(f, rank, job.write);
  return true;
}

void ScoreMessages::complete(Fiber& f, int rank, int write) {
  State& s = states_[rank];
  Write& w = s.writes[static_cast<std::size_t>(write)];
  if (!w.done || !w.told) return;
  w.request.reach(Milestone::completed, f.now());
  w = {};
  s.free_writes.push_back(write);
}

void ScoreMessages::go_on(Fiber& f, int rank) {
  states_[rank].jobs.go_on([&](Job& job) { return write(f, rank, job); });
}

void ScoreMessages::collect(Fiber& f, int rank) {
  State& s = states_[rank];
  while (const std::optional<PmNetwork::Done> what = network_.take_done(f, rank)) {
    if (what->what == PmNetwork::Done::What::message) {
      s.free.push_back(what->number);
      continue;
    }
    s.writes[static_cast<std::size_t>(what->number)].done = true;
    complete(f, rank, what->number);
  }
}

std::optional<comm::Arrival> ScoreMessages::next(Fiber& f, int rank) {
  collect(f, rank);
  go_on(f, rank);
  const std::optional<PmNetwork::Received> r = network_.take_received(f, rank);
  if (!r) return std::nullopt;
  const process::HostProcess& me = process(rank);
  step_(f, rank, "look at the envelope", [&] {
    me.core().execute(f, "message came", config_.arrival_cycles);
    me.core().touch(f, me.memory(), r->address, EnvelopeLine::size, "envelope");
  });
  State& s = states_[rank];
  const auto buffer = static_cast<std::size_t>(r->buffer);
  if (buffer >= s.received.size()) s.received.resize(buffer + 1);
  s.received[buffer] = *r;
  return comm::Arrival{EnvelopeLine::decode(me.memory().bytes(r->address, EnvelopeLine::size)), buffer, f.now()};
}

void ScoreMessages::wait(Fiber& f, int rank, const std::vector<Event*>& /*events*/, Time until) {
  // What this rank waits for is told by its own calls of `next` alone.
  step_(f, rank, "poll", [&] { network_.wait(f, rank, until); });
}

void ScoreMessages::take(Fiber& f, int rank, const comm::Arrival& a, const comm::Buffer& b) {
  State& s = states_[rank];
  const bool aside = a.held == comm::Held::aside;
  const Bytes n = a.envelope.kind == comm::Envelope::Kind::eager ? a.envelope.size : Bytes::zero();
  if (n > Bytes::zero()) {
    const process::HostProcess& me = process(rank);
    const std::uint64_t from =
        aside ? s.unexpected->address(a.handle) : s.received[a.handle].address + unsigned_of(EnvelopeLine::size);
    step_.copied(comm::Copier::core, n);
    step_(f, rank, "copy the message", [&] { me.core().copy(f, me.memory(), address(rank, b.offset), from, n); });
  }
  if (aside) return s.unexpected->give_back(a.handle);
  step_(f, rank, "release the buffer", [&] { network_.release(f, rank, static_cast<int>(a.handle)); });
}

void ScoreMessages::set_aside(Fiber& f, int rank, comm::Arrival& a) {
  State& s = states_[rank];
  const auto buffer = static_cast<int>(a.handle);
  const Bytes n = a.envelope.kind == comm::Envelope::Kind::eager ? a.envelope.size : Bytes::zero();
  a.handle = s.unexpected->copy_aside(f, rank, step_, process(rank),
                                      s.received[a.handle].address + unsigned_of(EnvelopeLine::size), n);
  a.held = comm::Held::aside;
  step_(f, rank, "release the buffer", [&] { network_.release(f, rank, buffer); });
}

void ScoreMessages::visit(Fiber& f, int rank, Queue q, const std::vector<std::uint32_t>& entries) {
  protocols::MatchingQueues(states_[rank].queues).visit(f, rank, step_, process(rank), q, entries);
}

}  // namespace tsunagi::libraries
