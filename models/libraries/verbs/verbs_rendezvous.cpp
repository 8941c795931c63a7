// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/verbs/verbs_rendezvous.hpp"

#include <algorithm>
#include <utility>

namespace tsunagi::libraries {

using comm::Milestone;
using infiniband::Operation;
using infiniband::WorkRequest;

std::uint64_t VerbsRendezvous::expose(comm::Fiber& f, int rank, std::uint64_t address, Bytes n) {
  if (config_.register_call == Time::zero() && config_.register_page == Time::zero()) return address;
  const std::int64_t fresh = state(rank).registered.add(address, n);
  if (fresh == 0) return address;
  engine_.step()(f, rank, "register memory",
                 [&] { engine_.node(rank).core().compute(f, config_.register_call + config_.register_page * fresh); });
  return address;
}

void VerbsRendezvous::put(comm::Fiber& f, int from, int to, std::uint64_t address, Bytes n, std::uint64_t target,
                          const comm::Envelope& last, const comm::Request& request) {
  Job job{to, address, n, target, last, std::make_shared<Left>(Left{n, request})};
  job.last.target = static_cast<std::uint64_t>(cut(n) ? engine_.rails() : 1);
  state(from).jobs.push_back(std::move(job));
  go_on(f, from);
}

/// Jobs for a peer are done one behind the other.
void VerbsRendezvous::go_on(comm::Fiber& f, int rank) {
  std::deque<Job>& jobs = state(rank).jobs;
  std::vector<int> waiting;  // peers
  for (auto job = jobs.begin(); job != jobs.end();) {
    const bool before = std::find(waiting.begin(), waiting.end(), job->to) != waiting.end();
    if (!before && post(f, rank, *job)) {
      job = jobs.erase(job);
      continue;
    }
    if (!before) waiting.push_back(job->to);
    ++job;
  }
}

bool VerbsRendezvous::post(comm::Fiber& f, int rank, Job& job) {
  const bool whole = !cut(job.n);
  const int rails = whole ? 1 : engine_.rails();
  if (job.posted == Bytes::zero()) {
    if (whole) job.rail = engine_.take_turn(rank);
    job.left->request.reach(Milestone::started, f.now());
  }
  while (job.posted < job.n) {
    const Bytes n = std::min(config_.largest_write, job.n - job.posted);
    if (!post_piece(f, rank, job, n)) return false;
    job.posted += n;
  }
  for (; job.told < rails; ++job.told) {
    const int rail = whole ? job.rail : job.told;
    if (!engine_.room(rank, job.to, rail, 1, 1)) return false;
    engine_.send_behind(f, rank, job.to, rail, {job.last}, {});
  }
  return true;
}

/// Posts the next `n` bytes if there is room for them: by all rails, or by the message's own or that whose turn it is.
bool VerbsRendezvous::post_piece(comm::Fiber& f, int rank, const Job& job, Bytes n) {
  const int rails = engine_.rails();
  if (!cut(n)) {
    const int rail = job.rail >= 0 ? job.rail : engine_.by_turn(rank);
    if (!engine_.room(rank, job.to, rail, 1, 0)) return false;
    if (job.rail < 0) engine_.take_turn(rank);
    post_write(f, rank, job, rail, job.posted, n);
    return true;
  }
  for (int rail = 0; rail < rails; ++rail)
    if (!engine_.room(rank, job.to, rail, 1, 0)) return false;
  const Bytes share(n.count() / rails);  // the last one has what is left
  for (int rail = 0; rail < rails; ++rail)
    post_write(f, rank, job, rail, job.posted + share * rail, rail + 1 < rails ? share : n - share * rail);
  return true;
}

void VerbsRendezvous::post_write(comm::Fiber& f, int rank, const Job& job, int rail, Bytes from, Bytes n) {
  WorkRequest w;
  w.operation = Operation::write;
  w.length = n;
  w.local = job.address + unsigned_of(from);
  w.remote = job.target + unsigned_of(from);
  engine_.step().copied(comm::Copier::dma, n);
  engine_.post(f, rank, job.to, rail, "post the write", w, [left = job.left, n](comm::Fiber& by) {
    left->bytes -= n;
    if (left->bytes == Bytes::zero()) left->request.reach(Milestone::completed, by.now());
  });
}

bool VerbsRendezvous::finished(int rank, const comm::Envelope& e) {
  if (e.target <= 1) return true;
  std::map<std::uint32_t, std::uint64_t>& missing = state(rank).missing;
  const auto [at, first] = missing.try_emplace(e.receive, e.target);
  if (--at->second > 0) return false;
  missing.erase(at);
  return true;
}

}  // namespace tsunagi::libraries
