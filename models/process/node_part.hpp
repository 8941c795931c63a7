// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "config/suggest.hpp"
#include "machine/machine.hpp"

namespace tsunagi::process {

/// What the names of a node's devices begin with; of no node: nothing.
inline std::string prefix_of(const std::string& node) { return node.empty() ? "" : node + "."; }

/// The device `prefix` + `name` of a node whose devices' names begin with `prefix`, as the library's field `field` has
/// `name`. Throws config::ConfigError at that field if it is no D of the machine; says which ones the node has.
template <class D>
D& node_part(const Machine& m, const std::string& prefix, const std::string& name, const std::string& field) {
  try {
    return m.get<D>(prefix + name);
  } catch (const config::ConfigError&) {  // says nothing of the field
  }
  std::vector<std::string> known;
  for (const D* d : m.all<D>())
    if (const std::string whole = d->name(); whole.compare(0, prefix.size(), prefix) == 0)
      known.push_back(whole.substr(prefix.size()));
  const std::string node = prefix.empty() ? "the machine" : prefix.substr(0, prefix.size() - 1);
  const std::string near = config::detail::did_you_mean(name, known);
  throw config::error_at("/library/" + field, "\"" + name + "\" is no such device of " + node +
                                                  (near.empty() ? "; \"" : near + " \"") + field +
                                                  "\" names one of: " + config::detail::listed(known));
}

/// Takes a device that one library alone can program. Throws config::ConfigError if another one has it.
inline void claim(net::Device& d) {
  if (!d.claim()) throw config::error_at("/library", d.name() + " is another library's already");
}

}  // namespace tsunagi::process
