// SPDX-License-Identifier: Apache-2.0
// The same silicon is as fast in every machine: what a die takes stands in one part, whichever model of it a machine
// has.
#include <filesystem>
#include <set>
#include <string>

#include "config/document.hpp"
#include "support/catch.hpp"

namespace dies_test {

using namespace tsunagi;
namespace fs = std::filesystem;

namespace {

/// What differs between models of a die, or between places of one in a machine.
bool may_differ(const std::string& key) {
  static const std::set<std::string> keys{"kind", "slots", "remotes", "cores", "size",    "memory_size",
                                          "llc",  "iommu", "clock",   "copy",  "compute", "$sources"};
  return keys.count(key) != 0 || (key.size() > 5 && key.compare(key.size() - 5, 5, "_base") == 0) || key == "base";
}

/// The part files that say what devices of a kind take, with the keys that each says, of a machine and below.
void written_in(const config::Value& value, const std::string& kind, std::set<std::string>& out) {
  for (const config::Value& item : value.items) written_in(item, kind, out);
  const config::Value* of = value.find("kind");
  const bool is = of != nullptr && of->text == kind;
  for (const config::Member& m : value.members) {
    written_in(m.value, kind, out);
    if (is && !may_differ(m.name) && m.value.place.file) out.insert(fs::path(*m.value.place.file).filename().string());
  }
}

std::set<std::string> all_of(const std::string& kind) {
  std::set<std::string> out;
  for (const auto& file : fs::directory_iterator(TSUNAGI_TEST_CONFIGS "/machines"))
    written_in(config::load(file.path()).root, kind, out);
  out.erase("ppx_without_overheads.json");  // whose parts take no time
  return out;
}

}  // namespace

TEST_CASE("dies: what a root complex, a memory and a core take stands in the part of their die") {
  CHECK(all_of("root_complex") ==
        std::set<std::string>{"sandy_bridge_ep_root_complex.json", "ivy_bridge_ep_root_complex.json",
                              "broadwell_ep_root_complex.json", "gc_le_north_bridge.json", "e7501_north_bridge.json",
                              // of servers of today, and what published measurements of one ask for
                              "skylake_sp_root_complex.json", "ice_lake_sp_root_complex.json",
                              "sapphire_rapids_root_complex.json", "epyc_rome_root_complex.json",
                              "epyc_milan_root_complex.json", "p100_host_root_complex.json"});
  // The lines on their way to DRAM belong to the cache, which a machine has or leaves out.
  std::set<std::string> memories = all_of("memory");
  for (const char* model : {"xeon_e5_2620_v2_memory.json", "xeon_e5_2630_memory.json", "xeon_e5_2630_v4_memory.json",
                            "xeon_e5_2637_v3_memory.json", "xeon_e5_2660_v4_memory.json"})
    CHECK(memories.erase(model) == 1);
  CHECK(memories == std::set<std::string>{"sandy_bridge_ep_memory.json", "broadwell_ep_memory.json",
                                          "sr8000_memory.json", "xeon_2003_memory.json", "xeon_sp_memory.json",
                                          "epyc_memory.json"});
  CHECK(all_of("core") == std::set<std::string>{"xeon_e5_2670_core.json", "xeon_e5_2660_v4_core.json",
                                                "sr8000_core.json", "xeon_2_8_core.json", "xeon_e5_2698_v4_core.json",
                                                "v100_host_core.json", "xeon_platinum_8168_core.json",
                                                "xeon_platinum_8358_core.json", "xeon_platinum_8480c_core.json",
                                                "epyc_7742_core.json", "epyc_7763_core.json"});
}

TEST_CASE(
    "dies: models of a die differ in their caches, and Ivy Bridge from Sandy Bridge in what passes between slots") {
  const auto own = [](const std::string& part) {
    std::set<std::string> out;
    for (const config::Member& m : config::load(TSUNAGI_TEST_CONFIGS "/parts/" + part).root.members)
      if (m.value.place.file && fs::path(*m.value.place.file).filename() == part && m.name != "$sources")
        out.insert(m.name);
    return out;
  };
  CHECK(own("ivy_bridge_ep_root_complex.json") == std::set<std::string>{"peer_reads", "peer_read_recovery"});
  CHECK(own("haswell_ep_root_complex.json").empty());
  for (const char* model : {"xeon_e5_2620_v2_memory.json", "xeon_e5_2630_memory.json", "xeon_e5_2630_v4_memory.json",
                            "xeon_e5_2637_v3_memory.json", "xeon_e5_2660_v4_memory.json"})
    CHECK(own(model) == std::set<std::string>{"write_lines", "llc"});
  CHECK(own("xeon_e5_2680_v2_core.json") == std::set<std::string>{"clock", "copy", "compute"});
}

}  // namespace dies_test
