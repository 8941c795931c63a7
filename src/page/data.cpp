// SPDX-License-Identifier: Apache-2.0
#include "page/data.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "units/parse.hpp"

namespace tsunagi::page {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_spans = 200'000;  // some 20 bytes each

struct OneConfig {
  config::AnyConfig one;
};
void describe(OneConfig& c, config::Describer& d) { d.any("one", c.one, "any", "anything"); }

/// Configs, which many devices and wires share, each once.
class Configs {
 public:
  Json number_of(const config::AnyConfig& config) {
    if (config.empty()) return {};
    const auto [it, is_new] = by_object_.emplace(config.object(), 0);
    if (is_new) {
      OneConfig one{config};
      const Json values = config::resolved(one).at("one");
      const auto [known, is_new_text] = by_text_.emplace(values.dump(), all_.size());
      if (is_new_text) all_.push_back(values);
      it->second = known->second;
    }
    return it->second;
  }
  const Json& all() const { return all_; }

 private:
  std::map<const config::ConfigObject*, std::size_t> by_object_;  // looked up, never walked
  std::map<std::string, std::size_t> by_text_;
  Json all_ = Json::array();
};

std::string name_of(const topo::Graph& graph, const topo::End& end) {
  return graph.nodes[end.node].name + "." + end.port;
}

std::string file_name(const config::Place& place) {
  if (!place.file) return {};
  return place.file->substr(place.file->find_last_of('/') + 1);
}

/// Where docs/ says what is not modelled. A test reads the pages.
struct Section {
  const char* kind;  ///< a kind in a config begins so
  const char* of;
  const char* page;
  const char* section;
};
constexpr Section sections[] = {
    {"pcie", "PCI Express", "docs/pcie.md", "What is not modelled"},
    {"peach2", "PEACH2", "docs/tca.md", "What is not modelled"},
    {"ethernet", "Ethernet", "docs/ethernet.md", "What is not modelled"},
    {"myrinet", "Myrinet", "docs/myrinet.md", "Not modelled"},
    {"fmpl", "SR8000", "docs/sr8000.md", "What is not"},
    {"hitachi_mpi", "SR8000", "docs/sr8000.md", "What is not"},
    {"infiniband", "InfiniBand", "docs/infiniband.md", "Not modelled"},
    {"mpi", "MPI", "docs/mpi.md", "Not modelled"},
};

void collect_kinds(const Json& json, std::vector<std::string>& kinds) {
  if (json.is_object() && json.contains("kind") && json["kind"].is_string())
    kinds.push_back(json["kind"].get<std::string>());
  if (json.is_structured())
    for (const Json& part : json) collect_kinds(part, kinds);
}

}  // namespace

Json machine_data(const topo::Graph& graph, const std::vector<DirectionUse>& uses) {
  Json out{{"devices", Json::array()}, {"wires", Json::array()}};
  Configs configs;
  for (const topo::Node& node : graph.nodes)
    out["devices"].push_back(
        {{"name", node.name}, {"kind", node.config.kind()}, {"config", configs.number_of(node.config)}});
  for (std::size_t l = 0; l < graph.links.size(); ++l) {
    const topo::Link& link = graph.links[l];
    Json wire{{"from", name_of(graph, link.a)},
              {"to", name_of(graph, link.b)},
              {"kind", link.wire.kind()},
              {"config", configs.number_of(link.wire)}};
    if (link.rate) wire["rate"] = to_string(*link.rate);
    if (link.flight) wire["flight"] = to_string(*link.flight);
    if (!uses.empty()) wire["use"] = {uses[l].first, uses[l].second};
    out["wires"].push_back(std::move(wire));
  }
  out["configs"] = configs.all();
  return out;
}

Json parameter_data(const config::Document& document, const Json& resolved) {
  Json out = Json::array();
  std::map<std::string, std::size_t> index;  // by the place of the source
  for (const config::Provenance& p : config::provenance(document)) {
    const Json::json_pointer pointer(p.pointer);
    if (!resolved.contains(pointer)) continue;
    const auto [known, is_new] = index.emplace(p.place.text(), out.size());
    if (!is_new) {
      out[known->second]["places"] = out[known->second]["places"].get<int>() + 1;
      continue;
    }
    Json one{{"parameter", p.key + " of " + file_name(p.place)},
             {"value", resolved.at(pointer)},
             {"class", p.source_class},
             {"source", p.source},
             {"range", p.range},
             {"fitted_to", p.fitted_to},
             {"note", p.note},
             {"places", 1}};
    out.push_back(std::move(one));
  }
  return out;
}

Json not_modelled(const Json& resolved) {
  std::vector<std::string> kinds;
  collect_kinds(resolved, kinds);
  Json out = Json::array();
  for (const Section& s : sections) {
    const bool is_there =
        std::any_of(kinds.begin(), kinds.end(), [&](const std::string& k) { return k.rfind(s.kind, 0) == 0; });
    const bool is_told = std::any_of(out.begin(), out.end(), [&](const Json& o) { return o["page"] == s.page; });
    if (is_there && !is_told) out.push_back({{"of", s.of}, {"page", s.page}, {"section", s.section}});
  }
  return out;
}

Json shortened(Json explanation, std::size_t most) {
  if (!explanation.is_object()) return explanation;
  if (explanation.contains("longest_message"))
    explanation["longest_message"] = shortened(explanation["longest_message"], most);
  if (!explanation.contains("segments") || explanation["segments"].size() <= most) return explanation;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> index;
  Json sums = Json::array();
  Json spans{{"sum", Json::array()}, {"gap_fs", Json::array()}, {"duration_fs", Json::array()}};
  std::int64_t end = 0;
  for (const Json& s : explanation["segments"]) {
    const auto [known, is_new] = index.emplace(std::tuple(s["device"], s["stage"], s["kind"]), sums.size());
    if (is_new)
      sums.push_back(
          {{"device", s["device"]}, {"stage", s["stage"]}, {"kind", s["kind"]}, {"times", 0}, {"duration_fs", 0}});
    Json& sum = sums[known->second];
    sum["times"] = sum["times"].get<int>() + 1;
    const auto start = s["start_fs"].get<std::int64_t>();
    const auto duration = s["duration_fs"].get<std::int64_t>();
    sum["duration_fs"] = sum["duration_fs"].get<std::int64_t>() + duration;
    spans["sum"].push_back(known->second);
    spans["gap_fs"].push_back(start - end);
    spans["duration_fs"].push_back(duration);
    end = start + duration;
  }
  if (explanation["segments"].size() <= most_spans) explanation["spans"] = std::move(spans);
  explanation["segments"] = Json::array();
  explanation["sums"] = std::move(sums);
  return explanation;
}

}  // namespace tsunagi::page
