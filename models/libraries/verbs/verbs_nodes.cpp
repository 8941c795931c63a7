// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/verbs/verbs_nodes.hpp"

#include <map>
#include <optional>
#include <utility>

#include "config/error_at.hpp"

namespace tsunagi::libraries {

namespace {

/// What the names of a node's devices begin with, if that is the last part of its card's name.
std::optional<std::string> prefix_of(const std::string& full, const std::string& card) {
  if (full == card) return "";
  const std::string end = "." + card;
  if (full.size() < end.size() || full.compare(full.size() - end.size(), end.size(), end) != 0) return std::nullopt;
  return full.substr(0, full.size() - card.size());
}

/// All of the machine's by the LID of their first rail.
comm::ByRank<VerbsNode> nodes_with_cards(const VerbsNodeConfig& c, Machine& m, const std::string& library) {
  const std::string first = parse_rail(c.rails.front())->card;
  std::map<std::uint32_t, VerbsNode> nodes;
  const std::vector<infiniband::Adapter*> all = m.all<infiniband::Adapter>();
  for (const infiniband::Adapter* card : all) {
    const auto prefix = prefix_of(card->name(), first);
    if (!prefix) continue;
    VerbsNode n(c, m, *prefix);
    const std::uint32_t lid = n.lid();
    const auto [at, added] = nodes.emplace(lid, std::move(n));
    if (!added)
      throw config::error_at("/machine", card->name() + " and " + at->second.card().name() + " have one LID: library " +
                                             library + " runs on one subnet a rail");
  }
  if (!all.empty() && nodes.empty())
    throw config::error_at("/library/rails", "no host channel adapter is called \"" + first + "\"");
  if (nodes.size() < 2)
    throw config::error_at("/library",
                           all.empty() ? "library " + library + " needs a machine with host channel adapters (\"hca\")"
                                       : "library " + library + " needs two nodes, only one has a \"" + first + "\"");
  comm::ByRank<VerbsNode> out;
  out.reserve(nodes.size());
  for (auto& [lid, n] : nodes) out.push_back(std::move(n));
  return out;
}

/// Whether a rail's ports of two nodes are in one subnet: in one network, or the ends of one cable.
bool in_one_subnet(const VerbsNode& a, const VerbsNode& b, int rail) {
  if (a.network(rail) != b.network(rail)) return false;
  const net::Channel& to = a.port(rail).channel();
  return a.network(rail) != nullptr ||
         &to.destination().ports()[static_cast<std::size_t>(to.destination_port())] == &b.port(rail);
}

/// All ports of a rail are in one subnet.
void check_rails(const comm::ByRank<VerbsNode>& nodes) {
  for (int rail = 0; rail < nodes.front().rails(); ++rail) {
    std::map<std::uint32_t, std::string> lids;
    for (const VerbsNode& n : nodes) {
      const std::string card = n.card(rail).name();
      const auto [at, added] = lids.emplace(n.lid(rail), card);
      if (!added || (&n != &nodes.front() && !in_one_subnet(nodes.front(), n, rail)))
        throw config::error_at("/library/rails", "port " + n.port(rail).name() + " of " + card + " and of " +
                                                     (added ? nodes.front().card(rail).name() : at->second) +
                                                     " are not in one subnet");
    }
  }
}

}  // namespace

comm::ByRank<VerbsNode> verbs_nodes(const VerbsNodeConfig& c, Machine& m, const std::string& library) {
  comm::ByRank<VerbsNode> nodes = nodes_with_cards(c, m, library);
  check_rails(nodes);
  return nodes;
}

}  // namespace tsunagi::libraries
