// SPDX-License-Identifier: Apache-2.0
#include "box/copies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "box/nvlink.hpp"
#include "units/parse.hpp"

namespace tsunagi::box {
namespace {

using Json = nlohmann::ordered_json;
using Kind = Place::Kind;
using Says = std::vector<std::pair<std::string, std::string>>;
constexpr const char* copied_by = "method";  // column of scenario copies

std::string copied_name(const Place& p) { return p.kind == Kind::memory ? "host" : p.name; }

Says row_of(const Place& from, const Place& to, const char* how) {
  return {{copied_by, copied_name(from) + " > " + copied_name(to)}, {"how", how}};
}

Says row_at_once(const Place& from, const Place& to) { return row_of(from, to, "at once"); }

const Place& copier_of(const Place& from, const Place& to) { return from.kind == Kind::gpu ? from : to; }

/// Lanes times what a lane has of Gen1; 0: no PCIe link.
double speed_of(const topo::Link& link) {
  if (link.wire.kind() != "pcie") return 0;
  const Json wire = fields_of(link.wire, "wire");
  const int generation = std::clamp(wire.value("generation", 1), 1, 10);
  return wire.value("lanes", 1) * static_cast<double>(std::int64_t{1} << (generation - 1));
}

/// Follows who copies to whom, so that sets which differ in names alone have one order: 0 > 3, 3 > 6, 6 > 1.
Pairs in_rings(const Pairs& pairs) {
  Pairs out;
  std::vector<bool> taken(pairs.size(), false);
  for (std::size_t first = 0; first < pairs.size(); ++first)
    for (std::size_t i = first; i < pairs.size() && !taken[i];) {
      taken[i] = true;
      out.push_back(pairs[i]);
      const Place* to = pairs[i].second;
      const auto next = std::find_if(pairs.begin(), pairs.end(), [&](const auto& p) { return p.first == to; });
      i = static_cast<std::size_t>(next - pairs.begin());
    }
  return out;
}

}  // namespace

CopyTests::CopyTests(const topo::Graph& graph, const Server& server, const Wish& wish)
    : graph_(graph), server_(server), wish_(wish) {
  has_gen4_ = std::any_of(graph.links.begin(), graph.links.end(), [](const topo::Link& l) {
    return l.wire.kind() == "pcie" && fields_of(l.wire, "wire").value("generation", 1) >= 4;
  });
}

bool CopyTests::peers(const Place& a, const Place& b) const {
  if (a.root_complex == b.root_complex || by_nvlink(a, b)) return true;
  const Json root = fields_of(graph_.nodes[a.root_complex].config, "device");
  return root.value("peer_across_qpi", "refused") != "refused";
}

bool CopyTests::by_nvlink(const Place& a, const Place& b) const { return nvlink_way(graph_, a, b).links > 0; }

Reach CopyTests::reach_of(const Pairs& pairs) const {
  const bool all =
      std::all_of(pairs.begin(), pairs.end(), [&](const auto& p) { return by_nvlink(*p.first, *p.second); });
  return all ? Reach::nvlink : Reach::all;
}

std::size_t CopyTests::most_links(const Pairs& pairs) const {
  std::size_t out = 0;
  for (const auto& [from, to] : pairs) out = std::max(out, nvlink_way(graph_, *from, *to).links);
  return out;
}

/// As long as copies by PCIe take.
Bytes CopyTests::size_over_nvlink(const Pairs& pairs) const {
  if (!wish_.longer) return wish_.size;
  return std::max(wish_.size, 1_MiB * static_cast<std::int64_t>(most_links(pairs)));
}

std::string CopyTests::engine_of(const Place& by, const Place& from, const Place& to) const {
  const NvlinkWay way = nvlink_way(graph_, from, to);
  return "copy engine of " + by.name + (way.links == 0 ? "" : ", " + said_of(graph_, way));
}

const Place& CopyTests::memory_of(const Place& a, const Place& b) const {
  return a.kind == Kind::memory ? a : b.kind == Kind::memory ? b : *server_.memory_of(a);
}

/// A process at that memory with the GPUs that the pairs name.
Json CopyTests::cuda(const Place& memory, const Pairs& pairs) const {
  std::vector<std::string> gpus;
  for (const auto& [from, to] : pairs)
    for (const Place* p : {from, to})
      if (p->kind == Kind::gpu && std::find(gpus.begin(), gpus.end(), p->name) == gpus.end()) gpus.push_back(p->name);
  return {{"$use", has_gen4_ ? "cuda_12" : "cuda_6_0"},
          {"node", server_.node},
          {"core", server_.core_of(memory)},
          {"memory", memory.name},
          {"gpus", gpus}};
}

Json CopyTests::copies(const Pairs& pairs, const std::vector<Bytes>& sizes, int queued) const {
  Json out{{"kind", "copies"}, {"copies", Json::array()}, {"sizes", Json::array()}, {"queued", queued}};
  for (const Bytes size : sizes) out["sizes"].push_back(to_string(size));
  out["alone"] = Json::array();
  for (const auto& [from, to] : pairs)
    out["copies"].push_back({{"source", copied_name(*from)}, {"target", copied_name(*to)}});
  return out;
}

/// Their rates. Over NVLink, where each pair has links of its own, two short lengths tell what long copies need: from
/// 64 KiB a link on time grows as the length does. As nvbandwidth's streams, which wait until all is queued, these have
/// calls that cost nothing: else short copies would wait for them.
CopyTest CopyTests::over(const Place& memory, const Pairs& pairs, int queued) const {
  const Json library = cuda(memory, pairs);
  const auto run = [&](const std::vector<Bytes>& sizes, double calls) {
    return Run{library, copies(pairs, sizes, queued), {}, calls};
  };
  if (reach_of(pairs) != Reach::nvlink) return {run({wish_.size}, 1), {}, {}};
  const Bytes wanted = size_over_nvlink(pairs);
  const Bytes shorter = 64_KiB * static_cast<std::int64_t>(most_links(pairs));
  if (wanted < shorter * 2) return {run({wanted}, 0), {}, {}};
  return {run({shorter, shorter * 2}, 0), Lengths{shorter, shorter * 2, wanted}, {}};
}

CopyTest CopyTests::one_way(const Place& memory, const Place& from, const Place& to, bool alone_too) const {
  CopyTest out = over(memory, {{&from, &to}}, 2);
  const std::string how = engine_of(copier_of(from, to), from, to);
  out.cells.push_back({&from, &to, What::one_way, how, {row_at_once(from, to)}});
  if (!alone_too) return out;
  out.run.scenario["alone"] = {to_string(wish_.small)};
  out.cells.push_back({&from, &to, What::latency, how, {row_of(from, to, "alone")}});
  return out;
}

CopyTest CopyTests::alone(const Place& memory, const Place& from, const Place& to) const {
  const Pairs one{{&from, &to}};
  CopyTest out{{cuda(memory, one), copies(one, {}, 2), {}}, {}, {}};
  out.run.scenario["alone"] = {to_string(wish_.small)};
  out.cells.push_back(
      {&from, &to, What::latency, engine_of(copier_of(from, to), from, to), {row_of(from, to, "alone")}});
  return out;
}

std::vector<CopyTest> CopyTests::between(const Place& a, const Place& b) const {
  const bool alone_too = !by_nvlink(a, b);
  const Place& memory = memory_of(a, b);
  std::vector<CopyTest> out{one_way(memory, a, b, alone_too), one_way(memory, b, a, alone_too)};
  if (a.kind == Kind::gpu && b.kind == Kind::gpu)
    for (const auto& [from, to] : {std::pair(&a, &b), std::pair(&b, &a)}) {
      out.push_back(over(memory, {{from, to}}, 2));
      out.back().run.scenario["copies"][0]["by"] = to->name;
      out.back().cells.push_back({from, to, What::read, engine_of(*to, *from, *to), {row_at_once(*from, *to)}});
    }
  out.push_back(over(memory, {{&a, &b}, {&b, &a}}, 3));
  out.back().cells.push_back({&a, &b, What::both_ways, "copy engines", {row_at_once(a, b), row_at_once(b, a)}});
  return out;
}

std::vector<CopyTest> CopyTests::latencies(const Place& a, const Place& b) const {
  const Place& memory = memory_of(a, b);
  return {alone(memory, a, b), alone(memory, b, a)};
}

/// Whether each pair shares a link with others, so that it has no more than three quarters of what it could have
/// alone: then what one leaves between two copies others take, and a copy's length does not matter.
bool CopyTests::share_links(const Pairs& pairs) const {
  std::map<std::size_t, int> pairs_of;  // of a link
  std::vector<std::vector<std::size_t>> ways;
  for (const auto& [from, to] : pairs) {
    ways.push_back(way_between(graph_, *from, *to));
    for (const std::size_t link : ways.back()) ++pairs_of[link];
  }
  return std::all_of(ways.begin(), ways.end(), [&](const std::vector<std::size_t>& way) {
    double alone = 0;
    double shared = 0;
    for (const std::size_t link : way)
      if (const double speed = speed_of(graph_.links[link]); speed > 0) {
        alone = alone > 0 ? std::min(alone, speed) : speed;
        shared = shared > 0 ? std::min(shared, speed / pairs_of[link]) : speed / pairs_of[link];
      }
    return shared <= 0.75 * alone;
  });
}

CopyTest CopyTests::at_once(const Pairs& pairs) const {
  const auto& [first, second] = pairs.front();
  const Place& memory = memory_of(*first, *second);
  CopyTest out;
  if (reach_of(pairs) == Reach::nvlink) {
    out = over(memory, pairs, 2);
  } else if (most_links(pairs) > 0 && size_over_nvlink(pairs) > wish_.size) {
    out = {{cuda(memory, pairs), copies(pairs, {size_over_nvlink(pairs)}, 2), {}}, {}, {}};
  } else {
    // The more streams, the longer until each has its copies.
    const auto times = std::max<std::int64_t>(2, (static_cast<std::int64_t>(pairs.size()) + 3) / 4);
    const Bytes longest = wish_.size * times;
    Bytes size = longest;
    // Of posted writes into a memory and of reads that share a link the rate has settled long before. Calls are as much
    // shorter as copies are, so that these lie to each other as long ones do.
    if (second->kind == Kind::memory)
      size = std::min(longest, std::max(256_KiB, Bytes(wish_.size.count() / 4)));
    else if (first->kind == Kind::memory && share_links(pairs))
      size = std::min(longest, std::max(640_KiB, Bytes(wish_.size.count() / 2)));
    const double calls = static_cast<double>(size.count()) / static_cast<double>(longest.count());
    out = {{cuda(memory, pairs), copies(pairs, {size}, 3), {}, calls}, {}, {}};
  }
  const std::string how =
      fmt::format("copy engines, {} at once{}", pairs.size(), pairs.size() == 1 ? " (there are no others)" : "");
  for (const auto& [from, to] : pairs) out.cells.push_back({from, to, What::at_once, how, {row_at_once(*from, *to)}});
  return out;
}

CopyTest CopyTests::by_way_of_host(const Place& a, const Place& b) const {
  const Place& memory = *server_.memory_of(a);
  const Bytes staged = wish_.size * (has_gen4_ ? 16 : 4);  // some chunks
  const std::string how = "by way of " + memory.name + ": root complexes refuse peer access; mean of both directions";
  CopyTest out{{cuda(memory, {{&a, &b}}),
                {{"kind", "ping_pong"},
                 {"methods", {"no_uva"}},
                 {"sizes", {to_string(wish_.small), to_string(staged)}},
                 {"iterations", 1},
                 {"warm_up", 0}},
                {}},
               {},
               {}};
  for (const auto& [from, to] : {std::pair(&a, &b), std::pair(&b, &a)})
    for (const What what : {What::one_way, What::latency})
      out.cells.push_back({from, to, what, how, {{{"size", to_string(what == What::latency ? wish_.small : staged)}}}});
  return out;
}

std::vector<Pairs> CopyTests::sets_at_once() const {
  std::vector<const Place*> gpus;
  std::map<std::uint32_t, std::vector<const Place*>> sockets;
  for (const Place& p : server_.places)
    if (p.kind == Kind::gpu) {
      gpus.push_back(&p);
      sockets[p.root_complex].push_back(&p);
    }
  std::vector<Pairs> sets;
  for (const Place& m : server_.places) {
    if (m.kind != Kind::memory || server_.core_of(m).empty()) continue;
    Pairs out;
    Pairs in;
    for (const bool near : {true, false})  // so that sockets that are alike have them in one order
      for (const Place* g : gpus)
        if ((g->root_complex == m.root_complex) == near) {
          out.emplace_back(&m, g);
          in.emplace_back(g, &m);
        }
    sets.push_back(out);
    sets.push_back(in);
  }
  for (std::size_t shift = 1; shift < gpus.size(); ++shift) {
    Pairs next;
    if (has_nvlink(graph_)) {  // of any sockets
      for (std::size_t i = 0; i < gpus.size(); ++i)
        if (const Place* to = gpus[(i + shift) % gpus.size()]; peers(*gpus[i], *to)) next.emplace_back(gpus[i], to);
      sets.push_back(in_rings(next));
      continue;
    }
    for (const auto& [root, there] : sockets)
      for (std::size_t i = 0; shift < there.size() && i < there.size(); ++i)
        next.emplace_back(there[i], there[(i + shift) % there.size()]);
    sets.push_back(next);
  }
  sets.erase(std::remove_if(sets.begin(), sets.end(), [](const Pairs& p) { return p.empty(); }), sets.end());
  return sets;
}

}  // namespace tsunagi::box
