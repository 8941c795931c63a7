// SPDX-License-Identifier: Apache-2.0
#include "comm/world.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace tsunagi::comm {

World::World(Communicator& library) : library_(library), calls_(std::make_shared<Calls>(library.ranks())) {
  auto all = std::make_shared<Members>();
  all->ranks.resize(static_cast<std::size_t>(library.ranks()));
  std::iota(all->ranks.begin(), all->ranks.end(), 0);
  everybody_ = std::move(all);
  if (library.halo() != nullptr) halo_ = std::unique_ptr<World>(new World(*library.halo(), *this));
}

World::World(Communicator& library, World& whole) : World(library) {
  whole_ = &whole;
  calls_ = whole.calls_;
}

std::shared_ptr<const Members> World::first(int n) {
  if (n == library_.ranks()) return everybody_;
  std::shared_ptr<const Members>& group = first_[n];
  if (group == nullptr) {
    auto members = std::make_shared<Members>();
    members->ranks.assign(everybody_->ranks.begin(), everybody_->ranks.begin() + n);
    members->context = contexts_;
    contexts_ += 2;
    group = std::move(members);
  }
  return group;
}

TwoSided& World::messages() {
  if (messages_ == nullptr) {
    if (!library_.has_messages()) throw std::logic_error("this library has no two-sided messages");
    messages_ = library_.facet<TwoSided>();
    if (messages_ == nullptr) {
      over_transport_ =
          std::make_unique<Messages>(*library_.facet<Transport>(), processor(), library_.ranks(), library_.accounts());
      messages_ = over_transport_.get();
    }
    messages_->set_ledger(ledger_.get());
    if (listener_ != nullptr) messages_->set_listener(*listener_);
  }
  return *messages_;
}

void World::add_program() {
  finale_.add_program();
  if (halo_ != nullptr) halo_->add_program();
}

bool World::attends() const { return messages_ != nullptr && library_.needs_ranks(); }

void World::finalize(Fiber& f, int rank) {
  finale_.comes(rank);
  if (halo_ == nullptr) return end_messages(f, rank);
  halo_->finale_.comes(rank);
  // One of them may wait for the other ranks.
  World& last = halo_->attends() ? *halo_ : *this;
  (&last == this ? *halo_ : *this).end_messages(f, rank);
  last.end_messages(f, rank);
}

void World::end_messages(Fiber& f, int rank) {
  if (messages_ != nullptr)
    messages_->finalize(f, rank, finale_);
  else
    finale_.rests(true);  // nobody has sent any
}

std::uint64_t World::enter_collective(const Members& group, int rank, const std::string& what) {
  const std::uint64_t number = numbers_[{group.context, rank}]++;
  const std::pair key(group.context, number);
  const auto [it, fresh] = collectives_.emplace(key, Collective{what, rank, 0});
  if (it->second.what != what)
    throw std::runtime_error("collective calls do not match: as its call " + std::to_string(number) +
                             " in a group of " + std::to_string(group.ranks.size()) + ", rank " + std::to_string(rank) +
                             " does " + what + ", but rank " + std::to_string(it->second.first) + " " +
                             it->second.what);
  if (++it->second.entered == group.ranks.size()) collectives_.erase(it);
  return number;
}

void World::check_data() {
  if (whole_ != nullptr) return whole_->check_data();
  if (messages_ != nullptr) throw std::logic_error("messages are under way whose data nobody has followed");
  ledger_ = std::make_shared<Ledger>();
  if (halo_ != nullptr) halo_->ledger_ = ledger_;
}

void World::refuse_shape(int rank) {
  throw std::runtime_error("rank " + std::to_string(rank) +
                           " uses an area in blocks: this library takes contiguous areas alone");
}

void World::copy(Fiber& f, int rank, const Buffer& to, const Buffer& from) {
  check_shape(rank, to);
  check_shape(rank, from);
  step(f, rank, "copy", [&] { processor().copy(f, rank, to, from); });
  if (ledger_ != nullptr) ledger_->write(rank, to, ledger_->read(rank, from));
}

int World::context_of(const Members& group, std::uint64_t call, std::int64_t colour) {
  const auto [it, fresh] = splits_.emplace(std::tuple(group.context, call, colour), contexts_);
  if (fresh) contexts_ += 2;
  return it->second;
}

std::vector<std::string> World::leftovers() const {
  std::vector<std::string> out = complaints_;
  if (messages_ != nullptr)
    for (std::string& s : messages_->leftovers()) out.push_back(std::move(s));
  if (halo_ != nullptr)
    for (std::string& s : halo_->leftovers()) out.push_back(std::move(s));
  return out;
}

void World::note_puts(int from, const std::vector<Put>& puts) {
  if (ledger_ == nullptr) return;
  std::map<int, std::vector<Brought>> before_notice;
  for (const Put& p : puts) {
    const auto side = [&](const PutSide& s) { return Buffer{s.offset, p.size, s.place, {}, {}, p.block, p.every}; };
    std::vector<Brought>& its = before_notice[p.peer];
    its.push_back({side(p.target), ledger_->read(from, side(p.source))});
    if (p.notify) puts_[{from, p.peer}].push_back(std::exchange(its, {}));
  }
}

void World::note_start(int from, int to, Bytes size, Time started) {
  if (listener_ != nullptr) notices_[{from, to}].push_back({size, started});
}

void World::note_left(const Wait& w) const {
  if (listener_ != nullptr) listener_->wait(w);
}

void World::note_notice(Wait w) {
  if (listener_ == nullptr) return;
  std::deque<Notice>& sent = notices_[{w.peer, w.rank}];
  if (sent.empty()) return;  // started before anybody listened
  w.size = sent.front().size;
  w.posted = sent.front().started;
  sent.pop_front();
  listener_->wait(w);
}

void World::note_arrival(int to, int from) {
  if (ledger_ == nullptr) return;
  std::deque<std::vector<Brought>>& its = puts_[{from, to}];
  if (its.empty()) return;
  for (const Brought& b : its.front()) ledger_->write(to, b.where, b.what);
  its.pop_front();
}

}  // namespace tsunagi::comm
