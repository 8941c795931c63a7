// SPDX-License-Identifier: Apache-2.0
#include "topo/network_names.hpp"

#include <algorithm>
#include <cctype>

#include "config/suggest.hpp"

namespace tsunagi::topo {

namespace {

constexpr std::size_t most_listed = 200;  // letters

}  // namespace

bool is_number(const std::string& word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

NetworkNames::NetworkNames(const Network& network, const std::vector<std::string>& terminals)
    : terminal_names_(terminals) {
  const auto add = [](Index& index, const std::string& name, int number, const std::string& prefix) {
    index.emplace(name, number);
    if (name.rfind(prefix, 0) == 0 && is_number(name.substr(prefix.size())))
      index.emplace(name.substr(prefix.size()), number);
  };
  for (int r = 0; r < network.routers(); ++r) {
    router_names_.push_back(network.router_name(r));
    add(routers_, router_names_.back(), r, "router");
  }
  for (std::size_t t = 0; t < terminals.size(); ++t)
    for (const char* prefix : {"terminal", "node"}) add(terminals_, terminals[t], static_cast<int>(t), prefix);
}

int NetworkNames::find(const Index& index, const std::string& word) {
  const auto it = index.find(word);
  return it == index.end() ? -1 : it->second;
}

std::string NetworkNames::none(const char* what, const std::vector<std::string>& known, const std::string& word) {
  std::string text = "the network has no " + std::string(what) + " \"" + word + "\"";
  const std::string hint = config::detail::did_you_mean(word, known);
  if (!hint.empty()) return text + hint;
  std::string all;
  for (const std::string& name : known) {
    if (all.size() > most_listed) {
      all += ", …";
      break;
    }
    all += (all.empty() ? "" : ", ") + name;
  }
  return text + "; " + what + "s: " + all;
}

}  // namespace tsunagi::topo
