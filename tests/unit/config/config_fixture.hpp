// SPDX-License-Identifier: Apache-2.0
// A small world of config structs, and files to read them from, for the tests of src/config.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "config/config.hpp"

namespace world {

using namespace tsunagi;

enum class Policy { credits, stop_go, none };

struct Link {
  std::string from;
  int lanes = 8;
  Time flight = 5_ns;
  Rate rate = Rate::infinite();
  TransferRate speed{5'000'000'000};
  Policy policy = Policy::credits;
};

inline void describe(Link& c, config::Describer& d) {
  using namespace config;
  d.field("from", c.from, "name of the sending device", required);
  d.field("lanes", c.lanes, "lanes in use", one_of({1, 2, 4, 8, 16}));
  d.field("flight", c.flight, "one-way cable delay", at_most(10_us), ideal(0_ns));
  d.field("rate", c.rate, "cap on the rate", ideal(Rate::infinite()));
  d.field("speed", c.speed, "transfers a second", within(TransferRate(1'000'000'000), TransferRate(32'000'000'000)));
  d.choice("policy", c.policy,
           {{"credits", 0, "credits, as PCIe"}, {"stop_go", 1, "stop and go"}, {"none", 2, "may drop"}},
           "flow control");
}

struct Gpu {
  Bytes memory = 4_GiB;
  std::vector<Bytes> blocks{256_B, 4_KiB};
  double derate = 1.0;
  std::int64_t credits = 32;
  bool peer = true;
};

inline void describe(Gpu& c, config::Describer& d) {
  using namespace config;
  d.field("memory", c.memory, "device memory", within(1_KiB, 512_GiB));
  d.field("blocks", c.blocks, "block sizes", at_least(1_B));
  d.field("derate", c.derate, "share of the peak", within(0.1, 1.0), ideal(1.0));
  d.field("credits", c.credits, "header credits", at_least(std::int64_t{1}), ideal(1000));
  d.field("peer", c.peer, "peer-to-peer allowed");
}

struct Group {
  int count = 1;
  std::vector<std::pair<std::string, config::AnyConfig>> devices;
};

inline void describe(Group& c, config::Describer& d) {
  d.field("count", c.count, "copies", config::within(1, 64));
  d.any_map("devices", c.devices, "device", "what a group holds", config::required);
}

struct Explicit {
  std::vector<std::pair<std::string, config::AnyConfig>> devices;
  std::vector<Link> links{Link{"default", 4, 1_ns, {}, TransferRate(1'000'000'000), Policy::none}, Link{}, Link{}};
};

inline void describe(Explicit& c, config::Describer& d) {
  d.any_map("devices", c.devices, "device", "devices by name", config::required);
  d.list("links", c.links, "wires");
}

struct Options {
  std::int64_t low = 1;
  std::int64_t high = 64;
  std::vector<std::string> tags;
  std::vector<std::int64_t> sizes{1, 2};
};

/// Lists whose only element needs no brackets.
struct Several {
  std::vector<std::int64_t> counts{0};
  std::vector<Bytes> blocks{4_KiB};
};

inline void describe(Several& c, config::Describer& d) {
  using namespace config;
  d.field("counts", c.counts, "numbers", within(0, 8), or_one);
  d.field("blocks", c.blocks, "sizes", at_least(1_B), or_one);
}

inline void describe(Options& c, config::Describer& d) {
  d.field("low", c.low, "smallest");
  d.field("high", c.high, "largest");
  d.require(c.low <= c.high, "\"low\" must not be above \"high\"");
  d.field("tags", c.tags, "words");
  d.field("sizes", c.sizes, "numbers", config::at_least(1));
}

struct Machine {
  std::string name;
  config::AnyConfig topology;
  Options options;
};

inline void describe(Machine& c, config::Describer& d) {
  d.field("name", c.name, "short name", config::required);
  d.any("topology", c.topology, "topology", "parts and wires", config::required);
  d.object("options", c.options, "how to simulate");
}

inline config::Kinds kinds() {
  using config::kind;
  config::Kinds all;
  all.add({"device", {kind<Gpu>("gpu", "a GPU"), kind<Group>("group", "several devices")}});
  all.add({"topology", {kind<Explicit>("explicit", "nodes and links")}});
  return all;
}

/// All lines that reading `text` as a C complains with; "" if it reads.
template <class C = Machine>
std::string complaint(const config::Document& document) {
  try {
    config::read<C>(document, kinds());
  } catch (const config::ConfigError& error) {
    return error.what();
  }
  return {};
}

template <class C = Machine>
std::string complaint(const std::string& text, const std::vector<config::Override>& overrides = {}) {
  try {
    return complaint<C>(config::parse(text, "m.json", overrides));
  } catch (const config::ConfigError& error) {
    return error.what();
  }
}

/// A folder of files that goes away with the object; the working directory is inside it meanwhile.
class Folder {
 public:
  explicit Folder(const std::vector<std::pair<std::string, std::string>>& files) {
    std::string name = (std::filesystem::temp_directory_path() / "tsunagi-config-XXXXXX").string();
    path_ = mkdtemp(name.data());
    for (const auto& [file, text] : files) {
      std::filesystem::create_directories((path_ / file).parent_path());
      std::ofstream(path_ / file) << text;
    }
    before_ = std::filesystem::current_path();
    std::filesystem::current_path(path_);
  }
  ~Folder() {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

 private:
  std::filesystem::path path_;
  std::filesystem::path before_;
};

/// A whole machine in which every kind of field occurs.
inline const char* const machine_text = R"({
  "$schema": "machine.schema.json",
  // a comment
  "name": "two",
  "topology": {
    "kind": "explicit",
    "devices": {
      "gpu0": {"kind": "gpu", "memory": "8 GiB", "blocks": ["512 B"], "derate": 0.5},
      "box": {"kind": "group", "devices": {"inner": {"kind": "group", "devices": {"g": {"kind": "gpu"}}}}}
    },
    "links": [
      {"from": "gpu0", "lanes": 16, "flight": "120 ns", "rate": "3.5 GB/s", "speed": "8 GT/s", "policy": "stop_go"},
      {"from": "box"}
    ]
  },
  "options": {"low": 2, "tags": ["a", "b"], "sizes": [8]} /* the end */
})";

}  // namespace world
