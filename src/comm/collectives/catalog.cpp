// SPDX-License-Identifier: Apache-2.0
#include "comm/collectives/catalog.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "comm/collectives/all_to_all.hpp"
#include "comm/collectives/allgather.hpp"
#include "comm/collectives/allreduce.hpp"
#include "comm/collectives/barrier.hpp"
#include "comm/collectives/broadcast.hpp"
#include "comm/collectives/gather.hpp"
#include "comm/collectives/reduce.hpp"
#include "comm/collectives/scatter.hpp"
#include "config/suggest.hpp"
#include "units/parse.hpp"

namespace tsunagi::comm {

namespace {

std::string always(int, const CollectiveCall&) { return {}; }
std::string powers_of_two(int ranks, const CollectiveCall&) {
  return (ranks & (ranks - 1)) == 0 ? "" : "2, 4, 8, ... ranks only, not " + std::to_string(ranks);
}
std::string equal_blocks(int, const CollectiveCall& c) { return c.v() ? "blocks of one size only" : ""; }
std::string segments(int, const CollectiveCall& c) {
  return c.segment > Bytes::zero() ? "" : "segments of at least 1 B, not " + to_string(c.segment);
}
std::string radix_and_segments(int ranks, const CollectiveCall& c) {
  return c.radix < 2 ? "a radix of at least 2, not " + std::to_string(c.radix) : segments(ranks, c);
}
Bytes none(int, const CollectiveCall&) { return {}; }

std::string by(Collective kind, const std::string& name) { return std::string(name_of(kind)) + " by \"" + name + "\""; }
std::string by(const CollectiveCall& c, const std::string& name) { return by(c.kind, name); }

/// What a library does itself.
std::vector<Algorithm> by_library(const char* name, const char* doc, void (*run)(Participant&, const CollectiveCall&)) {
  std::vector<Algorithm> out;
  for (int i = 0; i <= static_cast<int>(Collective::all_to_all); ++i)
    out.push_back({static_cast<Collective>(i), name, doc, always, none, run});
  return out;
}

struct Own {
  std::vector<Algorithm> algorithms;  // by kind
  std::string Means::*refusal;
};
const std::vector<Own>& own() {
  static const std::vector<Own> all = {
      {by_library("hardware", "the library's own, by hardware",
                  [](Participant& me, const CollectiveCall& c) { me.by_hardware(c); }),
       &Means::hardware},
      {by_library("software", "the library's own, beside its messages",
                  [](Participant& me, const CollectiveCall& c) { me.by_software(c); }),
       &Means::software},
  };
  return all;
}

/// Why not that one.
std::string against(const Algorithm& a, int ranks, const CollectiveCall& c, const Means& m) {
  if (std::string why = a.refusal(ranks, c); !why.empty()) return by(c, a.name) + ": " + why;
  const Bytes need = a.scratch(ranks, c);
  if (need <= m.scratch) return {};
  return by(c, a.name) + " of " + std::to_string(ranks) + " ranks needs " + to_string(need) +
         " of memory beside its buffers, but there are " + to_string(m.scratch);
}

const Algorithm* find(Collective kind, const std::string& name) {
  for (const Algorithm& a : algorithms())
    if (a.kind == kind && a.name == name) return &a;
  return nullptr;
}

std::string unknown_text(Collective kind, const std::string& name, bool with_own) {
  std::vector<std::string> known;
  for (const Algorithm& a : algorithms())
    if (a.kind == kind) known.emplace_back(a.name);
  for (const Own& o : own())
    if (with_own) known.emplace_back(o.algorithms.front().name);
  const std::string hint = config::detail::did_you_mean(name, known);
  return "there is no " + by(kind, name) + (hint.empty() ? ";" : hint) +
         " algorithms: " + config::detail::listed(known);
}

/// The one that the library prefers, if it can; else null.
const Algorithm* preferred(int ranks, CollectiveCall c, const Means& m) {
  const Algorithm* a = m.preferred ? find(c.kind, m.preferred->algorithm) : nullptr;
  if (a == nullptr) return nullptr;
  adopt(c, *a, {}, m);
  return against(*a, ranks, c, m).empty() ? a : nullptr;
}

const Algorithm& chosen(int ranks, const CollectiveCall& c, const Means& m) {
  if (const Algorithm* a = preferred(ranks, c, m)) return *a;
  const Algorithm& first = *find(c.kind, preference(ranks, c));
  const std::string why = against(first, ranks, c, m);
  if (why.empty()) return first;
  for (const Algorithm& a : algorithms())
    if (a.kind == c.kind && against(a, ranks, c, m).empty()) return a;
  throw std::invalid_argument(why + "; nor can any other algorithm");
}

}  // namespace

const char* name_of(Collective c) {
  constexpr const char* names[] = {"barrier", "broadcast", "reduce",    "allreduce",
                                   "scatter", "gather",    "allgather", "all_to_all"};
  return names[static_cast<int>(c)];
}

Bytes CollectiveCall::weight(int ranks) const {
  if (v()) return *std::max_element(sizes.begin(), sizes.end());
  if (kind == Collective::all_to_all) return Bytes(in.size.count() / ranks);
  return kind == Collective::scatter ? out.size : in.size;
}

const std::vector<Algorithm>& algorithms() {
  using C = Collective;
  static const std::vector<Algorithm> all = {
      {C::barrier, "dissemination", "ceil(log2 p) rounds of one message each way", always, none, dissemination_barrier},
      {C::barrier, "tree", "up a binomial tree and down again", always, none, tree_barrier},
      {C::broadcast, "binomial", "a binomial tree, the largest subtree first", always, none, binomial_broadcast},
      {C::broadcast, "binomial_smallest_first", "a binomial tree, the smallest subtree first", always, none,
       binomial_smallest_first_broadcast},
      {C::broadcast, "binary_tree", "a complete binary tree, in segments", segments, none, binary_tree_broadcast},
      {C::broadcast, "knomial", "a k-nomial tree, the largest subtrees first, in segments", radix_and_segments, none,
       knomial_broadcast},
      {C::broadcast, "chain", "from rank to rank, in segments", segments, none, chain_broadcast},
      {C::broadcast, "scatter_allgather", "a binomial scatter, then an allgather (van de Geijn)", always, none,
       scatter_allgather_broadcast},
      {C::broadcast, "scatter_ring", "a binomial scatter, then an allgather round a ring", always, none,
       scatter_ring_broadcast},
      {C::broadcast, "linear", "the root sends to each", always, none, linear_broadcast},
      {C::reduce, "binomial", "up a binomial tree", always, binomial_reduce_scratch, binomial_reduce},
      {C::reduce, "chain", "from rank to rank, in segments", segments, chain_reduce_scratch, chain_reduce},
      {C::reduce, "rabenseifner", "a recursive halving reduce-scatter, then a binomial gather", always,
       rabenseifner_reduce_scratch, rabenseifner_reduce},
      {C::reduce, "linear", "each sends to the root", always, linear_reduce_scratch, linear_reduce},
      {C::allreduce, "recursive_doubling", "pairs of ranks exchange all they have", always, doubling_allreduce_scratch,
       doubling_allreduce},
      {C::allreduce, "ring", "a reduce-scatter round a ring, then an allgather round it", always,
       ring_allreduce_scratch, ring_allreduce},
      {C::allreduce, "rabenseifner", "a recursive halving reduce-scatter, then a recursive doubling allgather", always,
       rabenseifner_allreduce_scratch, rabenseifner_allreduce},
      {C::allreduce, "reduce_broadcast", "a binomial reduce, then a binomial broadcast", always,
       binomial_reduce_scratch, reduce_broadcast_allreduce},
      {C::scatter, "binomial", "down a binomial tree", always, binomial_scatter_scratch, binomial_scatter},
      {C::scatter, "linear", "the root sends to each", always, none, linear_scatter},
      {C::gather, "binomial", "up a binomial tree", always, binomial_scatter_scratch, binomial_gather},
      {C::gather, "linear", "each sends to the root", always, none, linear_gather},
      {C::allgather, "ring", "blocks go round a ring of all ranks", always, none, ring_allgather},
      {C::allgather, "recursive_doubling", "pairs of ranks exchange all they have", powers_of_two, none,
       doubling_allgather},
      {C::allgather, "bruck", "ceil(log2 p) rounds, then a rotation", always, bruck_allgather_scratch, bruck_allgather},
      {C::all_to_all, "pairwise", "p - 1 rounds, in each an exchange with one rank", always, none, pairwise_all_to_all},
      {C::all_to_all, "bruck", "ceil(log2 p) rounds of half of all blocks", equal_blocks, bruck_all_to_all_scratch,
       bruck_all_to_all},
      {C::all_to_all, "linear", "all messages at once, in the order of the ranks", always, none, linear_all_to_all},
      {C::all_to_all, "scattered", "messages to 32 ranks at once, from each rank's own place on", always, none,
       scattered_all_to_all},
  };
  return all;
}

Means means(const World& w, const std::vector<int>& ranks, const CollectiveCall& c) {
  Means m{std::max(Bytes::zero(), w.scratch().size - aside_need(c))};
  m.preferred = w.library().choice(static_cast<int>(ranks.size()), c);
  const bool moves_blocks = c.kind > Collective::allreduce;
  if (LibraryCollectives* own = w.library().facet<HardwareCollectives>())
    m.hardware = moves_blocks ? "no hardware does that" : own->refusal(ranks, c);
  if (LibraryCollectives* own = w.library().facet<SoftwareCollectives>())
    m.software = moves_blocks ? "messages do that" : own->refusal(ranks, c);
  return m;
}

const Algorithm& choose(int ranks, const CollectiveCall& c, const std::string& name, const Means& m) {
  for (const Own& o : own()) {
    const Algorithm& a = o.algorithms[static_cast<std::size_t>(c.kind)];
    const std::string& why = m.*o.refusal;
    if (name == a.name && !why.empty()) throw std::invalid_argument(by(c, name) + ": " + why);
    if (name == a.name || (name.empty() && why.empty())) return a;
  }
  if (name.empty()) return chosen(ranks, c, m);
  if (const Algorithm* a = find(c.kind, name)) {
    if (const std::string why = against(*a, ranks, c, m); !why.empty()) throw std::invalid_argument(why);
    return *a;
  }
  throw std::invalid_argument(unknown_text(c.kind, name, true));
}

std::string unknown(Collective kind, const std::string& name) {
  return find(kind, name) != nullptr ? std::string() : unknown_text(kind, name, false);
}

void adopt(CollectiveCall& c, const Algorithm& chosen, const std::string& name, const Means& m) {
  if (!name.empty() || !m.preferred || m.preferred->algorithm != chosen.name) return;
  c.segment = m.preferred->segment;
  c.radix = m.preferred->radix;
}

std::string refusal(int ranks, const CollectiveCall& c, const std::string& name, const Means& m) {
  try {
    choose(ranks, c, name, m);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return {};
}

Bytes scratch_need(int ranks, const CollectiveCall& c, const std::string& name, Means m) {
  m.scratch = Bytes(std::numeric_limits<std::int64_t>::max());
  const Algorithm& a = choose(ranks, c, name, m);
  CollectiveCall as_done = c;
  adopt(as_done, a, name, m);
  return a.scratch(ranks, as_done) + aside_need(c);
}

bool combines_aside(const CollectiveCall& c) {
  const bool combines = c.kind == Collective::reduce || c.kind == Collective::allreduce;
  return combines && !(is_host(c.in.place) && is_host(c.out.place));
}

Bytes split_scratch(int ranks) {
  const Bytes all = Bytes(8) * ranks;
  return all + scratch_need(ranks, {Collective::allgather, 0, {{}, Bytes(8), {}, {}}, {{}, all, {}, {}}}, "");
}

}  // namespace tsunagi::comm
