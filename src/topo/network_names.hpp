// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "topo/network.hpp"

namespace tsunagi::topo {

/// Whether a word is digits alone.
bool is_number(const std::string& word);

/// Routers and terminals of a network by what people call them: by name, or those called "router7", "terminal7" and
/// "node7" by the number alone.
class NetworkNames {
 public:
  /// `terminals`: what stands at each.
  NetworkNames(const Network& network, const std::vector<std::string>& terminals);

  /// -1: there is none.
  int router(const std::string& word) const { return find(routers_, word); }
  int terminal(const std::string& word) const { return find(terminals_, word); }
  /// What to say then.
  std::string no_router(const std::string& word) const { return none("router", router_names_, word); }
  std::string no_terminal(const std::string& word) const { return none("terminal", terminal_names_, word); }
  const std::string& terminal_name(int terminal) const { return terminal_names_[static_cast<std::size_t>(terminal)]; }

 private:
  using Index = std::unordered_map<std::string, int>;  // looked up only, never walked
  static int find(const Index& index, const std::string& word);
  static std::string none(const char* what, const std::vector<std::string>& known, const std::string& word);

  std::vector<std::string> router_names_;
  const std::vector<std::string>& terminal_names_;
  Index routers_;
  Index terminals_;
};

}  // namespace tsunagi::topo
