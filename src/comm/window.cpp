// SPDX-License-Identifier: Apache-2.0
#include "comm/window.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <stdexcept>
#include <utility>

#include "units/parse.hpp"

namespace tsunagi::comm {

namespace {

constexpr int exposed = 0;  // tags: the target is ready
constexpr int moved = 2;    // bytes

Buffer of_window(Buffer b) {
  b.of_window = true;
  return b;
}

}  // namespace

/// What messages of a window say: operations by origin and target, one list an epoch. And its number, while some member
/// has it open.
struct Window::Shared {
  std::map<std::pair<int, int>, std::deque<std::vector<Operation>>> announced;
  int number = -1;
  int open = 0;
};

Window::Window(World& w, Fiber& f, Group group, const Buffer& b, std::vector<Shown> shown)
    : world_(w),
      fiber_(f),
      group_(std::move(group)),
      mine_(b),
      shown_(std::move(shown)),
      shared_(std::static_pointer_cast<Shared>(
          w.groups().shared(group_.context(), [] { return std::make_shared<Shared>(); }))),
      noted_(static_cast<std::size_t>(group_.size())) {
  if (!is_contiguous(b)) throw std::runtime_error(who(group_.rank()) + ": a window is on a contiguous area alone");
  if (!std::all_of(shown_.begin(), shown_.end(), [](const Shown& s) { return s.directly; })) return;
  remote_ = world_.library().facet<RemoteMemory>();
  if (shared_->number < 0) shared_->number = remote_->open();
  number_ = shared_->number;
  ++shared_->open;
  remote_->show(fiber_, me(), mine_);
}

Bytes Window::scratch(int ranks, int peers) {
  // An allgather may need as much again; what is announced goes both ways.
  return std::max(told * ranks * 2, described * most_operations * peers * 2);
}

Window::~Window() {
  if (remote_ != nullptr && --shared_->open == 0) remote_->close(number_);
  std::size_t left = 0;
  for (const std::vector<Operation>& o : noted_) left += o.size();
  const std::string me = who(group_.rank());
  if (left > 0) world_.complain(me + " never completed " + std::to_string(left) + " puts or gets on a window");
  if (started_) world_.complain(me + " started an access to a window and never completed it");
  if (posted_) world_.complain(me + " posted a window and never waited for its origins");
}

void Window::note(Kind kind, int peer, Bytes offset, const Buffer& b) {
  const char* call = kind == Kind::put ? "put to" : "get from";
  const auto refuse = [&](const std::string& why) {
    throw std::runtime_error(who(group_.rank()) + ": " + call + " a window: " + why);
  };
  if (peer < 0 || peer >= group_.size())
    refuse("there is no rank " + std::to_string(peer) + " in a group of " + std::to_string(group_.size()));
  if (!fenced_ && !started_) refuse("no epoch has begun: neither fence nor start was called");
  if (started_ && std::find(targets_.begin(), targets_.end(), peer) == targets_.end())
    refuse("the epoch was started for others than " + who(peer));
  const Bytes size = shown_[static_cast<std::size_t>(peer)].size;
  if (offset < Bytes::zero() || offset > size || b.size > size - offset)
    refuse(to_string(b.size) + " at " + to_string(offset) + ", but that of " + who(peer) + " has " + to_string(size));
  if (!is_contiguous(b)) refuse("takes contiguous areas alone");
  if (begins_at_once({kind, offset, b}, peer)) return begin({kind, offset, b}, peer);
  if (noted_[static_cast<std::size_t>(peer)].size() == most_operations)
    refuse("there are " + std::to_string(most_operations) + " puts and gets in this epoch already");
  noted_[static_cast<std::size_t>(peer)].push_back({kind, offset, b});
}

/// Operations on the own window are copies.
void Window::local_ones() {
  for (const Operation& o : std::exchange(noted_[static_cast<std::size_t>(group_.rank())], {})) {
    const Buffer there = part(mine_, o.offset, o.local.size);
    group_.copy(o.kind == Kind::put ? there : o.local, o.kind == Kind::put ? o.local : there);
  }
}

/// Memory for what is announced, one behind the other, until the epoch has ended.
Buffer Window::announcement(Bytes n) {
  if (announced_ + n > world_.scratch().size)
    throw std::runtime_error(who(group_.rank()) + ": what is said of puts and gets takes " + to_string(announced_ + n) +
                             ", but there are " + to_string(world_.scratch().size) + " of memory beside the buffers");
  const Buffer out{world_.scratch().begin + announced_, n, {}, {}};
  announced_ += n;
  return out;
}

/// Says to `to` what is to come, and begins this rank's part of it.
void Window::tell(int to, std::vector<Request>& all) {
  std::vector<Operation> operations = std::exchange(noted_[static_cast<std::size_t>(to)], {});
  const Bytes n = described * static_cast<std::int64_t>(operations.size());
  shared_->announced[{group_.rank(), to}].push_back(operations);
  all.push_back(group_.isend(to, announced, announcement(n)));
  for (const Operation& o : operations)
    all.push_back(o.kind == Kind::put ? group_.isend(to, moved, of_window(o.local))
                                      : group_.irecv(to, moved, of_window(o.local)));
}

/// `from` is going to say what it wants.
void Window::expect(int from) {
  expected_.push_back({from, group_.irecv(from, announced, announcement(described * most_operations))});
}

/// One of those expected has said what it wants: begins this rank's part of it.
void Window::serve(std::size_t i) {
  const int from = expected_[i].from;
  expected_.erase(expected_.begin() + static_cast<std::ptrdiff_t>(i));
  std::deque<std::vector<Operation>>& lists = shared_->announced[{from, group_.rank()}];
  const std::vector<Operation> operations = std::move(lists.front());
  lists.pop_front();
  for (const Operation& o : operations) {
    const Buffer there = of_window(part(mine_, o.offset, o.local.size));
    served_.push_back(o.kind == Kind::put ? group_.irecv(from, moved, there) : group_.isend(from, moved, there));
  }
}

/// Until all these requests have completed, those are served who say what they want.
void Window::serve_until(const std::vector<Request>& all) {
  std::vector<Request> open = all;
  while (!open.empty()) {
    std::vector<Request> any = open;
    for (const Expected& e : expected_) any.push_back(e.request);
    const std::size_t i = group_.wait_any(any);
    if (i < open.size()) {
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
      continue;
    }
    serve(i - open.size());
  }
}

/// All of these, and all that others want.
void Window::wait_for(const std::vector<Request>& all) {
  serve_until(all);
  while (!expected_.empty()) {
    std::vector<Request> any;
    for (const Expected& e : expected_) any.push_back(e.request);
    serve(group_.wait_any(any));
  }
  group_.wait_all(std::exchange(served_, {}));
}

/// Says to all whom this rank has something for that goes by messages, and begins that; returns who has something for
/// this rank: a bit a rank. (MPI libraries count by a reduce-scatter.)
std::vector<int> Window::exchange_asked(std::vector<Request>& all) {
  std::vector<std::int64_t> asked(static_cast<std::size_t>((group_.size() + 63) / 64));
  const auto bit = [](std::vector<std::int64_t>& words, int i) -> std::pair<std::int64_t&, std::int64_t> {
    return {words[static_cast<std::size_t>(i / 64)], std::int64_t{1} << (i % 64)};
  };
  for (int i = 0; i < group_.size(); ++i)
    if (!noted_[static_cast<std::size_t>(i)].empty()) bit(asked, i).first |= bit(asked, i).second;
  Group::Said said = group_.tell_all("fence", asked);
  for (int i = 0; i < group_.size(); ++i)
    if (!noted_[static_cast<std::size_t>(i)].empty()) tell(i, all);
  std::vector<int> out;
  for (int i = 0; i < group_.size(); ++i)
    if (auto [word, mask] = bit(said.values[static_cast<std::size_t>(i)], group_.rank()); (word & mask) != 0)
      out.push_back(i);
  return out;
}

void Window::fence() {
  if (started_ || posted_) throw std::runtime_error(who(group_.rank()) + ": fence within an epoch of start or post");
  const Calls::Scope call(world_.calls(), group_.in_world(group_.rank()), {"fence", -1, any_tag, {}, false});
  if (remote_ != nullptr) return fence_directly();
  local_ones();
  std::vector<Request> all;
  for (const int from : exchange_asked(all)) expect(from);
  wait_for(all);
  announced_ = {};
  fenced_ = true;
}

void Window::post(const std::vector<int>& origins) {
  if (posted_) throw std::runtime_error(who(group_.rank()) + ": post, but it has not waited since the last one");
  posted_ = true;
  fenced_ = false;
  std::vector<Request> all;
  for (const int origin : origins) {
    if (origin == group_.rank()) {  // nobody to tell it to
      posted_to_itself_ = true;
      continue;
    }
    if (remote_ != nullptr) {
      post_directly(origin);
      continue;
    }
    all.push_back(group_.isend(origin, exposed, {}));
    expect(origin);
  }
  group_.wait_all(all);
}

void Window::start(const std::vector<int>& targets) {
  if (started_) throw std::runtime_error(who(group_.rank()) + ": start, but it has not completed the last one");
  started_ = true;
  fenced_ = false;
  targets_ = targets;
}

/// If that is this rank itself, does what it has for its own window.
bool Window::to_itself(int target) {
  if (target != group_.rank()) return false;
  if (!std::exchange(posted_to_itself_, false))
    throw std::runtime_error(who(target) + ": complete of an access to its own window, which it has not posted");
  local_ones();
  return true;
}

void Window::complete() {
  if (!started_) throw std::runtime_error(who(group_.rank()) + ": complete without start");
  const Calls::Scope call(world_.calls(), group_.in_world(group_.rank()), {"complete", -1, any_tag, {}, false});
  if (remote_ != nullptr) {
    complete_directly();
  } else {
    std::vector<Request> all;
    for (const int target : targets_) {
      if (to_itself(target)) continue;
      group_.recv(target, exposed, {});
      tell(target, all);
    }
    serve_until(all);
  }
  started_ = false;
  targets_.clear();
  if (!posted_) announced_ = {};
}

void Window::wait() {
  if (!posted_) throw std::runtime_error(who(group_.rank()) + ": wait without post");
  if (posted_to_itself_)
    throw std::runtime_error(who(group_.rank()) + ": wait for its own access to a window, which it has not completed");
  const Calls::Scope call(world_.calls(), group_.in_world(group_.rank()), {"wait", -1, any_tag, {}, false});
  if (remote_ != nullptr)
    await_accesses();
  else
    wait_for({});
  posted_ = false;
  if (!started_) announced_ = {};
}

}  // namespace tsunagi::comm
