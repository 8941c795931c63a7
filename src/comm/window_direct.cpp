// SPDX-License-Identifier: Apache-2.0
// Windows by a library's RemoteMemory, as MVAPICH2 1.9b has them (ch3u_rma_sync.c, rdma_iba_1sc.c of its source): flags
// in place of the messages that begin and end epochs of some ranks, puts and gets without their target's help.
#include <algorithm>
#include <utility>

#include "comm/window.hpp"

namespace tsunagi::comm {

/// The target is known to show its memory: since the fence, or because its flag is there.
bool Window::begins_at_once(const Operation& o, int peer) const {
  if (remote_ == nullptr || peer == group_.rank() || !direct(o)) return false;
  return fenced_ || remote_->raised(me(), flag_of(Flag::posted, peer));
}

Buffer Window::at_peer(const Operation& o, int peer) const {
  return {shown_[static_cast<std::size_t>(peer)].offset + o.offset, o.local.size, {}, {}};
}

void Window::make_room(int peer) {
  const int to = group_.in_world(peer);
  if (!remote_->room(me(), to))
    world_.messages().progress_until(fiber_, me(), {}, [&] { return remote_->room(me(), to); });
}

void Window::begin(const Operation& o, int peer) {
  make_room(peer);
  Issued i{{}, o, peer};
  const int to = group_.in_world(peer);
  const Buffer there = at_peer(o, peer);
  if (const Ledger* l = world_.ledger(); l != nullptr && o.kind == Kind::put) i.bytes = l->read(me(), o.local);
  i.request = o.kind == Kind::put ? remote_->put(fiber_, me(), to, o.local, there)
                                  : remote_->get(fiber_, me(), to, there, o.local);
  issued_.push_back(std::move(i));
}

/// Those that RemoteMemory does; the others stay noted.
void Window::begin_noted(int peer) {
  std::vector<Operation>& noted = noted_[static_cast<std::size_t>(peer)];
  for (const Operation& o : std::exchange(noted, {})) {
    if (direct(o))
      begin(o, peer);
    else
      noted.push_back(o);
  }
}

/// Until everything that has begun is done at both ends.
void Window::finish_issued() {
  std::vector<Request> all;
  for (const Issued& i : issued_) all.push_back(i.request);
  world_.messages().wait_all(fiber_, me(), all);
  for (const Issued& i : std::exchange(issued_, {})) {
    Ledger* l = world_.ledger();
    if (l == nullptr) continue;
    const int peer = group_.in_world(i.peer);
    if (i.what.kind == Kind::put)
      l->write(peer, at_peer(i.what, i.peer), i.bytes);
    else
      l->write(me(), i.what.local, l->read(peer, at_peer(i.what, i.peer)));
  }
}

Request Window::raise(Flag flag, int rank) {
  make_room(rank);
  return remote_->raise(fiber_, me(), number_, flag, group_.in_world(rank));
}

/// The first of those expected whose announcement has come and can be gone on with.
std::size_t Window::next_announced() const {
  const auto ready = [&](const Expected& e) {
    if (e.request.valid()) return e.request.at(Milestone::completed) <= fiber_.now();
    return world_.messages().there(me(), {group_.in_world(e.from), announced, group_.context()});
  };
  return static_cast<std::size_t>(std::find_if(expected_.begin(), expected_.end(), ready) - expected_.begin());
}

/// Until `done`, which may follow from those flags; serves meanwhile who says what it wants by messages.
void Window::progress(const Flags& flags, const std::function<bool()>& done) {
  for (;;) {
    for (std::size_t i = next_announced(); i < expected_.size(); i = next_announced()) {
      if (expected_[i].request.valid())
        serve(i);
      else
        expected_[i].request = group_.irecv(expected_[i].from, announced, announcement(described * most_operations));
    }
    if (done()) return;
    std::vector<Request> waited;
    for (const Expected& e : expected_)
      if (e.request.valid()) waited.push_back(e.request);
    remote_->await(me(), flags);
    world_.messages().progress_until(fiber_, me(), waited,
                                     [&] { return done() || next_announced() < expected_.size(); });
    remote_->await(me(), {});
  }
}

void Window::post_directly(int origin) {
  expected_.push_back({origin, {}});
  world_.messages().wait_all(fiber_, me(), {raise(Flag::posted, origin)});
}

void Window::await_post(int target) {
  const Calls::Scope call(world_.calls(), me(), {"await the post", group_.in_world(target), any_tag, {}, true});
  const RemoteMemory::Raised flag = flag_of(Flag::posted, target);
  progress({flag}, [&] { return remote_->raised(me(), flag); });
  remote_->take(fiber_, me(), flag);
}

void Window::complete_directly() {
  for (const int target : targets_)
    if (!to_itself(target)) await_post(target);
  for (const int target : targets_) begin_noted(target);
  finish_issued();
  std::vector<Request> all;
  for (const int target : targets_) {
    if (target == group_.rank()) continue;
    if (noted_[static_cast<std::size_t>(target)].empty())
      raise(Flag::completed, target);
    else
      tell(target, all);
  }
  progress({}, [&] {
    return std::all_of(all.begin(), all.end(),
                       [&](const Request& r) { return r.at(Milestone::completed) <= fiber_.now(); });
  });
}

/// Until all those expected have raised their flags, or have been served.
void Window::await_accesses() {
  while (!expected_.empty()) {
    const Calls::Scope call(
        world_.calls(), me(),
        {"await the accesses", group_.in_world(expected_.front().from), any_tag, {}, expected_.size() == 1});
    Flags flags;
    for (const Expected& e : expected_)
      if (!e.request.valid()) flags.push_back(flag_of(Flag::completed, e.from));
    const auto raised = [&](const Expected& e) {
      return !e.request.valid() && remote_->raised(me(), flag_of(Flag::completed, e.from));
    };
    progress(flags, [&] { return expected_.empty() || std::any_of(expected_.begin(), expected_.end(), raised); });
    for (auto e = expected_.begin(); (e = std::find_if(expected_.begin(), expected_.end(), raised)) != expected_.end();
         expected_.erase(e))
      remote_->take(fiber_, me(), flag_of(Flag::completed, e->from));
  }
  group_.wait_all(std::exchange(served_, {}));
}

/// The first one is a barrier. Others end what has begun, and tell everybody by a flag, or by messages that follow.
void Window::fence_directly() {
  if (!std::exchange(met_, true)) {
    group_.barrier();
    fenced_ = true;
    return;
  }
  local_ones();
  finish_issued();
  for (int i = 0; i < group_.size(); ++i)
    if (i != group_.rank() && noted_[static_cast<std::size_t>(i)].empty()) raise(Flag::completed, i);
  std::vector<Request> all;
  const std::vector<int> asked = exchange_asked(all);
  for (const int from : asked) expect(from);
  for (int i = 0; i < group_.size(); ++i)
    if (i != group_.rank() && std::find(asked.begin(), asked.end(), i) == asked.end()) expected_.push_back({i, {}});
  await_accesses();
  group_.wait_all(all);
  announced_ = {};
  group_.barrier();
  fenced_ = true;
}

}  // namespace tsunagi::comm
