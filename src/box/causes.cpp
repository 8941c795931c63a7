// SPDX-License-Identifier: Apache-2.0
#include "box/causes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "box/nvlink.hpp"
#include "box/words.hpp"
#include "config/quantity.hpp"

namespace tsunagi::box {
namespace {

using Json = nlohmann::ordered_json;

std::string ends_of(const topo::Graph& g, const topo::Link& l) {
  return fmt::format("{}.{} - {}.{}", g.nodes[l.a.node].name, l.a.port, g.nodes[l.b.node].name, l.b.port);
}

/// Where a field of a wire stands in its machine.
std::string field_of(const topo::Link& l, const char* field) {
  const std::string in_run = "/machine";
  std::string place = l.pointer.compare(0, in_run.size(), in_run) == 0 ? l.pointer.substr(in_run.size()) : l.pointer;
  const std::string whole = "/wire";
  const bool is_wire =
      place.size() >= whole.size() && place.compare(place.size() - whole.size(), whole.size(), whole) == 0;
  return place + (is_wire ? "/" : "/wire/") + field;
}

std::string field_of(const topo::Node& n, const std::string& field) {
  const std::string in_run = "/machine";
  const std::string place =
      n.pointer.compare(0, in_run.size(), in_run) == 0 ? n.pointer.substr(in_run.size()) : n.pointer;
  return place + field;
}

class Causes {
 public:
  Causes(const Plan& plan, const topo::Graph& graph, const Cell& cell)
      : plan_(plan),
        graph_(graph),
        cell_(cell),
        from_(plan.server.places[cell.from]),
        to_(plan.server.places[cell.to]) {}

  std::vector<Cause> all() {
    for (const std::size_t l : cell_.way)
      if (l < graph_.links.size() && graph_.links[l].wire.kind() == "pcie") link(graph_.links[l]);
    if (cell_.reading)
      if (const auto& twin = plan_.runs[cell_.reading->run].twin) cable(*twin);
    if (nvlink_way(graph_, from_, to_).links == 0) {
      payload();
      for (const Place* p : {&from_, &to_}) engine(*p);
      redirect();
      ordering();
    }
    other_cells();
    return std::move(out_);
  }

 private:
  void link(const topo::Link& l) {
    const Json fields = fields_of(l.wire, "wire");
    const int lanes = fields.value("lanes", 0);
    const int generation = fields.value("generation", 0);
    for (int fewer = lanes / 2; fewer >= 1 && fewer >= lanes / 4; fewer /= 2)
      out_.push_back({fmt::format("{} runs at x{}, not x{}", ends_of(graph_, l), fewer, lanes),
                      "Width in LnkSta of lspci -vv, under load: a slot of fewer lanes, a riser, a bad contact",
                      {{field_of(l, "lanes"), std::to_string(fewer)}}});
    for (int older = generation - 1; older >= 1 && older >= generation - 2; --older)
      out_.push_back({fmt::format("{} runs at Gen{}, not Gen{}", ends_of(graph_, l), older, generation),
                      "Speed in LnkSta of lspci -vv, under load: power saving, BIOS, signal quality",
                      {{field_of(l, "generation"), std::to_string(older)}}});
  }

  /// The adapter's network link.
  void cable(const Twin& twin) {
    const std::vector<std::string> speeds{"sdr", "ddr", "qdr", "fdr", "edr", "hdr", "ndr"};
    const std::string speed = twin.wire.value("speed", "");
    const auto now = std::find(speeds.begin(), speeds.end(), speed) - speeds.begin();
    const auto with = [&](const char* field, const Json& value, const std::string& says) {
      Cause c{twin.adapter + "'s port runs at " + says, "Rate in ibstat: the cable, the port at its other end", {}};
      c.cable = twin.wire;
      c.cable[field] = value;
      out_.push_back(std::move(c));
    };
    const bool is_known = now < static_cast<std::ptrdiff_t>(speeds.size());
    for (std::ptrdiff_t older = now - 1; is_known && older >= 0 && older >= now - 2; --older)
      with("speed", speeds[static_cast<std::size_t>(older)],
           upper(speeds[static_cast<std::size_t>(older)]) + ", not " + upper(speed));
    if (const int width = twin.wire.value("width", 1); width > 1) with("width", 1, fmt::format("1x, not {}x", width));
  }

  void payload() {
    Cause c{"max payload size is 128 B", "MaxPayload in DevCtl of lspci -vv, of all on the way; pci=pcie_bus_perf", {}};
    for (const topo::Link& l : graph_.links) {
      if (l.wire.kind() != "pcie") continue;
      const Json fields = fields_of(l.wire, "wire");
      const auto now = config::quantity_of(fields.value("max_payload_size", Json()).dump());
      if (now && now->value > 128) c.overrides.push_back({field_of(l, "max_payload_size"), "\"128 B\""});
    }
    if (!c.overrides.empty()) out_.push_back(std::move(c));
  }

  /// Reads that a card asks memory for: only who reads has them.
  void engine(const Place& p) {
    const bool is_adapter = p.kind == Place::Kind::adapter;
    const bool by_adapter = from_.kind == Place::Kind::adapter || to_.kind == Place::Kind::adapter;
    const bool reads = &p == &to_ && (from_.kind == Place::Kind::memory || is_adapter || cell_.what == What::read);
    if (p.kind == Place::Kind::memory || (!reads && cell_.what != What::both_ways)) return;
    if (by_adapter && !is_adapter) return;  // a GPU's engines have nothing to do with it
    const char* part = is_adapter ? "" : p.kind == Place::Kind::gpu ? "copy_engines" : "engine";
    const topo::Node& node = graph_.nodes[p.node];
    const Json fields = fields_of(node.config, "device");
    if (!is_adapter && !fields.contains(part)) return;
    const Json& engine = is_adapter ? fields : fields[part];
    const std::string at = is_adapter ? "/" : std::string("/") + part + "/";
    const auto request = config::quantity_of(engine.value("max_read_request", Json()).dump());
    for (const int bytes : {512, 128})
      if (request && request->value > bytes)
        out_.push_back({fmt::format("{} reads {} B at a time, not {:.0f} B", p.name, bytes, request->value),
                        "MaxReadReq in DevCtl of lspci -vv",
                        {{field_of(node, at + "max_read_request"), fmt::format("\"{} B\"", bytes)}}});
    const char* under_way = is_adapter ? "read_tags" : "tags";
    const int tags = engine.value(under_way, 0);
    for (const int fewer : {tags / 2, tags / 4})
      if (fewer >= 1)
        out_.push_back({fmt::format("{} has {} reads under way at most, not {}", p.name, fewer, tags),
                        "ExtTag in DevCtl of lspci -vv: without it 32 tags for all of a card's reads",
                        {{field_of(node, at + under_way), std::to_string(fewer)}}});
  }

  /// What goes from one card to another goes up to the root complex and back.
  void redirect() {
    if (from_.kind == Place::Kind::memory || to_.kind == Place::Kind::memory) return;
    Cause c{"switches send what cards ask of each other up to the root complex (ACS)",
            "ReqRedir in ACSCtl of lspci -vv, of the switches' downstream ports; virtualisation asks for it",
            {}};
    for (const topo::Node& n : graph_.nodes)
      if (n.config.kind() == "pcie_switch" && !fields_of(n.config, "device").value("acs_redirect", true))
        c.overrides.push_back({field_of(n, "/acs_redirect"), "true"});
    if (!c.overrides.empty()) out_.push_back(std::move(c));
  }

  /// Writes of a card to memory wait for those before them.
  void ordering() {
    if (to_.kind != Place::Kind::memory) return;
    const topo::Node& node = graph_.nodes[from_.node];
    Json fields = fields_of(node.config, "device");
    const bool is_adapter = from_.kind == Place::Kind::adapter;
    const std::string at = is_adapter ? "" : "/copy_engines";
    if (!is_adapter) fields = from_.kind == Place::Kind::gpu ? fields.value("copy_engines", Json::object()) : Json();
    if (fields.is_object() && fields.value("relaxed_ordering", false))
      out_.push_back({fmt::format("writes of {} have no relaxed ordering", from_.name),
                      "RlxdOrd in DevCtl of lspci -vv; the BIOS's setting of it",
                      {{field_of(node, at + "/relaxed_ordering"), "false"}}});
  }

  void other_cells() {
    const auto& places = plan_.server.places;
    for (const bool of_from : {true, false}) {
      const Place& memory = of_from ? from_ : to_;
      if (memory.kind != Place::Kind::memory || !cell_.near) continue;
      for (std::size_t other = 0; other < places.size(); ++other) {
        if (places[other].kind != Place::Kind::memory || &places[other] == &memory) continue;
        const Cell* c = find(plan_, of_from ? other : cell_.from, of_from ? cell_.to : other, cell_.what);
        if (c != nullptr && c->reading)
          out_.push_back({fmt::format("the buffer lies at the other socket, in {}", places[other].name),
                          "numactl --membind, the NUMA node of the card in sysfs",
                          {},
                          c});
      }
    }
    if (cell_.what != What::one_way) return;
    const Cell* shared = find(plan_, cell_.from, cell_.to, What::at_once);
    if (shared != nullptr && shared->reading)
      out_.push_back({"others use a shared link at the same time (as in all_at_once)",
                      "what else runs; lspci -t: which cards have one uplink",
                      {},
                      shared});
  }

  const Plan& plan_;
  const topo::Graph& graph_;
  const Cell& cell_;
  const Place& from_;
  const Place& to_;
  std::vector<Cause> out_;
};

bool within(double value, double low, double high, double tolerance) {
  return value >= low * (1 - tolerance) && value <= high * (1 + tolerance);
}

}  // namespace

std::vector<Cause> causes_of(const Plan& plan, const topo::Graph& graph, const Cell& cell) {
  return Causes(plan, graph, cell).all();
}

const char* name_of(Verdict v) {
  switch (v) {
    case Verdict::as_modelled:
      return "as modelled";
    case Verdict::low:
      return "low";
    case Verdict::high:
      return "high";
    case Verdict::not_simulated:
      return "not simulated";
  }
  return "";
}

Verdict judge(const Measured& m, const Value& v, double tolerance) {
  if (!v.value) return Verdict::not_simulated;
  const double low = v.interval ? v.interval->low : *v.value;
  const double high = v.interval ? v.interval->high : *v.value;
  if (within(m.value, low, high, tolerance)) return Verdict::as_modelled;
  // Of a latency the longer one is the worse.
  return (m.value < low) == is_rate(m.what) ? Verdict::low : Verdict::high;
}

bool explains(const Measured& m, const Value& as_it_is, double with_cause, double tolerance) {
  double low = with_cause;
  double high = with_cause;
  if (as_it_is.interval && as_it_is.value) {
    low *= as_it_is.interval->low / *as_it_is.value;
    high *= as_it_is.interval->high / *as_it_is.value;
  }
  return within(m.value, low, high, tolerance);
}

void rank(Comparison& c) {
  const auto distance = [&](const Tried& t) {
    return t.value && *t.value > 0 ? std::abs(std::log(*t.value / c.measured.value)) : 1e9;
  };
  std::stable_sort(c.tried.begin(), c.tried.end(), [&](const Tried& a, const Tried& b) {
    return std::pair(!a.explains, distance(a)) < std::pair(!b.explains, distance(b));
  });
}

}  // namespace tsunagi::box
