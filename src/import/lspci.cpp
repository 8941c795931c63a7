// SPDX-License-Identifier: Apache-2.0
// `lspci -vv`, with -nn, -D or without: a tree of bridges by their bus numbers, links as they run.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "import/formats.hpp"
#include "import/lspci_blocks.hpp"
#include "import/parts_table.hpp"
#include "import/pci.hpp"
#include "import/server_text.hpp"

namespace tsunagi::importing {

namespace {

/// As lspci writes it.
std::string shown(const std::string& address) { return address.rfind("0000:", 0) == 0 ? address.substr(5) : address; }

std::string speed_text(const LinkState& l) {
  return fmt::format("{}{}", l.rate == 0 ? "an unknown speed" : fmt::format("{} GT/s", l.rate),
                     l.lanes == 0 ? "" : fmt::format(" x{}", l.lanes));
}

bool is_below(const LinkState& a, const LinkState& b) {
  return (a.rate != 0 && a.rate < b.rate) || (a.lanes != 0 && a.lanes < b.lanes);
}

/// The cards of the file and the switches above them, each once.
class Tree {
 public:
  Tree(const std::vector<PciFunction>& functions, Findings& findings) : all_(functions), findings_(findings) {
    std::set<std::string> addresses;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const PciFunction& f = all_[i];
      if (!addresses.insert(f.address).second) findings_.fail(f.place, "a second device at " + shown(f.address));
      if (f.secondary != 0 && !above_.emplace(std::pair(f.domain, f.secondary), i).second)
        findings_.fail(f.place, fmt::format("a second bridge to bus {:02x}", f.secondary));
    }
  }

  Server server() {
    for (std::size_t i = 0; i < all_.size() && !findings_.is_full(); ++i) {
      const std::optional<Role> role = role_of(std::max(all_[i].class_code, 0), all_[i].vendor);
      if (role && *role != Role::bridge) add(i, *role);
    }
    Server out;
    for (const PciFunction& f : all_) sockets_[std::max(f.numa, 0L)];
    Socket processor;
    processor.said = "lspci does not say which processor";
    processor.place = {all_.front().place.file, 1, 1};
    tell_processor(processor);
    for (const auto& [numa, cards] : sockets_) {
      Socket s = processor;
      s.said = fmt::format("NUMA node {}; {}", numa, processor.said);
      for (const std::size_t n : cards) s.cards.push_back(card_of(n));
      out.sockets.push_back(std::move(s));
    }
    return out;
  }

  bool has_cards() const { return cards_ > 0; }

 private:
  /// A card, or a switch by its upstream port.
  struct Node {
    Card card;
    std::vector<std::size_t> below;
  };

  /// By a function of its own.
  void tell_processor(Socket& socket) const {
    for (const CpuFunction& row : cpu_functions())
      for (const PciFunction& f : all_) {
        const bool is_it = f.device < 0
                               ? f.model.find(row.words) != std::string::npos
                               : f.vendor == row.vendor && row.first_device <= f.device && f.device <= row.last_device;
        if (!is_it) continue;
        socket.vendor = row.cpu_vendor;
        socket.family = row.family;
        socket.model = row.model;
        socket.place = f.place;
        socket.said = fmt::format("of the processor of {} {}", shown(f.address), comment(f.model));
        return;
      }
  }

  const PciFunction* bridge_above(const PciFunction& f) const {
    const auto it = above_.find({f.domain, f.bus});
    return it == above_.end() ? nullptr : &all_[it->second];
  }

  void add(std::size_t i, Role role) {
    const PciFunction& f = all_[i];
    std::vector<const PciFunction*> ports;  // from the card up; buses get smaller all the way
    for (const PciFunction* p = bridge_above(f); p != nullptr; p = bridge_above(*p)) ports.push_back(p);
    if (ports.empty() ? f.express.empty() && !f.is_denied && f.status.place.line == 0 : has_old_bus(ports)) {
      findings_.warn(f.place, fmt::format("{} is on no PCI Express link: left out", shown(f.address)));
      return;
    }
    if (ports.size() > 2 * most_levels) {
      findings_.fail(f.place, fmt::format("{} is below {} bridges", shown(f.address), ports.size()));
      return;
    }
    // All functions behind one port are of one card, its virtual ones, too.
    const std::string card = ports.empty() ? f.address : fmt::format("below {}", ports.front()->address);
    const auto [known, is_new] = by_card_.emplace(std::pair(card, role), nodes_.size());
    if (!is_new) {
      ++nodes_[known->second].card.functions;
      return;
    }
    if (++cards_ > most_cards) return findings_.fail(f.place, fmt::format("more than {} cards", most_cards));
    nodes_.push_back({card_of(f, role), {}});
    tell_link(f, ports.empty() ? nullptr : ports.front(), role);
    tell_tags(f);
    hang(known->second, ports, f);
  }

  /// Below its switches, which are made if they are not there, or in a slot.
  void hang(std::size_t node, const std::vector<const PciFunction*>& ports, const PciFunction& card) {
    long numa = card.numa;
    for (const PciFunction* p : ports) numa = numa < 0 ? p->numa : numa;
    for (std::size_t k = 0; k < ports.size(); ++k) {
      if (!is_upstream(ports, k)) continue;
      const PciFunction& up = *ports[k];
      const auto [known, is_new] = by_card_.emplace(std::pair(up.address, Role::bridge), nodes_.size());
      if (is_new) {
        nodes_.push_back({card_of(up, Role::bridge), {}});
        tell_link(up, k + 1 < ports.size() ? ports[k + 1] : nullptr, Role::bridge);
      }
      nodes_[known->second].below.push_back(node);
      if (k > 0) take_acs(*ports[k - 1], nodes_[known->second].card);
      node = known->second;
      if (!is_new) return;  // it hangs where it hangs
    }
    sockets_[std::max(numa, 0L)].push_back(node);
  }

  /// Of ports from a card up: the upper end of a switch, which lspci names if it may read capabilities. Else ports are
  /// root port, upstream, downstream, upstream, ... from above.
  static bool is_upstream(const std::vector<const PciFunction*>& ports, std::size_t k) {
    if (!ports[k]->express.empty()) return ports[k]->express == "Upstream Port";
    return (ports.size() - 1 - k) % 2 == 1;
  }

  static bool has_old_bus(const std::vector<const PciFunction*>& ports) {
    return std::any_of(ports.begin(), ports.end(),
                       [](const PciFunction* p) { return p->express.find("PCI/PCI-X") != std::string::npos; });
  }

  Card card_of(const PciFunction& f, Role role) {
    Card c;
    c.place = f.place;
    c.address = shown(f.address);
    c.role = role;
    c.vendor = f.vendor;
    c.device = f.device;
    c.model = f.model;
    c.link.generation = generation_of(f.status.rate);
    c.link.could_be = generation_of(f.capability.rate);
    c.link.lanes = lanes_of(f.status.lanes);
    c.max_payload = f.max_payload;
    c.max_read_request = role == Role::bridge ? 0 : f.max_read_request;
    c.said = c.address + " " + comment(f.model) + f.controls;
    if (f.is_denied)
      findings_.warn(f.place,
                     "capabilities are not in the file (<access denied>): run lspci as root; links are assumed");
    else if (f.status.place.line == 0)
      findings_.warn(f.place, "the file does not say how links run (LnkSta): write it by lspci -vv");
    return c;
  }

  /// Few tags keep few reads under way (PCI Express Base Specification 3.0, 2.2.6.2).
  void tell_tags(const PciFunction& f) {
    Card& c = nodes_.back().card;
    c.tag_bits = f.tag_bits;
    if (f.tag_bits == few_tag_bits)
      findings_.warn(f.place, fmt::format("{} has no extended tags (ExtTag-): 32 reads under way at most", c.address));
  }

  /// What runs slower than it could.
  void tell_link(const PciFunction& f, const PciFunction* above, Role role) {
    Card& c = nodes_.back().card;
    // Either end may see them; both do where both can.
    c.link.retimers = std::max(f.retimers, above == nullptr ? 0 : above->retimers);
    c.link.flits = f.flits || (above != nullptr && above->flits);
    if (f.status.rate > 64)
      findings_.warn(f.status.place,
                     fmt::format("{} GT/s are faster than wires of ours: generation 6 stands for them", f.status.rate));
    if (c.link.lanes != f.status.lanes)
      findings_.warn(f.status.place, fmt::format("a width of x{} is none of our wires': x{} stands for it",
                                                 f.status.lanes, c.link.lanes));
    if (!is_below(f.status, f.capability)) return;
    std::string text = fmt::format("link of {} runs at {}, its capability is {}", shown(f.address),
                                   speed_text(f.status), speed_text(f.capability));
    if (above != nullptr && is_below(above->capability, f.capability))
      text +=
          fmt::format("; that of the port above it, {}, is {}", shown(above->address), speed_text(above->capability));
    if (role == Role::gpu && f.status.rate < f.capability.rate)
      text += "; GPUs lower the speed when they are idle: look again under load";
    c.said += "; " + text;
    findings_.warn(f.status.place, text);
  }

  void take_acs(const PciFunction& port, Card& of_switch) {
    if (!port.redirects) return;
    findings_.warn(port.acs,
                   fmt::format("ACS of {} (ReqRedir+): what cards below this switch ask of each other goes up to the "
                               "root complex and back, and shares the switch's uplink",
                               shown(port.address)));
    if (!of_switch.redirects) of_switch.said += "; requests between its ports go up (ACSCtl: ReqRedir+)";
    of_switch.redirects = true;
  }

  Card card_of(std::size_t n) {
    Card out = nodes_[n].card;
    for (const std::size_t below : nodes_[n].below) out.below.push_back(card_of(below));
    return out;
  }

  const std::vector<PciFunction>& all_;
  Findings& findings_;
  std::map<std::pair<long, int>, std::size_t> above_;  // bridges by the bus below them
  std::map<std::pair<std::string, Role>, std::size_t> by_card_;
  std::vector<Node> nodes_;
  std::map<long, std::vector<std::size_t>> sockets_;  // what is in slots, by NUMA node
  std::size_t cards_ = 0;
};

bool is_lspci(std::string_view text) {
  const Source source("", text.substr(0, 4096));
  for (std::size_t i = 1; i <= source.line_count(); ++i) {
    const std::string_view line = source.line_text(i);
    if (!trimmed(line).empty() && line.front() != '#') return begins_block(line);
  }
  return false;
}

Imported read_lspci(const Source& source, const Request& request, Findings& findings) {
  const std::vector<PciFunction> functions = lspci_blocks(source, findings);
  if (functions.empty() && !findings.failed()) findings.fail(source.line(1), "has no device");
  if (findings.failed()) return {};
  Tree tree(functions, findings);
  Server server = tree.server();
  if (!tree.has_cards() && !findings.failed())
    findings.fail(source.line(1),
                  "has no GPU, network card or NVMe drive on a PCI Express link; write it by lspci -vv, as root");
  if (server.sockets.size() > most_sockets)
    findings.fail(source.line(1), fmt::format("has more than {} NUMA nodes", most_sockets));
  if (findings.failed()) return {};
  server.notes = {
      "Format: lspci -vv. Links run as LnkSta says; what LnkCap would allow stands where it is more.",
      "max_payload_size is the least MaxPayload (DevCtl) below a slot, max_read_request a card's MaxReadReq.",
      "RlxdOrd is told, not modelled. Other devices than GPUs, network cards and NVMe drives are left "
      "out."};
  return {server_text(server, request, findings), "", {}};
}

}  // namespace

Format lspci_format() {
  return {"lspci", "lspci -vv", "lines that begin \"41:00.0 3D controller: \"", is_lspci, read_lspci};
}

}  // namespace tsunagi::importing
