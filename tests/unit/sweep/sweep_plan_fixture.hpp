// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "models/pcie/link.hpp"
#include "runner/run_config.hpp"
#include "sweep/plan/plan.hpp"
#include "topo/graphs/explicit.hpp"
#include "topo/grid_topologies.hpp"

namespace tsunagi::test {

/// A device with a rule over two fields.
struct SwitchConfig {
  Time latency = 40_ns;
  std::int64_t low = 1;
  std::int64_t high = 8;
  double share = 0.5;
  Rate rate = Rate::infinite();
  bool strict = false;
};
inline void describe(SwitchConfig& c, config::Describer& d) {
  using namespace config;
  d.field("latency", c.latency, "from port to port", at_most(1_us));
  d.field("low", c.low, "lower mark");
  d.field("high", c.high, "upper mark");
  d.field("share", c.share, "of the buffer", within(0.0, 1.0));
  d.field("rate", c.rate, "cap");
  d.field("strict", c.strict, "does nothing");
  d.require(c.low <= c.high, "\"low\" must not be above \"high\"");
}

struct BufferConfig {
  Bytes size = 4_KiB;
};
inline void describe(BufferConfig& c, config::Describer& d) {
  d.field("size", c.size, "bytes", config::within(64_B, 1_MiB));
}

struct LoadConfig {
  std::vector<Bytes> sizes{8_B, 64_B};
  std::vector<std::string> loads{"10 %"};
};
inline void describe(LoadConfig& c, config::Describer& d) {
  d.field("sizes", c.sizes, "message sizes", config::at_least(1_B));
  d.field("loads", c.loads, "offered loads");
}

struct NoConfig {};
inline void describe(NoConfig&, config::Describer&) {}

inline const config::Kinds& plan_kinds() {
  static const config::Kinds kinds = [] {
    using config::kind;
    config::Kinds all;
    all.add({"topology", {kind<topo::ExplicitConfig>("explicit", "lists all"), kind<topo::RingConfig>("ring", "")}});
    all.add(
        {"device",
         {kind<topo::GroupConfig>("group", ""), kind<SwitchConfig>("switch", ""), kind<BufferConfig>("buffer", "")}});
    all.add({"wire", {kind<pcie::LinkConfig>("pcie", "PCIe")}});
    all.add({"library", {kind<NoConfig>("none", ""), kind<NoConfig>("other", "")}});
    all.add({"scenario", {kind<LoadConfig>("load", "")}});
    return all;
  }();
  return kinds;
}

/// A switch, a buffer in a group, and two links.
inline const char* const plan_run = R"({"name": "r", "title": "t",
  "machine": {"name": "m", "topology": {"kind": "explicit",
    "devices": {"a": {"kind": "switch"}, "box": {"kind": "group", "devices": {"b/c": {"kind": "buffer"}}}},
    "links": [{"ends": ["a.x", "box.b.x"], "wire": {"kind": "pcie"}},
              {"ends": ["a.y", "box.b.y"], "wire": {"kind": "pcie", "lanes": 4}}]}},
  "library": {"kind": "none"}, "scenario": {"kind": "load"}})";

inline const std::string wire0 = "/machine/topology/links/0/wire";
inline const std::string wire1 = "/machine/topology/links/1/wire";
inline const std::string switch_a = "/machine/topology/devices/a";

/// The text of a sweep of that run; `rest` begins with "axes".
inline std::string sweep_text(const std::string& rest) {
  return std::string("{\"run\": ") + plan_run + ",\n" + rest + "}";
}

inline sweep::Sweep sweep_of(const std::string& rest) {
  return sweep::read_sweep(config::parse(sweep_text(rest), "s.json"));
}

inline sweep::Plan plan_of(const std::string& rest) { return {sweep_of(rest), plan_kinds(), "1.0"}; }

/// What is wrong with a sweep; "" if nothing is.
inline std::string plan_complaint(const std::string& rest) {
  try {
    plan_of(rest);
  } catch (const config::ConfigError& error) {
    return error.what();
  }
  return {};
}

/// {"name": NAME, "path": PATH, "values": VALUES}.
inline std::string axis_text(const std::string& name, const std::string& path, const std::string& values) {
  return R"({"name": ")" + name + R"(", "path": ")" + path + R"(", "values": )" + values + "}";
}

/// The id of a point, from its run read as a whole.
inline std::string id_by_reading(const sweep::Plan& plan, const sweep::Point& point) {
  return sweep::id_of(config::read<RunConfig>(plan.document(point), plan_kinds()), "1.0");
}

/// All values of an axis, in order, separated by blanks.
inline std::string values_of(const sweep::Axis& axis) {
  std::string out;
  for (const auto& v : axis.values) out += (out.empty() ? "" : " | ") + v.shown;
  return out;
}

}  // namespace tsunagi::test
