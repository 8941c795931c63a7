// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/exerciser/exerciser_library.hpp"

#include <algorithm>
#include <stdexcept>

#include "models/libraries/catalog.hpp"
#include "models/libraries/reach.hpp"
#include "models/process/node_part.hpp"
#include "units/checked.hpp"
#include "units/parse.hpp"

namespace tsunagi::libraries {

namespace {

std::uint64_t end_of(const comm::Buffer& b) { return static_cast<std::uint64_t>((b.offset + b.size).count()); }

constexpr std::uint64_t all_ones = ~std::uint64_t{0};

/// Blocks until all bits of the message's last word are set, and clears them, so that they say nothing of the next one.
template <class Owner>
void take(Fiber& f, Owner& owner, std::uint64_t end, Bytes message) {
  const Bytes width = std::min(message, 8_B);
  host::Word& w = owner.word_ending_at(end, width);
  while (w.value != all_ones >> (64 - 8 * width.count())) f.wait(w.changed, "a write to " + owner.name());
  owner.forget(w);
}

/// The address at which what an exerciser writes to `address` comes to a device. Throws config::ConfigError.
std::uint64_t way(const bench::Exerciser& from, std::uint64_t address, const net::Device& to) {
  const net::Port& out = from.ports().front();
  const Reach there = reach(out, address, to, out.max_payload());
  if (!there.refusal.empty()) throw config::error_at("/library", there.refusal);
  return there.address;
}

}  // namespace

void describe(ExerciserLibraryConfig& c, config::Describer& d) {
  d.field("exerciser", c.exerciser, "name of the exerciser, if there is one: rank 0");
  d.field("memory", c.memory, "name of the memory that it writes to: rank 1");
  d.field("remote_memory", c.remote_memory, "name of another socket's memory that its DMA may access; empty: none");
  d.field("base", c.base, "address of the (first) memory's first byte, as exercisers see it",
          config::at_most(largest_given));
  d.field("stride", c.stride, "from one exerciser's memory to the next one's; not 0: every exerciser is a rank",
          config::at_most(largest_given));
  d.field("ranks", c.ranks, "names of the exercisers that are ranks, in order; empty: all, as the machine lists them");
  d.require(c.remote_memory.empty() || c.stride == Bytes::zero(), "\"remote_memory\" goes with one exerciser");
  d.require(c.ranks.empty() || c.stride > Bytes::zero(), "\"ranks\" needs a \"stride\"");
  for (const std::string& r : c.ranks)
    d.require(std::count(c.ranks.begin(), c.ranks.end(), r) == 1, "\"ranks\" names one twice");
}

ExerciserPair::ExerciserPair(const ExerciserLibraryConfig& c, Machine& m)
    : exerciser_(process::node_part<bench::Exerciser>(m, {}, c.exerciser, "exerciser")),
      memory_(process::node_part<host::Memory>(m, {}, c.memory, "memory")),
      written_(unsigned_of(c.base + host::buffers_from(memory_.config().size))),
      polled_(way(exerciser_, written_, memory_)) {
  ReachedMemory remote;
  if (!c.remote_memory.empty()) {
    remote.memory = &process::node_part<host::Memory>(m, {}, c.remote_memory, "remote_memory");
    const host::MemoryConfig& there = remote.memory->config();
    remote.seen = unsigned_of(there.base + host::buffers_from(there.size));
    remote.there = way(exerciser_, remote.seen, *remote.memory);
  }
  if (exerciser_.engine() == nullptr) return;
  dma_ = std::make_unique<ExerciserDma>(exerciser_, ReachedMemory{&memory_, written_, polled_}, remote, step);
  add_facet<comm::Dma>(*dma_);
}

Bytes ExerciserPair::largest_message() const {
  return memory_.config().base + memory_.config().size - Bytes(static_cast<std::int64_t>(polled_));
}

void ExerciserPair::check(int from, int, const comm::Buffer&) const {
  if (from != 0)
    throw config::error_at("/scenario", "only rank 0 of an exerciser and a memory sends: a memory sends nothing");
}

void ExerciserPair::send(Fiber& f, int from, int, const comm::Buffer& b) {
  if (from != 0) throw std::logic_error("only rank 0 of an exerciser and a memory sends");
  step.sent(b.size);
  exerciser_.write(f, written_ + unsigned_of(b.offset), b.size, all_ones);
}

void ExerciserPair::recv(Fiber& f, int, int, const comm::Buffer& b) { take(f, memory_, polled_ + end_of(b), b.size); }

ExerciserGroup::ExerciserGroup(const ExerciserLibraryConfig& c, Machine& m)
    : base_(static_cast<std::uint64_t>(c.base.count())),
      stride_(static_cast<std::uint64_t>(c.stride.count())),
      largest_(c.stride) {
  if (c.ranks.empty()) exercisers_ = m.all<bench::Exerciser>();
  for (const std::string& name : c.ranks) exercisers_.push_back(&m.get<bench::Exerciser>(name));
  if (exercisers_.size() < 2)
    throw config::error_at("/library", "library exerciser with a stride needs two exercisers or more");
  if (!checked_product(c.stride, static_cast<std::int64_t>(exercisers_.size()) + 1))
    throw config::error_at("/library",
                           "\"stride\" is too long for " + std::to_string(exercisers_.size()) + " exercisers");
  for (const bench::Exerciser* e : exercisers_) {
    const Bytes memory = e->config().memory;
    if (c.base.count() % memory.count() != 0 || c.stride.count() % memory.count() != 0)
      throw config::error_at("/library", "\"base\" and \"stride\" must be multiples of the memory of " + e->name() +
                                             ", " + to_string(memory));
    largest_ = std::min(largest_, memory);
  }
  for (std::size_t to = 0; to < exercisers_.size(); ++to)
    for (const bench::Exerciser* from : exercisers_)
      if (from != exercisers_[to]) way(*from, base_ + stride_ * to, *exercisers_[to]);
}

void ExerciserGroup::send(Fiber& f, int from, int to, const comm::Buffer& b) {
  const std::uint64_t there =
      base_ + stride_ * static_cast<std::uint64_t>(to) + static_cast<std::uint64_t>(b.offset.count());
  step.sent(b.size);
  exercisers_[from]->write(f, there, b.size, all_ones);
}

void ExerciserGroup::recv(Fiber& f, int to, int, const comm::Buffer& b) {
  take(f, *exercisers_[to], end_of(b), b.size);
}

namespace {

std::unique_ptr<comm::Library> make_exerciser_library(const config::AnyConfig& c, Machine& m) {
  const auto& config = c.as<ExerciserLibraryConfig>();
  if (config.stride == Bytes::zero()) return std::make_unique<ExerciserPair>(config, m);
  return std::make_unique<ExerciserGroup>(config, m);
}

}  // namespace

LibraryKind exerciser_library() {
  return {config::kind<ExerciserLibraryConfig>(
              "exerciser", "PCIe exercisers that write to a memory or to each other, or do DMA on host memory"),
          make_exerciser_library};
}

}  // namespace tsunagi::libraries
