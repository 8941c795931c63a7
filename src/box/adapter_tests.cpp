// SPDX-License-Identifier: Apache-2.0
#include "box/adapter_tests.hpp"

#include <fmt/format.h>

#include <optional>
#include <set>

#include "config/quantity.hpp"
#include "units/parse.hpp"

namespace tsunagi::box {
namespace {

using Json = nlohmann::ordered_json;

constexpr Bytes message_size(64 * 1024);  // perftest's own for bandwidths
constexpr int messages = 5000;            // as perftest sends
constexpr int pings = 20;                 // of a latency, whose median counts

/// Of the messages, as many as take some twenty microseconds.
int longer_of(const Json& wire) {
  const std::string speed = wire.value("speed", "");
  return speed == "ndr" ? 16 : speed == "hdr" ? 12 : 8;
}

/// The user library of a card: ports of ConnectX-4 and later cards, which libmlx5 drives, begin at EDR.
std::string verbs_of(const Json& card) {
  static const std::set<std::string> mlx4{"sdr", "ddr", "qdr", "fdr10", "fdr"};
  return mlx4.count(card.value("speed", "fdr")) != 0 ? "verbs" : "verbs_today";
}

/// What writes of a card wait for that have no relaxed ordering, in bytes a second: lines of 64 B at a time, each until
/// it is owned (see docs/pcie.md); nothing: they do not.
std::optional<double> ordered_writes(const topo::Graph& graph, const Place& card, bool remote) {
  const Json root = fields_of(graph.nodes[card.root_complex].config, "device");
  const int lines = root.value(remote ? "remote_write_lines" : "ordered_write_lines", 0);
  const auto owned =
      config::quantity_of(root.value(remote ? "remote_write_ownership" : "ordered_write_ownership", Json()).dump());
  if (lines == 0 || !owned || !(owned->value > 0)) return std::nullopt;
  return 64.0 * lines / (owned->value * 1e-15);
}

/// Makes the tests of a place and an adapter.
class Tests {
 public:
  Tests(const topo::Graph& graph, const Server& server, const Place& other, const Place& adapter)
      : graph_(graph),
        other_(other),
        adapter_(adapter),
        own_(own_rank(server, adapter.name)),
        twin_{adapter.name, cable_of(graph, adapter), {}} {
    const Place& near = *server.memory_of(adapter);
    const Place& memory = other.kind == Place::Kind::memory ? other : near;
    const std::string near_core = server.core_of(adapter);
    const std::string core = server.core_of(memory).empty() ? near_core : server.core_of(memory);
    if (memory.name != near.name) twin_.swapped.emplace_back(memory.name, near.name);
    if (core != near_core) twin_.swapped.emplace_back(core, near_core);
    library_ = {{"$use", verbs_of(fields_of(graph.nodes[adapter.node].config, "device"))},
                {"core", core},
                {"memory", memory.name},
                {"rails", {adapter.name + ".port1"}},
                {"mtu", twin_.wire.at("mtu")}};
  }

  /// `begins`: this server's program does, whose memory is the source of what it writes and the target of what it
  /// reads; else the other one's.
  AdapterTest bandwidth(const char* test, bool begins, std::vector<AdapterTest::Of> cells,
                        const std::string& how) const {
    Json library = library_;
    library["inline_limit"] = "0 B";  // perftest's own
    Json scenario{{"kind", "perftest"}, {"test", test}, {"sizes", {to_string(message_size)}}};
    scenario["between"] = begins ? Json{own_, 1 - own_} : Json{1 - own_, own_};
    if (other_.kind == Place::Kind::gpu) scenario[begins ? "source" : "target"] = other_.name;
    AdapterTest out{{std::move(library), std::move(scenario), twin_}, std::move(cells), how, {{}}, "time"};
    const bool here = (test == std::string("read_bw")) == begins;
    bound(out, here);
    send(out, ordered_to(here) ? 2 : 1);
    return out;
  }
  /// What `queues` of them send, so many times what others do.
  void send(AdapterTest& t, int times, std::int64_t queues = 1) const {
    const int longer = longer_of(twin_.wire) * times;
    t.run.scenario["iterations"] = longer;
    t.run.shorter = t.run.scenario;
    t.run.shorter["iterations"] = longer / 2;
    const Bytes one = message_size * queues;
    t.lengths = Lengths{one * (longer / 2), one * longer, one * messages};
  }
  /// Of all of them, by what measures the first.
  AdapterTest at_once(bool begins, const std::vector<const Place*>& adapters) const {
    const std::string how = fmt::format("ib_write_bw{}, {} adapters at once{}", begins ? "" : " of the other server",
                                        adapters.size(), adapters.size() == 1 ? " (there are no others)" : "");
    AdapterTest out = bandwidth("write_bw", begins, {}, how);
    for (const Place* a : adapters) {
      const auto& [from, to] = begins ? std::pair(&other_, a) : std::pair(a, &other_);
      out.cells.push_back({from, to, What::at_once});
      if (a == adapters.front()) continue;
      out.run.library["rails"].push_back(a->name + ".port1");
      out.run.twin->more.push_back(a->name);
    }
    // Shares of what several of them use settle late.
    send(out, (ordered_to(!begins) ? 2 : 1) * (share(adapters) ? 2 : 1), static_cast<std::int64_t>(adapters.size()));
    // perftest fills one queue before it posts to the next, which waits meanwhile: as long in both runs, so that their
    // difference knows nothing of it.
    for (Json* scenario : {&out.run.shorter, &out.run.scenario}) {
      (*scenario)["tx_depth"] = out.run.shorter["iterations"];
      (*scenario)["cq_mod"] = 1;
    }
    out.times = 1 / static_cast<double>(adapters.size());
    return out;
  }
  AdapterTest both_ways() const {
    AdapterTest out = bandwidth("write_bw", true, {{&other_, &adapter_, What::both_ways}}, "ib_write_bw -b");
    out.run.scenario["both_ways"] = true;
    bound(out, true);
    send(out, ordered_to(true) || ordered_to(false) ? 2 : 1);
    out.rows = {{{"method", "rank 0"}}, {{"method", "rank 1"}}};
    return out;
  }
  AdapterTest latency(Bytes small) const {
    Json scenario{{"kind", "perftest"}, {"test", "write_lat"}, {"sizes", {to_string(small)}}};
    scenario["iterations"] = pings;
    scenario["between"] = {own_, 1 - own_};
    return {{library_, std::move(scenario), twin_},
            {{&other_, &adapter_, What::latency}, {&adapter_, &other_, What::latency}},
            "ib_write_lat: half of to and fro",
            {{}},
            "median"};
  }

 private:
  /// What bytes written here, or there, wait for if nothing relaxes their order. Buffers on the way take the first ones
  /// faster than such writes go on.
  std::optional<double> ordered_to(bool here) const {
    if (here && other_.kind != Place::Kind::memory) return std::nullopt;  // a GPU's memory
    return ordered_writes(graph_, adapter_, here && other_.root_complex != adapter_.root_complex);
  }
  void bound(AdapterTest& t, bool here) const {
    const std::optional<double> rate = ordered_to(here);
    if (!rate || fields_of(graph_.nodes[adapter_.node].config, "device").value("relaxed_ordering", false)) return;
    const std::string& rc = graph_.nodes[adapter_.root_complex].name;
    t.bounds.emplace_back("ordered writes, " + rc + (here ? "" : " of the other server"), *rate);
  }

  /// Whether adapters have a link in common: the way to the other socket, or one between a switch and its root complex.
  bool share(const std::vector<const Place*>& adapters) const {
    if (other_.root_complex != adapter_.root_complex) return adapters.size() > 1;
    std::set<std::size_t> links;
    for (const Place* a : adapters)
      for (const std::size_t link : a->uplink)
        if (!links.insert(link).second) return true;
    return false;
  }

  const topo::Graph& graph_;
  const Place& other_;
  const Place& adapter_;
  int own_;  // rank
  Twin twin_;
  Json library_;
};

}  // namespace

std::vector<AdapterTest> adapter_tests(const topo::Graph& graph, const Server& server, const Place& other,
                                       const Place& adapter, Bytes small) {
  const Tests t(graph, server, other, adapter);
  std::vector<AdapterTest> out;
  out.push_back(t.bandwidth("write_bw", true, {{&other, &adapter, What::one_way}}, "ib_write_bw"));
  out.push_back(t.bandwidth("write_bw", false, {{&adapter, &other, What::one_way}}, "ib_write_bw of the other server"));
  out.push_back(t.bandwidth("read_bw", false, {{&other, &adapter, What::read}}, "ib_read_bw of the other server"));
  out.push_back(t.bandwidth("read_bw", true, {{&adapter, &other, What::read}}, "ib_read_bw"));
  out.push_back(t.both_ways());
  if (other.kind == Place::Kind::memory) out.push_back(t.latency(small));
  return out;
}

std::vector<AdapterTest> adapters_at_once(const topo::Graph& graph, const Server& server, const Place& memory,
                                          const std::vector<const Place*>& adapters) {
  const Tests t(graph, server, memory, *adapters.front());
  return {t.at_once(true, adapters), t.at_once(false, adapters)};
}

}  // namespace tsunagi::box
