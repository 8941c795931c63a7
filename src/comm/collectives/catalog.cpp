// SPDX-License-Identifier: Apache-2.0
#include "comm/collectives/catalog.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "config/suggest.hpp"
#include "units/parse.hpp"

namespace tsunagi::comm {

// Each is the last function of its collective's file.
std::vector<Algorithm> barrier_algorithms();
std::vector<Algorithm> broadcast_algorithms();
std::vector<Algorithm> reduce_algorithms();
std::vector<Algorithm> allreduce_algorithms();
std::vector<Algorithm> scatter_algorithms();
std::vector<Algorithm> gather_algorithms();
std::vector<Algorithm> allgather_algorithms();
std::vector<Algorithm> all_to_all_algorithms();

namespace {

std::string by(Collective kind, const std::string& name) { return std::string(name_of(kind)) + " by \"" + name + "\""; }
std::string by(const CollectiveCall& c, const std::string& name) { return by(c.kind, name); }

/// What a library does itself.
std::vector<Algorithm> by_library(const char* name, const char* doc, void (*run)(Participant&, const CollectiveCall&)) {
  std::vector<Algorithm> out;
  for (int i = 0; i <= static_cast<int>(Collective::all_to_all); ++i)
    out.push_back({static_cast<Collective>(i), name, doc, run});
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
  if (c.order != PartnerOrder::own && !a.orders) return by(c, a.name) + " has one order of partners alone";
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
  static const std::vector<Algorithm> all = [] {
    std::vector<Algorithm> out;
    for (const auto& some :
         {barrier_algorithms(), broadcast_algorithms(), reduce_algorithms(), allreduce_algorithms(),
          scatter_algorithms(), gather_algorithms(), allgather_algorithms(), all_to_all_algorithms()})
      out.insert(out.end(), some.begin(), some.end());
    return out;
  }();
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

bool orders(Collective kind, const std::string& name) {
  const Algorithm* a = find(kind, name);
  return a != nullptr && a->orders;
}

std::vector<config::Choice> partner_orders() {
  const auto number = [](PartnerOrder o) { return static_cast<std::int64_t>(o); };
  return {{"own", number(PartnerOrder::own), "the algorithm's own"},
          {"natural", number(PartnerOrder::natural), "ranks 0, 1, 2, ..."},
          {"rank_relative", number(PartnerOrder::rank_relative), "a rank's next one, the one behind that, ... round"}};
}

void adopt(CollectiveCall& c, const Algorithm& chosen, const std::string& name, const Means& m) {
  if (!name.empty() || !m.preferred || m.preferred->algorithm != chosen.name) return;
  c.segment = m.preferred->segment;
  c.radix = m.preferred->radix;
  if (c.order == PartnerOrder::own) c.order = m.preferred->order;
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
