// SPDX-License-Identifier: Apache-2.0
#include "import/server_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "import/layout.hpp"
#include "import/numa_nodes.hpp"
#include "import/nvlink_layout.hpp"

namespace tsunagi::importing {

namespace {

constexpr int assumed_generation = 3, assumed_lanes = 16;

std::string size_text(std::int64_t kib) {
  if (kib % (1 << 20) == 0) return fmt::format("{} GiB", kib >> 20);
  if (kib % 1024 == 0) return fmt::format("{} MiB", kib >> 10);
  return fmt::format("{} KiB", kib);
}

/// Sections of the file that grow side by side.
class ServerText {
 public:
  ServerText(const Server& server, const Request& request, Findings& findings)
      : server_(server),
        request_(request),
        findings_(findings),
        sockets_(layout_of(server, findings)),
        nvlink_(nvlink_layout(sockets_, findings)) {}

  std::string text() {
    for (std::size_t i = 0; i < sockets_.size(); ++i) add_socket(i);
    for (std::size_t i = 0; i < sockets_.size(); ++i)
      for (std::size_t k = i + 1; k < sockets_.size(); ++k)
        link(fmt::format("rc{}.socket{}", sockets_[i].suffix, k), fmt::format("rc{}.socket{}", sockets_[k].suffix, i),
             use(sockets_[i].part->socket_link), "between sockets, assumed: every two are joined");
    add_nvlink();
    std::string out = head();
    out += devices_.substr(0, devices_.rfind(',')) + "\n        },\n        \"links\": [\n";
    out += links_.substr(0, links_.rfind(',')) + "\n        ]\n      }\n    },\n    \"links\": []\n  }\n}\n";
    return out;
  }

 private:
  std::string head() const {
    std::string out = fmt::format("// From {} by `tsunagi import`.\n", comment(request_.file));
    for (const std::string& note : server_.notes) out += "// " + note + "\n";
    out += fmt::format(
        "// Assumed of each socket: {} of memory, one core in use. GPUs and cards have the windows of their parts.\n",
        size_text(memory_kib));
    return out +
           fmt::format(
               "{{\n  \"name\": \"{}\",\n  \"title\": \"{}\",\n  \"topology\": {{\n    \"kind\": \"explicit\",\n"
               "    \"devices\": {{\n      \"node0\": {{\n        \"kind\": \"group\",\n        \"devices\": {{\n",
               request_.name, title());
  }

  std::string title() const {
    std::size_t gpus = 0, others = 0;
    const auto count = [&](const auto& self, const std::vector<Card>& cards) -> void {
      for (const Card& c : cards) {
        if (c.role != Role::bridge) ++(c.role == Role::gpu ? gpus : others);
        self(self, c.below);
      }
    };
    for (const Socket& s : server_.sockets) count(count, s.cards);
    return fmt::format("{}, imported: {} sockets, {} GPUs, {} other cards", request_.name, server_.sockets.size(), gpus,
                       others);
  }

  std::string use(std::string_view part, const std::string& more = "") const {
    return fmt::format("{{\"$use\": \"{}/{}.json\"{}{}}}", request_.parts, part, more.empty() ? "" : ", ", more);
  }

  /// "FILE:LINE: what it says".
  static std::string said_at(const config::Place& place, const std::string& said) {
    return fmt::format("{}{}", place.line > 0 ? fmt::format("line {}: ", place.line) : "", said);
  }

  void device(const std::string& name, const std::string& value, const std::string& above = "") {
    if (!above.empty()) devices_ += "          // " + above + "\n";
    devices_ += fmt::format("          \"{}\": {},\n", name, value);
  }
  void link(const std::string& a, const std::string& b, const std::string& wire, const std::string& above = "") {
    if (!above.empty()) links_ += "          // " + above + "\n";
    links_ += fmt::format("          {{\"ends\": [\"{}\", \"{}\"], \"wire\": {}}},\n", a, b, wire);
  }

  void add_socket(std::size_t i) {
    const PlacedSocket& s = sockets_[i];
    std::string told = said_at(s.socket->place, s.socket->said);
    if (!s.part->is_it) {
      told += fmt::format("; no part of it, {} stands for it", s.part->name);
      findings_.warn(s.socket->place, fmt::format("there is no part of this processor ({}): {} stands for it",
                                                  cpu_name(*s.socket), s.part->name));
    }
    device("core" + std::to_string(i), use(s.part->core), told);
    device("rc" + s.suffix, root_complex(i));
    device("memory" + s.suffix, use(s.part->memory, fmt::format("\"base\": \"{}\", \"size\": \"{}\"",
                                                                size_text(s.memory_begin), size_text(memory_kib))));
    link(fmt::format("core{}.bus", i), fmt::format("rc{}.core0", s.suffix), use(s.part->bus));
    link(fmt::format("rc{}.memory", s.suffix), fmt::format("memory{}.bus", s.suffix), use(s.part->bus));
    for (std::size_t slot = 0; slot < s.cards.size(); ++slot)
      add_card(s.cards[slot], fmt::format("rc{}.slot{}", s.suffix, slot));
  }

  static std::string cpu_name(const Socket& s) {
    if (s.vendor.empty()) return "the file does not say which";
    return fmt::format("{}, family {}, model {}", comment(s.vendor), s.family, s.model);
  }

  std::string root_complex(std::size_t i) const {
    const PlacedSocket& s = sockets_[i];
    std::string more = fmt::format("\"memory_base\": \"{}\", \"memory_size\": \"{}\"", size_text(s.memory_begin),
                                   size_text(memory_kib));
    if (!s.cards.empty()) more += ",\n            \"slots\": [\n" + ports(s.cards, "slot") + "            ]";
    std::string remotes;
    for (std::size_t k = 0; k < sockets_.size(); ++k) {
      if (k == i) continue;
      const PlacedSocket& other = sockets_[k];
      remotes += window("socket" + std::to_string(k), other.memory_begin, memory_kib);
      if (!other.cards.empty()) remotes += window("socket" + std::to_string(k), other.begin, other.end - other.begin);
    }
    if (!remotes.empty())
      more += ",\n            \"remotes\": [\n" + remotes.substr(0, remotes.rfind(',')) + "\n            ]";
    return use(s.part->root_complex, more);
  }

  static std::string window(const std::string& name, std::int64_t begin, std::int64_t size) {
    return fmt::format("              {{\"name\": \"{}\", \"window_base\": \"{}\", \"window_size\": \"{}\"}},\n", name,
                       size_text(begin), size_text(size));
  }
  static std::string ports(const std::vector<PlacedCard>& cards, const char* name) {
    std::string out;
    for (std::size_t i = 0; i < cards.size(); ++i)
      out += window(name + std::to_string(i), cards[i].begin, cards[i].end - cards[i].begin);
    return out.substr(0, out.rfind(',')) + "\n";
  }

  void add_card(const PlacedCard& c, const std::string& above) {
    const auto with_nvlink = nvlink_.parts.find(c.name);
    const std::string_view part = with_nvlink == nvlink_.parts.end() ? c.part->part : with_nvlink->second;
    std::string told = said_at(c.card->place, c.card->said);
    if (!c.part->is_it) {
      told += fmt::format("; no part of it, the nearest ({}) stands for it", part);
      findings_.warn(c.card->place, fmt::format("there is no part of this {}{}: the nearest, {}, stands for it",
                                                c.part->name, id_of(*c.card), part));
    }
    device(c.name, use(part, settings_of(c)), told);
    link(above, fmt::format("{}.{}", c.name, c.part->port), wire(c), link_told(c));
    for (std::size_t i = 0; i < c.below.size(); ++i) add_card(c.below[i], fmt::format("{}.down{}", c.name, i));
  }

  void add_nvlink() {
    for (const NvlinkDevice& d : nvlink_.switches)
      device(d.name, use(d.part, d.ports == 0 ? "" : fmt::format("\"ports\": {}", d.ports)), d.said);
    for (const NvlinkWire& w : nvlink_.wires) link(w.a, w.b, use(w.part), w.said);
  }

  static std::string id_of(const Card& c) {
    return c.device < 0 ? "" : fmt::format(" ({:04x}:{:04x})", c.vendor, c.device);
  }

  static std::string joined(const std::string& a, const std::string& b) {
    return a + (a.empty() || b.empty() ? "" : ", ") + b;
  }

  std::string settings_of(const PlacedCard& c) const {
    // What reads of a card can be set to (PCI Express Base Specification 3.0, 7.8.4), and how many have tags (2.2.6.2).
    const std::string reads =
        c.card->max_read_request == 0 ? "" : fmt::format("\"max_read_request\": \"{} B\"", c.card->max_read_request);
    const auto tags = [&c](const char* key, int n) {
      return c.card->tag_bits == few_tag_bits ? fmt::format("\"tag_bits\": {}, \"{}\": {}", few_tag_bits, key, n) : "";
    };
    constexpr int all = 1 << few_tag_bits, of_copy_engine = all / 2 - 1;  // one of two, which has a tag for flushes
    switch (c.card->role) {
      case Role::bridge:
        return fmt::format("{}\"downstream\": [\n{}            ]", c.card->redirects ? "\"acs_redirect\": true, " : "",
                           ports(c.below, "down"));
      case Role::gpu: {
        const bool asks_less = c.part->reads > 0 && c.part->reads <= c.card->max_read_request;
        const std::string engines =
            joined(asks_less ? "" : reads, c.part->reads > 0 ? tags("tags", of_copy_engine) : "");
        return joined(fmt::format("\"bar_base\": \"{}\"{}", size_text(c.begin), ports_of(c)),
                      engines.empty() ? "" : fmt::format("\"copy_engines\": {{{}}}", engines));
      }
      case Role::infiniband:
        return joined(
            fmt::format("\"bar_base\": \"{}\"{}", size_text(c.begin), c.card->functions > 1 ? ", \"ports\": 2" : ""),
            joined(reads, tags("read_tags", all)));
      case Role::nic:
      case Role::nvme: {
        const std::string engine = joined(reads, tags("tags", all));
        return engine.empty() ? "" : fmt::format("\"engine\": {{{}}}", engine);
      }
    }
    return {};
  }

  /// Of a GPU with more links than its part.
  std::string ports_of(const PlacedCard& c) const {
    const auto more = nvlink_.ports.find(c.name);
    return more == nvlink_.ports.end() ? "" : fmt::format(", \"nvlink\": {{\"links\": {}}}", more->second);
  }

  std::string wire(const PlacedCard& c) const {
    const int generation = c.card->link.generation == 0 ? assumed_generation : c.card->link.generation;
    const int lanes = c.card->link.lanes == 0 ? assumed_lanes : c.card->link.lanes;
    std::string more = fmt::format("\"generation\": {}, \"lanes\": {}", generation, lanes);
    more += fmt::format(", \"max_payload_size\": \"{} B\"", c.max_payload);
    if (c.card->link.retimers > 0) more += fmt::format(", \"retimers\": {}", c.card->link.retimers);
    if (c.card->link.flits && generation < 6) more += ", \"flit_mode\": true";
    return use(fmt::format("pcie_gen{}_x{}", generation, generation < 4 ? 8 : 16), more);
  }

  static std::string link_told(const PlacedCard& c) {
    std::string out;
    const auto assumed = [&out](bool is, const std::string& what) {
      if (is) out += (out.empty() ? "assumed: " : ", ") + what;
    };
    assumed(c.card->link.generation == 0, fmt::format("generation {}", assumed_generation));
    assumed(c.card->link.lanes == 0, fmt::format("{} lanes", assumed_lanes));
    assumed(c.card->max_payload == 0, fmt::format("max_payload_size {} B", c.max_payload));
    if (c.card->link.generation != 0 && c.card->link.lanes != 0)
      out = fmt::format("generation {}, {} lanes: as the file says{}{}", c.card->link.generation, c.card->link.lanes,
                        out.empty() ? "" : "; ", out);
    return out;
  }

  const Server& server_;
  const Request& request_;
  Findings& findings_;
  std::vector<PlacedSocket> sockets_;
  NvlinkLayout nvlink_;
  std::string devices_;
  std::string links_;
};

}  // namespace

std::string server_text(Server server, const Request& request, Findings& findings) {
  join_numa_nodes(server, findings);
  return ServerText(server, request, findings).text();
}

}  // namespace tsunagi::importing
