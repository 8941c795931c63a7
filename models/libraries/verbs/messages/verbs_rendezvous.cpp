// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/verbs/messages/verbs_rendezvous.hpp"

#include <algorithm>
#include <utility>

namespace tsunagi::libraries {

using comm::Milestone;
using infiniband::Operation;
using infiniband::WorkRequest;

std::uint64_t VerbsRendezvous::expose(Fiber& f, int rank, std::uint64_t address, Bytes n) {
  if (config_.register_call == Time::zero() && config_.register_page == Time::zero()) return address;
  const std::int64_t fresh = states_[rank].registered.add(address, n);
  if (fresh == 0) return address;
  engine_.step()(f, rank, "register memory",
                 [&] { engine_.node(rank).core().compute(f, config_.register_call + config_.register_page * fresh); });
  return address;
}

void VerbsRendezvous::put(Fiber& f, int from, int to, std::uint64_t address, Bytes n, std::uint64_t target,
                          const comm::Envelope& last, const comm::Request& request) {
  const int rails = engine_.cut(n) ? engine_.rails() : 1;
  Job job{Operation::write, to, address, n, target, last, std::make_shared<Left>(Left{n, rails, request})};
  job.last.target = static_cast<std::uint64_t>(rails);
  states_[from].jobs.add(std::move(job));
  go_on(f, from);
}

void VerbsRendezvous::get(Fiber& f, int rank, std::uint64_t address, Bytes n, const comm::Envelope& e) {
  expose(f, rank, address, n);
  Job job{Operation::read, e.source, address, n, e.target, e, std::make_shared<Left>(Left{n, 0, {}})};
  states_[rank].jobs.add(std::move(job));
  go_on(f, rank);
}

bool VerbsRendezvous::post(Fiber& f, int rank, Job& job) {
  Left& left = *job.left;
  if (job.posted == Bytes::zero()) {
    if (!engine_.cut(job.n) && job.rail < 0) job.rail = engine_.take_turn(rank);
    if (left.request.valid()) left.request.reach(Milestone::started, f.now());
  }
  while (job.posted < job.n) {
    const Bytes n = std::min(config_.largest_write, job.n - job.posted);
    if (!post_piece(f, rank, job, n)) return false;
    job.posted += n;
  }
  for (; left.rails > 0; --left.rails) {
    const int rail = job.rail >= 0 ? job.rail : engine_.rails() - left.rails;
    if (!engine_.room(rank, job.peer, rail, 1, 1)) return false;
    engine_.send_behind(f, rank, job.peer, rail, {job.last}, {});
  }
  done(f, rank, left, job.last);
  return true;
}

void VerbsRendezvous::done(Fiber& f, int rank, const Left& left, const comm::Envelope& last) {
  if (left.bytes > Bytes::zero() || left.rails > 0) return;
  if (left.request.valid())
    left.request.reach(Milestone::completed, f.now());
  else
    states_[rank].fetched.add(last, f.now(), comm::Held::nowhere);
}

/// Posts the next `n` bytes if there is room for them: by all rails, or by the message's own or that whose turn it is.
bool VerbsRendezvous::post_piece(Fiber& f, int rank, const Job& job, Bytes n) {
  const std::vector<VerbsEngine::Share> all = engine_.shares(n, job.rail >= 0 ? job.rail : engine_.by_turn(rank));
  for (const VerbsEngine::Share& s : all)
    if (!engine_.room(rank, job.peer, s.rail, 1, 0)) return false;
  if (all.size() == 1 && job.rail < 0) engine_.take_turn(rank);
  for (const VerbsEngine::Share& s : all) post_part(f, rank, job, s.rail, job.posted + s.from, s.size);
  return true;
}

void VerbsRendezvous::post_part(Fiber& f, int rank, const Job& job, int rail, Bytes from, Bytes n) {
  WorkRequest w;
  w.operation = job.operation;
  w.length = n;
  w.local = job.address + unsigned_of(from);
  w.remote = job.there + unsigned_of(from);
  engine_.step().copied(comm::Copier::dma, n, from == Bytes::zero() ? 1 : 0);
  engine_.post(f, rank, job.peer, rail, w.operation == Operation::write ? "post the write" : "post the read", w,
               [this, rank, n, left = job.left, last = job.last](Fiber& by) {
                 left->bytes -= n;
                 done(by, rank, *left, last);
               });
}

bool VerbsRendezvous::finished(int rank, const comm::Envelope& e) {
  if (e.target <= 1) return true;
  std::map<std::uint32_t, std::uint64_t>& missing = states_[rank].missing;
  const auto [at, first] = missing.try_emplace(e.receive, e.target);
  if (--at->second > 0) return false;
  missing.erase(at);
  return true;
}

}  // namespace tsunagi::libraries
