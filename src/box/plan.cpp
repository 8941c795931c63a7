// SPDX-License-Identifier: Apache-2.0
#include "box/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "box/adapter_tests.hpp"
#include "box/alike.hpp"
#include "box/copies.hpp"
#include "units/parse.hpp"

namespace tsunagi::box {
namespace {

using Json = nlohmann::ordered_json;
using Kind = Place::Kind;
std::vector<Json> pcie_wires(const topo::Graph& graph) {
  std::vector<Json> out;
  for (const topo::Link& l : graph.links)
    if (l.wire.kind() == "pcie") out.push_back(fields_of(l.wire, "wire"));
  return out;
}

/// Makes the plan.
class Planner {
 public:
  Planner(const topo::Graph& graph, const Wish& wish)
      : graph_(graph),
        wish_(wish),
        plan_{server_of(graph), {}, {}, {}},
        copies_(graph, plan_.server, wish_),
        alike_(graph, plan_.server) {}
  Plan plan();

 private:
  const std::vector<Place>& places() const { return plan_.server.places; }
  std::size_t number_of(const Place& p) const { return static_cast<std::size_t>(&p - places().data()); }
  Cell cell(const Place& from, const Place& to, What what, std::string how) const {
    Cell out{number_of(from), number_of(to), what, from.root_complex == to.root_complex, std::move(how)};
    out.way = way_between(graph_, from, to);
    for (const Place* p : {&from, &to})
      if (p->kind == Kind::adapter) out.way.push_back(graph_.links.size());
    return out;
  }
  void add(Cell c, Reading r) {
    c.reading = std::move(r);
    plan_.cells.push_back(std::move(c));
  }
  void leave_out(const Place& from, const Place& to, const std::string& why);
  void leave_out(const Place& from, const Place& to, What what, const std::string& why);
  std::size_t run(Json library, Json scenario) {
    plan_.runs.push_back({std::move(library), std::move(scenario), {}});
    return plan_.runs.size() - 1;
  }

  void add(const std::vector<CopyTest>& tests);
  void add(std::vector<AdapterTest> tests);
  void adapters_at_once();
  void add_latencies(const Place& a, const Place& b);
  void by_way_of_host(const Place& a, const Place& b);
  void card_and_memory(const Place& card, const Place& memory);
  void adapter_and(const Place& other, const Place& adapter);
  void measure(const Place& a, const Place& b);
  void pair(const Place& a, const Place& b);
  std::size_t add_group(const Pairs& pairs, Reach reach);
  void compare(const std::string& what, const Pairs& pairs, std::size_t cells, Reach reach = Reach::all);
  void compare_directions(const Place& a, const Place& b, std::size_t cells, Reach reach);

  const topo::Graph& graph_;
  const Wish& wish_;
  Plan plan_;
  CopyTests copies_;
  Alike alike_;
  std::map<std::string, std::size_t> first_;  // cells of each kind of pairs
};

bool is_copied(const Place& a, const Place& b) {
  return (a.kind == Kind::gpu && (b.kind == Kind::gpu || b.kind == Kind::memory)) ||
         (b.kind == Kind::gpu && a.kind == Kind::memory);
}

void Planner::leave_out(const Place& from, const Place& to, What what, const std::string& why) {
  Cell c = cell(from, to, what, "");
  c.why_not = why;
  plan_.cells.push_back(std::move(c));
}

void Planner::leave_out(const Place& from, const Place& to, const std::string& why) {
  for (const What what : all_whats) {
    if (what == What::read) continue;
    leave_out(from, to, what, why);
    if (what != What::both_ways) leave_out(to, from, what, why);
  }
}

/// Copies, and the cells that they measure.
void Planner::add(const std::vector<CopyTest>& tests) {
  for (const CopyTest& t : tests) {
    plan_.runs.push_back(t.run);
    for (const CopyTest::Of& of : t.cells) {
      Reading r{plan_.runs.size() - 1, of.rows, t.run.scenario.at("kind") == "ping_pong" ? "latency" : "time"};
      if (is_rate(of.what)) r.lengths = t.lengths;
      add(cell(*of.from, *of.to, of.what, of.how), std::move(r));
    }
  }
}

std::size_t Planner::add_group(const Pairs& pairs, Reach reach) {
  plan_.groups.push_back({{}, reach});
  for (const auto& [from, to] : pairs) plan_.groups.back().pairs.emplace_back(number_of(*from), number_of(*to));
  return plan_.groups.size() - 1;
}

/// Cells from that one on are alike those of such pairs that were there before, if there were any.
void Planner::compare(const std::string& what, const Pairs& pairs, std::size_t cells, Reach reach) {
  const std::size_t group = add_group(pairs, reach);
  const auto [known, is_new] = first_.emplace(what + "\n" + alike_.key(pairs, reach), cells);
  for (std::size_t i = cells; i < plan_.cells.size(); ++i) {
    plan_.cells[i].group = group;
    if (!is_new && !wish_.each && plan_.cells[i].reading) plan_.cells[i].alike = known->second + (i - cells);
  }
  if (pairs.size() == 1) compare_directions(*pairs.front().first, *pairs.front().second, cells, reach);
}

/// Of those cells the ones of the way back are alike those of the way there, where the ends are.
void Planner::compare_directions(const Place& a, const Place& b, std::size_t cells, Reach reach) {
  if (a.kind != b.kind || a.root_complex != b.root_complex) return;
  if (alike_.key({{&a, &b}}, reach) != alike_.key({{&b, &a}}, reach)) return;
  const std::size_t back = add_group({{&b, &a}}, reach);
  for (std::size_t i = cells; i < plan_.cells.size(); ++i) {
    Cell& c = plan_.cells[i];
    if (c.from != number_of(b)) continue;
    c.group = back;
    for (std::size_t there = cells; there < i && !c.alike && !wish_.each && c.reading; ++there)
      if (plan_.cells[there].from == c.to && plan_.cells[there].what == c.what) c.alike = there;
  }
}

/// GPUs of different sockets: cudaMemcpyPeer without peer access.
void Planner::by_way_of_host(const Place& a, const Place& b) {
  const std::size_t cells = plan_.cells.size();
  add(std::vector{copies_.by_way_of_host(a, b)});
  for (std::size_t i = cells; i < plan_.cells.size(); ++i) plan_.cells[i].chunks = true;
  const std::string why =
      "one thread copies by way of the host, one call at a time, as root complexes refuse peer access: what several do "
      "at once is not modelled";
  leave_out(a, b, What::both_ways, why);
  leave_out(a, b, What::at_once, why);
  leave_out(b, a, What::at_once, why);
}

/// What pcie-bench measures: a card's own DMA.
void Planner::card_and_memory(const Place& card, const Place& memory) {
  const bool near = card.root_complex == memory.root_complex;
  Json library{{"kind", "exerciser"}, {"exerciser", card.device}};
  const Place* own = plan_.server.memory_of(card);
  const Place& local = own == nullptr ? memory : *own;
  library["memory"] = local.device;
  library["base"] = fields_of(graph_.nodes[local.node].config, "device").at("base");
  if (!near && own != nullptr) library["remote_memory"] = memory.device;
  const auto bench = [&](const char* benchmark, Bytes size, int transactions) {
    return run(library, {{"kind", "pcie_bench"},
                         {"benchmark", benchmark},
                         {"sizes", {to_string(size)}},
                         {"windows", {"64 KiB"}},
                         {"node", near || own == nullptr ? "local" : "remote"},
                         {"transactions", transactions},
                         {"warm_up", 100}});
  };
  constexpr Bytes transfer(2048);
  const std::string how = "DMA of " + card.name;
  add(cell(card, memory, What::one_way, how + ", writes of 2 KiB"), {bench("bw_wr", transfer, 500), {{}}, "time"});
  add(cell(memory, card, What::one_way, how + ", reads of 2 KiB"), {bench("bw_rd", transfer, 500), {{}}, "time"});
  add(cell(memory, card, What::both_ways, how + ", reads and writes of 2 KiB in turn"),
      {bench("bw_rdwr", transfer, 500), {{}}, "time", 2});
  add(cell(memory, card, What::latency, how + ", a read"), {bench("lat_rd", wish_.small, 50), {{}}, "median"});
  leave_out(card, memory, What::latency, "a posted write is not answered: nobody sees when it has come");
  for (const auto& [from, to] : {std::pair(&card, &memory), std::pair(&memory, &card)})
    leave_out(*from, *to, What::at_once, "runs of a card's own DMA have one card");
}

/// Programs of perftest, and the cells that they measure.
void Planner::add(std::vector<AdapterTest> tests) {
  for (AdapterTest& t : tests) {
    plan_.runs.push_back(std::move(t.run));
    for (const AdapterTest::Of& of : t.cells) {
      Cell c = cell(*of.from, *of.to, of.what, t.how);
      c.bounds = t.bounds;
      if (of.what == What::at_once) c.way.back() += static_cast<std::size_t>(&of - t.cells.data());  // its own cable
      add(std::move(c), {plan_.runs.size() - 1, t.rows, t.time, t.times, t.lengths});
    }
  }
}

/// Each memory and all adapters of a socket, near or far, that are of one kind.
void Planner::adapters_at_once() {
  std::map<std::pair<std::uint32_t, std::string>, std::vector<const Place*>> sets;
  for (const Place& p : places())
    if (p.kind == Kind::adapter && plan_.server.memory_of(p) != nullptr && !plan_.server.core_of(p).empty())
      sets[{p.root_complex, cable_of(graph_, p).dump()}].push_back(&p);
  for (const Place& m : places()) {
    if (m.kind != Kind::memory) continue;
    for (const auto& [kind, adapters] : sets) {
      const std::size_t cells = plan_.cells.size();
      add(box::adapters_at_once(graph_, plan_.server, m, adapters));
      Pairs pairs;
      for (const Place* a : adapters) pairs.emplace_back(&m, a);
      compare("adapters at once, " + kind.second, pairs, cells);
    }
  }
}

/// What perftest measures with an equal server.
void Planner::adapter_and(const Place& other, const Place& adapter) {
  if (plan_.server.memory_of(adapter) == nullptr || plan_.server.core_of(adapter).empty())
    return leave_out(other, adapter, "there is no core or no memory at the root complex of the adapter");
  if (!copies_.peers(other, adapter) && other.kind == Kind::gpu)
    return leave_out(other, adapter, "root complexes refuse peer access between their cards");
  add(adapter_tests(graph_, plan_.server, other, adapter, wish_.small));
  if (other.kind == Kind::memory) return;
  for (const auto& [from, to] : {std::pair(&other, &adapter), std::pair(&adapter, &other)}) {
    leave_out(*from, *to, What::at_once, "a process of perftest has one buffer for all adapters: no GPU's each");
    leave_out(*from, *to, What::latency, "ib_write_lat polls the memory that it writes to: no GPU's");
  }
}

void Planner::pair(const Place& a, const Place& b) {
  const std::size_t cells = plan_.cells.size();
  measure(a, b);
  const bool by_engines =
      cells < plan_.cells.size() && plan_.cells[cells].reading && is_copied(a, b) && !plan_.cells[cells].chunks;
  compare(b.kind == Kind::adapter ? cable_of(graph_, b).dump() : "", {{&a, &b}}, cells,
          by_engines && copies_.by_nvlink(a, b) ? Reach::nvlink : Reach::all);
  if (by_engines) add_latencies(a, b);
}

void Planner::add_latencies(const Place& a, const Place& b) {
  const std::size_t cells = plan_.cells.size();
  add(copies_.latencies(a, b));
  compare("latency", {{&a, &b}}, cells);
}

void Planner::measure(const Place& a, const Place& b) {
  const bool has_core = std::all_of(places().begin(), places().end(), [&](const Place& p) {
    return (&p != &a && &p != &b) || (plan_.server.memory_of(p) != nullptr && !plan_.server.core_of(p).empty());
  });
  if (is_copied(a, b) && !has_core) return leave_out(a, b, "there is no core or no memory at the root complex of one");
  if (is_copied(a, b))
    return a.kind == b.kind && !copies_.peers(a, b) ? by_way_of_host(a, b) : add(copies_.rates(a, b));
  if (a.kind == Kind::memory && b.kind == Kind::memory)
    return leave_out(a, b, "cores copy between memories, not cards: no library does that alone");
  if (a.kind == Kind::memory && b.kind == Kind::card) return card_and_memory(b, a);
  if (b.kind == Kind::adapter && (a.kind == Kind::memory || a.kind == Kind::gpu)) return adapter_and(a, b);
  if (b.kind == Kind::adapter || a.kind == Kind::adapter)
    return leave_out(a, b, "an adapter moves bytes between its network and memories alone");
  leave_out(a, b, "no library has a card's own DMA reach another card");
}

Plan Planner::plan() {
  for (std::size_t i = 0; i < places().size(); ++i)
    for (std::size_t j = i + 1; j < places().size(); ++j) pair(places()[i], places()[j]);
  for (const Pairs& pairs : copies_.sets_at_once()) {
    const std::size_t cells = plan_.cells.size();
    add(std::vector{copies_.at_once(pairs)});
    compare("at once", pairs, cells, copies_.reach_of(pairs));
  }
  adapters_at_once();
  return std::move(plan_);
}

}  // namespace

Bytes piece_for(const topo::Graph& graph) {
  Bytes out = Wish().piece;
  constexpr std::int64_t gen3_x16 = 16 * 4;
  for (const Json& wire : pcie_wires(graph)) {
    const int generation = std::clamp(wire.value("generation", 1), 1, 10);
    const std::int64_t speed = wire.value("lanes", 1) * (std::int64_t{1} << (generation - 1));
    while (Wish().piece * speed > out * gen3_x16) out = out * 2;
  }
  return out;
}

Plan plan_of(const topo::Graph& graph, const Wish& wish) { return Planner(graph, wish).plan(); }

}  // namespace tsunagi::box
