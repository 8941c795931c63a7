// SPDX-License-Identifier: Apache-2.0
#include "comm/world.hpp"

#include <stdexcept>

namespace tsunagi::comm {

World::World(Library& library)
    : library_(library), calls_(std::make_shared<Calls>(library.ranks())), groups_(library.ranks()) {
  if (library.halo() != nullptr) halo_ = std::unique_ptr<World>(new World(*library.halo(), *this));
}

World::World(Library& library, World& whole) : World(library) {
  whole_ = &whole;
  calls_ = whole.calls_;
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

void World::check_data() {
  if (whole_ != nullptr) return whole_->check_data();
  if (messages_ != nullptr) throw std::logic_error("messages are under way whose data nobody has followed");
  ledger_ = std::make_shared<Ledger>();
  noticed_puts_.set_ledger(ledger_.get());
  if (halo_ == nullptr) return;
  halo_->ledger_ = ledger_;
  halo_->noticed_puts_.set_ledger(ledger_.get());
}

void World::refuse_shape(int rank) {
  throw std::runtime_error("rank " + std::to_string(rank) +
                           " uses an area in blocks: this library takes contiguous areas alone");
}

void World::copy(Fiber& f, int rank, const Buffer& to, const Buffer& from) {
  step(f, rank, "copy", [&] { processor().copy(f, rank, to, from); });
  if (ledger_ != nullptr) ledger_->write(rank, to, ledger_->read(rank, from));
}

std::vector<std::string> World::leftovers() const {
  std::vector<std::string> out = complaints_;
  if (messages_ != nullptr)
    for (std::string& s : messages_->leftovers()) out.push_back(std::move(s));
  if (halo_ != nullptr)
    for (std::string& s : halo_->leftovers()) out.push_back(std::move(s));
  return out;
}

}  // namespace tsunagi::comm
