// SPDX-License-Identifier: Apache-2.0
#include "comm/rma_queue.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "units/parse.hpp"

namespace tsunagi::comm {

namespace {

/// Each once, in the order of their first.
void add_once(std::vector<int>& all, int rank) {
  if (std::find(all.begin(), all.end(), rank) == all.end()) all.push_back(rank);
}

}  // namespace

RmaWindow::RmaWindow(Rank& rank, int ranks, const Buffer& mine, RmaBy by) : me_(rank.id()), mine_(mine), by_(by) {
  Group group = rank.first(ranks);
  const Group::Said said = group.tell_all("make an RMA window", {mine.offset.count(), mine.size.count()});
  for (const std::vector<std::int64_t>& v : said.values) shown_.push_back({Bytes(v[0]), Bytes(v[1])});
  if (by == RmaBy::window) window_ = group.window(mine);
}

Buffer RmaWindow::part_of(int rank, Bytes offset, Bytes size) const {
  const auto refuse = [&](const std::string& why) {
    throw std::runtime_error("rank " + std::to_string(me_) + ": an RMA window: " + why);
  };
  if (rank < 0 || rank >= ranks())
    refuse("there is no rank " + std::to_string(rank) + " among " + std::to_string(ranks()));
  const Stretch& s = shown_[static_cast<std::size_t>(rank)];
  if (offset < Bytes::zero() || offset > s.size || size > s.size - offset)
    refuse(to_string(size) + " at " + to_string(offset) + ", but that of rank " + std::to_string(rank) + " has " +
           to_string(s.size));
  return {s.offset + offset, size, mine_.place, {}};
}

RmaQueue::RmaQueue(Rank& rank, RmaWindow& window, std::string method)
    : rank_(rank), window_(window), method_(std::move(method)) {}

RmaQueue::~RmaQueue() {
  if (state_ == State::started)
    rank_.complain("rank " + std::to_string(rank_.id()) + " started an RMA queue and never waited for it");
  else if (prepared_ >= 0)
    rank_.forget(prepared_);
}

void RmaQueue::refuse(const std::string& what) const {
  throw std::runtime_error("rank " + std::to_string(rank_.id()) + ": an RMA queue: " + what);
}

void RmaQueue::push(const RmaWrite& w) {
  if (state_ != State::open) refuse("push behind commit; clear it first");
  if (w.to == rank_.id()) refuse("a write to the rank itself");
  window_.part_of(w.to, w.offset, w.from.size);
  writes_.push_back(w);
}

void RmaQueue::add_origin(const RmaOrigin& o) {
  if (state_ != State::open) refuse("add_origin behind commit; clear it first");
  if (o.from == rank_.id()) refuse("the rank itself is no origin");
  if (o.from < 0 || o.from >= window_.ranks()) refuse("there is no rank " + std::to_string(o.from) + " to write to it");
  window_.part_of(rank_.id(), o.offset, o.size);
  origins_.push_back(o);
}

std::vector<int> RmaQueue::targets() const {
  std::vector<int> out;
  for (const RmaWrite& w : writes_) add_once(out, w.to);
  return out;
}

std::vector<int> RmaQueue::origins() const {
  std::vector<int> out;
  for (const RmaOrigin& o : origins_) add_once(out, o.from);
  return out;
}

std::vector<Put> RmaQueue::puts() const {
  std::vector<Put> out;
  for (const RmaWrite& w : writes_) {
    const Buffer there = window_.part_of(w.to, w.offset, w.from.size);
    out.push_back({w.to, {w.from.place, w.from.offset}, {there.place, there.offset}, w.from.size});
  }
  // Writes keep their order on their way to one rank: who sees the last one's notice has them all.
  for (const int to : targets())
    std::find_if(out.rbegin(), out.rend(), [to](const Put& p) { return p.peer == to; })->notify = true;
  return out;
}

void RmaQueue::commit() {
  if (state_ != State::open) refuse("commit behind commit");
  state_ = State::committed;
  if (window_.by() == RmaBy::puts && !writes_.empty()) prepared_ = rank_.prepare(puts(), method_);
}

void RmaQueue::start() {
  if (state_ == State::open) refuse("start before commit");
  if (state_ == State::started) refuse("start behind start, without a wait");
  state_ = State::started;
  switch (window_.by()) {
    case RmaBy::puts:
      if (prepared_ >= 0) rank_.start(prepared_);
      return;
    case RmaBy::window: {
      // The paper's start puts and its wait has all four calls (5.1); a put belongs into an epoch.
      Window& w = *window_.window();
      w.post(origins());
      w.start(targets());
      for (const RmaWrite& write : writes_) w.put(write.to, write.offset, write.from);
      return;
    }
    case RmaBy::messages:
      break;
  }
  Group group = rank_.first(window_.ranks());
  for (const RmaOrigin& o : origins_)
    under_way_.push_back(group.start({false, o.from, o.tag, window_.part_of(rank_.id(), o.offset, o.size)}));
  for (const RmaWrite& w : writes_) under_way_.push_back(group.start({true, w.to, w.tag, w.from}));
}

void RmaQueue::await_all() {
  if (prepared_ >= 0) rank_.finish();
  for (const int from : origins()) {
    const auto first = std::find_if(origins_.begin(), origins_.end(), [&](const auto& o) { return o.from == from; });
    rank_.await(from, window_.part_of(rank_.id(), first->offset, first->size));
  }
}

void RmaQueue::wait() {
  if (state_ != State::started) refuse("wait without start");
  switch (window_.by()) {
    case RmaBy::puts:
      await_all();
      break;
    case RmaBy::window:
      window_.window()->complete();
      window_.window()->wait();
      break;
    case RmaBy::messages:
      rank_.first(window_.ranks()).wait_all(std::exchange(under_way_, {}));
      break;
  }
  state_ = State::committed;
}

void RmaQueue::clear() {
  if (state_ == State::started) refuse("clear without a wait for what was started");
  if (prepared_ >= 0) rank_.forget(std::exchange(prepared_, -1));
  writes_.clear();
  origins_.clear();
  state_ = State::open;
}

}  // namespace tsunagi::comm
