// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/verbs/verbs_rendezvous.hpp"

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
  state(from).jobs.push_back({to, address, n, target, last, request});
  go_on(f, from);
}

/// Posts what there is room for: a write, and a send behind it.
void VerbsRendezvous::go_on(comm::Fiber& f, int rank) {
  State& s = state(rank);
  while (!s.jobs.empty() && engine_.room(rank, s.jobs.front().to, engine_.by_turn(rank), 2, 1)) {
    const Job job = s.jobs.front();
    s.jobs.pop_front();
    WorkRequest w;
    w.operation = Operation::write;
    w.length = job.n;
    w.local = job.address;
    w.remote = job.target;
    job.request.reach(Milestone::started, f.now());
    engine_.step().copied(comm::Copier::dma, w.length);
    engine_.post(f, rank, job.to, engine_.by_turn(rank), "post the write", w,
                 [request = job.request](comm::Fiber& by) { request.reach(Milestone::completed, by.now()); });
    engine_.send(f, rank, job.to, {job.last});
  }
}

}  // namespace tsunagi::libraries
