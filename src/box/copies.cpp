// SPDX-License-Identifier: Apache-2.0
#include "box/copies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "box/nvlink.hpp"
#include "config/quantity.hpp"
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

/// Bytes a second and direction, about; 0: not known.
double speed_of(const topo::Link& link) {
  const Json wire = fields_of(link.wire, "wire");
  if (link.wire.kind() == "pcie") {
    const int generation = std::clamp(wire.value("generation", 1), 1, 10);
    return 250e6 * wire.value("lanes", 1) * static_cast<double>(std::int64_t{1} << (generation - 1));
  }
  if (link.wire.kind() != "on_chip") return 0;
  const auto bandwidth = config::quantity_of(wire.at("bandwidth").dump());
  return bandwidth ? bandwidth->value : 0;
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

/// Some five microseconds: what a copy takes before its bytes flow is in both of two such lengths.
Bytes CopyTests::shorter_of(const Pairs& pairs) const {
  const Bytes over_nvlink = 64_KiB * static_cast<std::int64_t>(most_links(pairs));
  return reach_of(pairs) == Reach::nvlink ? over_nvlink : std::max(over_nvlink, Bytes(wish_.piece.count() / 8));
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

/// Their rates, by two short lengths, which tell what long copies need: a copy grows as its length does. As
/// nvbandwidth's streams, which wait until all is queued, these have calls that cost nothing: else short copies would
/// wait for them.
CopyTest CopyTests::over(const Place& memory, const Pairs& pairs, int queued, int times) const {
  const Json library = cuda(memory, pairs);
  const Bytes shorter = shorter_of(pairs);
  const Bytes longer = shorter * times;
  if (wish_.size < longer * 2) return {{library, copies(pairs, {wish_.size}, queued), {}}, {}, {}};
  return {{library, copies(pairs, {shorter, longer}, queued), {}, 0}, Lengths{shorter, longer, wish_.size}, {}};
}

/// Their rates where they share a link, of which each has a share that others leave: by one length, as two of them lie
/// to those of others as their ends fall. Calls are as much shorter as copies are, so that these lie to each other as
/// long ones do.
CopyTest CopyTests::sharing(const Place& memory, const Pairs& pairs) const {
  const Bytes settled = std::min(wish_.size, 640_KiB);
  // The more streams, the longer until each has its copies.
  const auto times = std::max<std::int64_t>(2, (static_cast<std::int64_t>(pairs.size()) + 3) / 4);
  const double calls =
      std::min(1.0, static_cast<double>(settled.count()) / static_cast<double>((wish_.piece * times).count()));
  return {{cuda(memory, pairs), copies(pairs, {settled}, 3), {}, calls}, {}, {}};
}

CopyTest CopyTests::one_way(const Place& memory, const Place& from, const Place& to, What what) const {
  CopyTest out = over(memory, {{&from, &to}}, 2);
  const Place& by = what == What::read ? to : copier_of(from, to);
  if (what == What::read) out.run.scenario["copies"][0]["by"] = to.name;
  out.cells.push_back({&from, &to, what, engine_of(by, from, to), {row_at_once(from, to)}});
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

/// Between a memory and a GPU with links faster than Gen3 by one length: what the GPU writes fills buffers, which takes
/// some hundred microseconds, and then holds up what it asks for.
CopyTest CopyTests::both_ways(const Place& memory, const Place& a, const Place& b) const {
  const Pairs pairs{{&a, &b}, {&b, &a}};
  const Bytes half(wish_.piece.count() / 2);
  if (&memory != &a || !has_gen4_ || wish_.size < half * 8) return over(memory, pairs, 3);
  return {{cuda(memory, pairs), copies(pairs, {half}, 9), {}, 0}, {}, {}};
}

std::vector<CopyTest> CopyTests::rates(const Place& a, const Place& b) const {
  const Place& memory = memory_of(a, b);
  std::vector<CopyTest> out{one_way(memory, a, b, What::one_way), one_way(memory, b, a, What::one_way)};
  if (a.kind == Kind::gpu && b.kind == Kind::gpu)
    for (const auto& [from, to] : {std::pair(&a, &b), std::pair(&b, &a)})
      out.push_back(one_way(memory, *from, *to, What::read));
  out.push_back(both_ways(memory, a, b));
  out.back().cells.push_back({&a, &b, What::both_ways, "copy engines", {row_at_once(a, b), row_at_once(b, a)}});
  return out;
}

std::vector<CopyTest> CopyTests::latencies(const Place& a, const Place& b) const {
  const Place& memory = memory_of(a, b);
  return {alone(memory, a, b), alone(memory, b, a)};
}

/// The links between them, each with whether it is crossed from its second end to its first one.
std::vector<std::pair<std::size_t, bool>> CopyTests::directions_between(const Place& from, const Place& to) const {
  std::vector<std::size_t> hops(graph_.nodes.size(), SIZE_MAX);  // from the first
  hops[from.node] = 0;
  bool is_new = true;
  for (std::size_t far = 0; is_new; ++far) {
    is_new = false;
    for (const topo::Link& l : graph_.links)
      for (const auto& [at, next] : {std::pair(l.a.node, l.b.node), std::pair(l.b.node, l.a.node)})
        if (hops[at] == far && hops[next] == SIZE_MAX) {
          hops[next] = far + 1;
          is_new = true;
        }
  }
  std::vector<std::pair<std::size_t, bool>> out;
  for (const std::size_t link : way_between(graph_, from, to))
    out.emplace_back(link, hops[graph_.links[link].b.node] < hops[graph_.links[link].a.node]);
  return out;
}

/// Whether each pair shares a link's direction with others, so that it has no more than three quarters of what it could
/// have alone.
bool CopyTests::share_links(const Pairs& pairs) const {
  std::map<std::pair<std::size_t, bool>, int> pairs_of;
  std::vector<std::vector<std::pair<std::size_t, bool>>> ways;
  for (const auto& [from, to] : pairs) {
    ways.push_back(directions_between(*from, *to));
    for (const auto& direction : ways.back()) ++pairs_of[direction];
  }
  return std::all_of(ways.begin(), ways.end(), [&](const auto& way) {
    double alone = 0;
    double shared = 0;
    for (const auto& direction : way)
      if (const double speed = speed_of(graph_.links[direction.first]); speed > 0) {
        alone = alone > 0 ? std::min(alone, speed) : speed;
        shared = shared > 0 ? std::min(shared, speed / pairs_of[direction]) : speed / pairs_of[direction];
      }
    return alone > 0 && shared <= 0.75 * alone;
  });
}

CopyTest CopyTests::at_once(const Pairs& pairs) const {
  const Place& memory = memory_of(*pairs.front().first, *pairs.front().second);
  const auto test = [&] {
    if (reach_of(pairs) == Reach::nvlink) return over(memory, pairs, 2);  // each has links of its own
    if (share_links(pairs)) return sharing(memory, pairs);
    const bool at_memory = pairs.front().first == &memory || pairs.front().second == &memory;
    return over(memory, pairs, 2, at_memory ? 4 : 2);  // what all of them pass moves their ends
  };
  CopyTest out = test();
  const std::string how =
      fmt::format("copy engines, {} at once{}", pairs.size(), pairs.size() == 1 ? " (there are no others)" : "");
  for (const auto& [from, to] : pairs) out.cells.push_back({from, to, What::at_once, how, {row_at_once(*from, *to)}});
  return out;
}

CopyTest CopyTests::by_way_of_host(const Place& a, const Place& b) const {
  const Place& memory = *server_.memory_of(a);
  const Bytes chunk = 1_MiB;  // as the driver has buffers, of which two take turns
  const std::string how = "by way of " + memory.name + ": root complexes refuse peer access; mean of both directions";
  CopyTest out{{cuda(memory, {{&a, &b}}),
                {{"kind", "ping_pong"},
                 {"methods", {"no_uva"}},
                 {"sizes", {to_string(wish_.small)}},
                 {"iterations", 1},
                 {"warm_up", 0}},
                {}},
               {},
               {}};
  const Bytes longest = std::min(wish_.size, chunk * 3);
  if (wish_.size > longest) {
    out.lengths = Lengths{chunk * 2, longest, wish_.size};
    out.run.scenario["sizes"].push_back(to_string(out.lengths->shorter));
  }
  out.run.scenario["sizes"].push_back(to_string(longest));
  const Says of_size{{"size", to_string(longest)}};
  for (const auto& [from, to] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    out.cells.push_back({from, to, What::one_way, how, {out.lengths ? Says() : of_size}});
    out.cells.push_back({from, to, What::latency, how, {{{"size", to_string(wish_.small)}}}});
  }
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
    for (const auto& [root, there] : sockets) {
      Pairs out;
      Pairs in;
      for (const Place* g : there) {
        out.emplace_back(&m, g);
        in.emplace_back(g, &m);
      }
      sets.push_back(out);
      sets.push_back(in);
    }
  }
  for (std::size_t shift = 1; shift < gpus.size(); ++shift) {
    Pairs next;
    if (has_nvlink(graph_)) {  // of any sockets
      for (std::size_t i = 0; i < gpus.size(); ++i)
        if (const Place* to = gpus[(i + shift) % gpus.size()]; peers(*gpus[i], *to)) next.emplace_back(gpus[i], to);
      sets.push_back(in_rings(next));
      continue;
    }
    for (const auto& [root, there] : sockets) {
      next.clear();
      for (std::size_t i = 0; shift < there.size() && i < there.size(); ++i)
        next.emplace_back(there[i], there[(i + shift) % there.size()]);
      sets.push_back(in_rings(next));
    }
  }
  sets.erase(std::remove_if(sets.begin(), sets.end(), [](const Pairs& p) { return p.empty(); }), sets.end());
  return sets;
}

}  // namespace tsunagi::box
