// SPDX-License-Identifier: Apache-2.0
#include "box/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "box/adapter_tests.hpp"
#include "box/alike.hpp"
#include "box/nvlink.hpp"
#include "units/parse.hpp"

namespace tsunagi::box {
namespace {

using Json = nlohmann::ordered_json;
using Kind = Place::Kind;
constexpr const char* copied_by = "method";  // column of scenario copies

std::vector<Json> pcie_wires(const topo::Graph& graph) {
  std::vector<Json> out;
  for (const topo::Link& l : graph.links)
    if (l.wire.kind() == "pcie") out.push_back(fields_of(l.wire, "wire"));
  return out;
}

/// Whether its GPUs are of a time whose drivers move larger chunks by way of the host.
bool has_gen4(const topo::Graph& graph) {
  const std::vector<Json> wires = pcie_wires(graph);
  return std::any_of(wires.begin(), wires.end(), [](const Json& w) { return w.value("generation", 1) >= 4; });
}

/// Makes the plan.
class Planner {
 public:
  Planner(const topo::Graph& graph, const Wish& wish)
      : graph_(graph),
        wish_(wish),
        plan_{server_of(graph), {}, {}, {}},
        alike_(graph, plan_.server),
        has_gen4_(has_gen4(graph)) {}
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

  bool peers(const Place& a, const Place& b) const;
  /// Of copies of `pairs`: as long as those by PCIe take.
  Bytes size_of(const Pairs& pairs) const;
  std::string engine_of(const Place& by, const Place& from, const Place& to) const;
  Json cuda(const Place& memory, const Pairs& pairs) const;
  Json copies(const Pairs& pairs, bool alone, int queued, Bytes size) const;
  void pair_with_copies(const Place& a, const Place& b);
  void copies_at_once(const Pairs& pairs);
  void all_copies();
  void by_way_of_host(const Place& a, const Place& b);
  void card_and_memory(const Place& card, const Place& memory);
  void adapter_and(const Place& other, const Place& adapter);
  void measure(const Place& a, const Place& b);
  void pair(const Place& a, const Place& b);
  void compare(const std::string& what, const Pairs& pairs, std::size_t cells);

  const topo::Graph& graph_;
  const Wish& wish_;
  Plan plan_;
  Alike alike_;
  std::map<std::string, std::size_t> first_;  // cells of each kind of pairs
  bool has_gen4_;                             // PCIe Gen4 and later, and a CUDA of its time
};

bool is_copied(const Place& a, const Place& b) {
  return (a.kind == Kind::gpu && (b.kind == Kind::gpu || b.kind == Kind::memory)) ||
         (b.kind == Kind::gpu && a.kind == Kind::memory);
}

const Place& memory_among(const Place& a, const Place& b, const Place& otherwise) {
  return a.kind == Kind::memory ? a : b.kind == Kind::memory ? b : otherwise;
}

std::string copied_name(const Place& p) { return p.kind == Kind::memory ? "host" : p.name; }

std::string name_of_copy(const Place& from, const Place& to) { return copied_name(from) + " > " + copied_name(to); }

std::vector<std::pair<std::string, std::string>> row_at_once(const Place& from, const Place& to) {
  return {{copied_by, name_of_copy(from, to)}, {"how", "at once"}};
}

const Place& copier_of(const Place& from, const Place& to) { return from.kind == Kind::gpu ? from : to; }

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

/// Whether one card can write to the other: NVLink joins them, or root complexes let it.
bool Planner::peers(const Place& a, const Place& b) const {
  if (a.root_complex == b.root_complex || nvlink_way(graph_, a, b).links > 0) return true;
  const Json root = fields_of(graph_.nodes[a.root_complex].config, "device");
  return root.value("peer_across_qpi", "refused") != "refused";
}

Bytes Planner::size_of(const Pairs& pairs) const {
  constexpr Bytes of_link = 1_MiB;
  if (!wish_.longer) return wish_.size;
  Bytes out = wish_.size;
  for (const auto& [from, to] : pairs)
    out = std::max(out, of_link * static_cast<std::int64_t>(nvlink_way(graph_, *from, *to).links));
  return out;
}

std::string Planner::engine_of(const Place& by, const Place& from, const Place& to) const {
  const NvlinkWay way = nvlink_way(graph_, from, to);
  return "copy engine of " + by.name + (way.links == 0 ? "" : ", " + said_of(graph_, way));
}

/// A process at that memory with the GPUs that the pairs name.
Json Planner::cuda(const Place& memory, const Pairs& pairs) const {
  std::vector<std::string> gpus;
  for (const auto& [from, to] : pairs)
    for (const Place* p : {from, to})
      if (p->kind == Kind::gpu && std::find(gpus.begin(), gpus.end(), p->name) == gpus.end()) gpus.push_back(p->name);
  return {{"$use", has_gen4_ ? "cuda_12" : "cuda_6_0"},
          {"node", plan_.server.node},
          {"core", plan_.server.core_of(memory)},
          {"memory", memory.name},
          {"gpus", gpus}};
}

Json Planner::copies(const Pairs& pairs, bool alone, int queued, Bytes size) const {
  Json out{{"kind", "copies"}, {"copies", Json::array()}, {"sizes", {to_string(size)}}, {"queued", queued}};
  out["alone"] = alone ? Json::array({to_string(wish_.small)}) : Json::array();
  for (const auto& [from, to] : pairs)
    out["copies"].push_back({{"source", copied_name(*from)}, {"target", copied_name(*to)}});
  return out;
}

void Planner::pair_with_copies(const Place& a, const Place& b) {
  const Place& memory = memory_among(a, b, *plan_.server.memory_of(a));
  for (const auto& [from, to] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    const Pairs one{{from, to}};
    const std::size_t r = run(cuda(memory, one), copies(one, true, 2, size_of(one)));
    const std::string how = engine_of(copier_of(*from, *to), *from, *to);
    add(cell(*from, *to, What::one_way, how), {r, {row_at_once(*from, *to)}, "time"});
    add(cell(*from, *to, What::latency, how), {r, {{{copied_by, name_of_copy(*from, *to)}, {"how", "alone"}}}, "time"});
  }
  if (a.kind == Kind::gpu && b.kind == Kind::gpu)
    for (const auto& [from, to] : {std::pair(&a, &b), std::pair(&b, &a)}) {
      Json reads = copies({{from, to}}, false, 2, size_of({{from, to}}));
      reads["copies"][0]["by"] = to->name;
      add(cell(*from, *to, What::read, engine_of(*to, *from, *to)),
          {run(cuda(memory, {{from, to}}), std::move(reads)), {row_at_once(*from, *to)}, "time"});
    }
  const Pairs both{{&a, &b}, {&b, &a}};
  add(cell(a, b, What::both_ways, "copy engines"),
      {run(cuda(memory, both), copies(both, false, 3, size_of(both))), {row_at_once(a, b), row_at_once(b, a)}, "time"});
}

void Planner::copies_at_once(const Pairs& pairs) {
  if (pairs.empty()) return;
  const auto& [first, second] = pairs.front();
  const Place& memory = memory_among(*first, *second, *plan_.server.memory_of(*first));
  // The more streams, the longer until each has its copies.
  const auto times = std::max<std::int64_t>(2, (static_cast<std::int64_t>(pairs.size()) + 3) / 4);
  // Over NVLink each pair has links of its own.
  const Bytes longest = size_of(pairs);
  const bool by_nvlink = longest > wish_.size;
  const std::size_t r = run(cuda(memory, pairs),
                            by_nvlink ? copies(pairs, false, 2, longest) : copies(pairs, false, 3, wish_.size * times));
  const std::size_t cells = plan_.cells.size();
  for (const auto& [from, to] : pairs)
    add(cell(
            *from, *to, What::at_once,
            fmt::format("copy engines, {} at once{}", pairs.size(), pairs.size() == 1 ? " (there are no others)" : "")),
        {r, {row_at_once(*from, *to)}, "time"});
  compare("at once", pairs, cells);
}

/// Cells from that one on are alike those of such pairs that were there before, if there were any.
void Planner::compare(const std::string& what, const Pairs& pairs, std::size_t cells) {
  plan_.groups.emplace_back();
  for (const auto& [from, to] : pairs) plan_.groups.back().emplace_back(number_of(*from), number_of(*to));
  const auto [known, is_new] = first_.emplace(what + alike_.key(pairs), cells);
  for (std::size_t i = cells; i < plan_.cells.size(); ++i) {
    plan_.cells[i].group = plan_.groups.size() - 1;
    if (!is_new && !wish_.each && plan_.cells[i].reading) plan_.cells[i].alike = known->second + (i - cells);
  }
}

/// All GPUs and a memory, out and in; and of GPUs that reach each other each to the next, to the next but one and so
/// on: of its socket, or of all where NVLink joins some.
void Planner::all_copies() {
  std::vector<const Place*> gpus;
  std::map<std::uint32_t, std::vector<const Place*>> sockets;
  for (const Place& p : places())
    if (p.kind == Kind::gpu) {
      gpus.push_back(&p);
      sockets[p.root_complex].push_back(&p);
    }
  for (const Place& m : places()) {
    if (m.kind != Kind::memory || plan_.server.core_of(m).empty()) continue;
    Pairs out;
    Pairs in;
    for (const bool near : {true, false})  // so that sockets that are alike have them in one order
      for (const Place* g : gpus)
        if ((g->root_complex == m.root_complex) == near) {
          out.emplace_back(&m, g);
          in.emplace_back(g, &m);
        }
    copies_at_once(out);
    copies_at_once(in);
  }
  for (std::size_t shift = 1; shift < gpus.size(); ++shift) {
    Pairs next;
    if (has_nvlink(graph_)) {  // of any sockets
      for (std::size_t i = 0; i < gpus.size(); ++i)
        if (const Place* to = gpus[(i + shift) % gpus.size()]; peers(*gpus[i], *to)) next.emplace_back(gpus[i], to);
      copies_at_once(next);
      continue;
    }
    for (const auto& [root, there] : sockets)
      for (std::size_t i = 0; shift < there.size() && i < there.size(); ++i)
        next.emplace_back(there[i], there[(i + shift) % there.size()]);
    copies_at_once(next);
  }
}

/// GPUs of different sockets: cudaMemcpyPeer without peer access.
void Planner::by_way_of_host(const Place& a, const Place& b) {
  const Place& memory = *plan_.server.memory_of(a);
  const Bytes staged = wish_.size * (has_gen4_ ? 16 : 4);  // some chunks
  const std::string how = "by way of " + memory.name + ": root complexes refuse peer access; mean of both directions";
  const std::size_t r = run(cuda(memory, {{&a, &b}}), {{"kind", "ping_pong"},
                                                       {"methods", {"no_uva"}},
                                                       {"sizes", {to_string(wish_.small), to_string(staged)}},
                                                       {"iterations", 1},
                                                       {"warm_up", 0}});
  for (const auto& [from, to] : {std::pair(&a, &b), std::pair(&b, &a)})
    for (const What what : {What::one_way, What::latency}) {
      Cell c = cell(*from, *to, what, how);
      c.chunks = true;
      const Bytes size = what == What::latency ? wish_.small : staged;
      add(std::move(c), {r, {{{"size", to_string(size)}}}, "latency"});
    }
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

/// What perftest measures with an equal server.
void Planner::adapter_and(const Place& other, const Place& adapter) {
  if (plan_.server.memory_of(adapter) == nullptr || plan_.server.core_of(adapter).empty())
    return leave_out(other, adapter, "there is no core or no memory at the root complex of the adapter");
  if (!peers(other, adapter) && other.kind == Kind::gpu)
    return leave_out(other, adapter, "root complexes refuse peer access between their cards");
  for (AdapterTest& t : adapter_tests(graph_, plan_.server, other, adapter, wish_.small)) {
    plan_.runs.push_back(std::move(t.run));
    for (const AdapterTest::Of& of : t.cells) {
      Cell c = cell(*of.from, *of.to, of.what, t.how);
      c.bounds = t.bounds;
      add(std::move(c), {plan_.runs.size() - 1, t.rows, t.time});
    }
  }
  for (const auto& [from, to] : {std::pair(&other, &adapter), std::pair(&adapter, &other)}) {
    leave_out(*from, *to, What::at_once, "perftest measures one adapter");
    if (other.kind == Kind::gpu)
      leave_out(*from, *to, What::latency, "ib_write_lat polls the memory that it writes to: no GPU's");
  }
}

void Planner::pair(const Place& a, const Place& b) {
  const std::size_t cells = plan_.cells.size();
  measure(a, b);
  compare(b.kind == Kind::adapter ? cable_of(graph_, b).dump() : "", {{&a, &b}}, cells);
}

void Planner::measure(const Place& a, const Place& b) {
  const bool has_core = std::all_of(places().begin(), places().end(), [&](const Place& p) {
    return (&p != &a && &p != &b) || (plan_.server.memory_of(p) != nullptr && !plan_.server.core_of(p).empty());
  });
  if (is_copied(a, b) && !has_core) return leave_out(a, b, "there is no core or no memory at the root complex of one");
  if (is_copied(a, b)) return a.kind == b.kind && !peers(a, b) ? by_way_of_host(a, b) : pair_with_copies(a, b);
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
  all_copies();
  return std::move(plan_);
}

}  // namespace

Bytes size_for(const topo::Graph& graph) {
  Bytes out = Wish().size;
  constexpr std::int64_t gen3_x16 = 16 * 4;
  for (const Json& wire : pcie_wires(graph)) {
    const int generation = std::clamp(wire.value("generation", 1), 1, 10);
    const std::int64_t speed = wire.value("lanes", 1) * (std::int64_t{1} << (generation - 1));
    while (Wish().size * speed > out * gen3_x16) out = out * 2;
  }
  return out;
}

Plan plan_of(const topo::Graph& graph, const Wish& wish) { return Planner(graph, wish).plan(); }

}  // namespace tsunagi::box
