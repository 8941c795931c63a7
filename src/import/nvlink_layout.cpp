// SPDX-License-Identifier: Apache-2.0
#include "import/nvlink_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tsunagi::importing {

const std::vector<NvlinkRow>& nvlink_rows() {
  static const std::vector<NvlinkRow> all{
      {"p100", "p100_sxm2", 4, "nvlink_1", "nvswitch_1", 18, 1, "P100 SXM2"},
      {"v100", "v100_sxm2", 6, "nvlink_2", "nvswitch_1", 18, 6, "V100 SXM2"},
      {"a100", "a100_sxm4", 12, "nvlink_3", "nvswitch_2", 36, 6, "A100 SXM4"},
      {"a100_80gb", "a100_80gb_sxm4", 12, "nvlink_3", "nvswitch_2", 36, 6, "A100 SXM4 80GB"},
      {"h100", "h100_sxm5", 18, "nvlink_4", "nvswitch_3", 64, 4, "H100 SXM5"},
      {"h200", "h200_sxm5", 18, "nvlink_4", "nvswitch_3", 64, 4, "H200 SXM"},
      {"b200", "b200_sxm6", 18, "nvlink_5", "nvswitch_4", 72, 2, "B200"},
  };
  return all;
}

namespace {

// What devices hold: models/gpu/nvlink_ports.cpp, models/nvlink/nvswitch.cpp.
constexpr int most_gpu_ports = 36;
constexpr int most_nvswitch_ports = 128;

struct NvlinkGpu {
  const PlacedCard* card;
  const NvlinkRow* row;
  int used = 0;
};

class NvlinkWiring {
 public:
  NvlinkWiring(const std::vector<PlacedSocket>& sockets, Findings& findings) : findings_(findings) {
    for (const PlacedSocket& s : sockets) collect(s.cards);
    std::sort(gpus_.begin(), gpus_.end(), [](const NvlinkGpu& a, const NvlinkGpu& b) {
      return std::pair(a.card->name.size(), a.card->name) < std::pair(b.card->name.size(), b.card->name);
    });
  }

  NvlinkLayout layout() {
    for (std::size_t i = 0; i < gpus_.size(); ++i)
      for (std::size_t k = i + 1; k < gpus_.size(); ++k) join(gpus_[i], gpus_[k]);
    for (NvlinkGpu& g : gpus_) join_switches(g);
    for (NvlinkGpu& g : gpus_) finish(g);
    for (std::size_t i = 0; i < out_.switches.size(); ++i) finish_switch(out_.switches[i], switch_ports_[i]);
    return std::move(out_);
  }

 private:
  void collect(const std::vector<PlacedCard>& cards) {
    for (const PlacedCard& c : cards) {
      collect(c.below);
      if (c.card->nvlinks.empty()) continue;
      const auto& rows = nvlink_rows();
      const auto row =
          std::find_if(rows.begin(), rows.end(), [&](const NvlinkRow& r) { return r.gpu == c.part->part; });
      int links = 0;
      for (const NvlinkEnd& e : c.card->nvlinks) links += e.count;
      if (links > most_gpu_ports)
        findings_.fail(c.card->place,
                       fmt::format("{} NVLink links at one GPU are more than {}", links, most_gpu_ports));
      else if (row == rows.end())
        findings_.warn(c.card->place, fmt::format("{} is no part with NVLink: its links are left out", c.part->part));
      else
        gpus_.push_back({&c, &*row});
    }
  }

  static int told(const NvlinkGpu& of, const NvlinkGpu& to) {
    int out = 0;
    for (const NvlinkEnd& e : of.card->card->nvlinks)
      if (!e.is_switch && e.target == to.card->card->address) out += e.count;
    return out;
  }

  bool has(const std::string& address) const {
    return std::any_of(gpus_.begin(), gpus_.end(),
                       [&](const NvlinkGpu& g) { return g.card->card->address == address; });
  }

  void wire(NvlinkGpu& a, const std::string& b, const std::string& said) {
    out_.wires.push_back({fmt::format("{}.nvlink{}", a.card->name, a.used++), b, a.row->wire, said});
  }

  void join(NvlinkGpu& a, NvlinkGpu& b) {
    const int there = told(a, b), back = told(b, a);
    if (there != back)
      findings_.warn((there > back ? a : b).card->card->place,
                     fmt::format("NVLink of {} and {}: one end tells of {} links, the other of {}; the more are taken",
                                 comment(a.card->card->address), comment(b.card->card->address), there, back));
    const int links = std::max(there, back);
    for (int i = 0; i < links; ++i) {
      wire(a, fmt::format("{}.nvlink{}", b.card->name, b.used),
           i == 0 ? fmt::format("NVLink, {} {}: as the file says", links, links == 1 ? "link" : "links") : "");
      ++b.used;
    }
  }

  void join_switches(NvlinkGpu& g) {
    for (const NvlinkEnd& e : g.card->card->nvlinks) {
      if (!e.is_switch) {
        if (!has(e.target) || e.target == g.card->card->address)
          findings_.warn(e.place, fmt::format("NVLink to {}, which is {}: left out", comment(e.target),
                                              has(e.target) ? "this GPU itself" : "no GPU of the file"));
        continue;
      }
      if (!e.target.empty()) {
        to_switch(g, switch_of(e.target, "as the file says: " + comment(e.target), g), e.count);
        continue;
      }
      for (int s = 0; s < g.row->switches; ++s)  // the first ones have one more
        to_switch(g, switch_of(fmt::format("#{}", s), "assumed: the file does not say which switches there are", g),
                  e.count / g.row->switches + (s < e.count % g.row->switches ? 1 : 0));
    }
  }

  std::size_t switch_of(const std::string& key, const std::string& said, const NvlinkGpu& g) {
    const auto [at, is_new] = switches_.emplace(key, out_.switches.size());
    if (is_new) {
      out_.switches.push_back({fmt::format("nvswitch{}", at->second), g.row->switched, 0, said});
      switch_ports_.push_back({0, g.row->switch_ports, g.card->card->place});
    }
    return at->second;
  }

  void to_switch(NvlinkGpu& g, std::size_t number, int links) {
    for (int i = 0; i < links; ++i)
      wire(g, fmt::format("{}.port{}", out_.switches[number].name, switch_ports_[number].used++),
           i == 0 ? fmt::format("NVLink, {} {} to a switch", links, links == 1 ? "link" : "links") : "");
  }

  void finish(const NvlinkGpu& g) {
    if (g.used > most_gpu_ports)
      findings_.fail(g.card->card->place, fmt::format("more than {} NVLink links at one GPU", most_gpu_ports));
    if (g.used == 0) return;
    out_.parts.emplace(g.card->name, g.row->part);
    if (g.used > g.row->links) out_.ports.emplace(g.card->name, g.used);
  }

  struct SwitchPorts {
    int used;
    int has;
    config::Place place;  // of the first GPU there
  };
  void finish_switch(NvlinkDevice& d, const SwitchPorts& p) {
    if (p.used > most_nvswitch_ports)
      findings_.fail(p.place, fmt::format("more than {} NVLink links at one switch", most_nvswitch_ports));
    if (p.used > p.has) d.ports = p.used;
  }

  Findings& findings_;
  std::vector<NvlinkGpu> gpus_;
  std::map<std::string, std::size_t> switches_;
  std::vector<SwitchPorts> switch_ports_;
  NvlinkLayout out_;
};

}  // namespace

NvlinkLayout nvlink_layout(const std::vector<PlacedSocket>& sockets, Findings& findings) {
  return NvlinkWiring(sockets, findings).layout();
}

}  // namespace tsunagi::importing
