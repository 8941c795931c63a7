// SPDX-License-Identifier: Apache-2.0
// Ids of runs: a hash of the resolved config, as a tree in which each value's hash is made of those below it, so that
// a run that differs from another in a few places is hashed anew at these places only.
#pragma once

#include <array>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/run_config.hpp"

namespace tsunagi::sweep {

/// XXH3-128, most significant byte first.
using Hash = std::array<unsigned char, 16>;

Hash hash_bytes(std::string_view bytes);

/// Hash of a JSON value with all that is below it. The order of an object's keys counts.
Hash hash_tree(const nlohmann::ordered_json& value);

/// What of a run decides its result: the resolved config without name and title of the run.
nlohmann::ordered_json canonical(RunConfig run);

/// The id of a run whose canonical config has this hash, by the models of this version: 32 hexadecimal digits.
std::string id_from(const Hash& canonical_hash, const std::string& version);

/// The id of a run; the same however the config was written. Equal to that of the point of a plan that makes it.
std::string id_of(const RunConfig& run, const std::string& version);

/// A hashed tree of which some values are left open.
class OpenTree {
 public:
  /// All of it is open: its hash is that of value 0.
  OpenTree() = default;
  /// `open` are JSON pointers, none of which is inside another; those that `tree` does not have count for nothing.
  OpenTree(const nlohmann::ordered_json& tree, const std::vector<std::string>& open);

  /// `hash_tree` of the tree with the values of the hashes `*values[k]` at `open[k]`.
  Hash hash(const std::vector<const Hash*>& values) const;

 private:
  /// An object or array on the way to an open value: what is hashed of it, and where in that the hashes of children
  /// stand that are not known yet.
  struct Node {
    std::string bytes;
    std::vector<std::pair<std::size_t, std::size_t>> nodes;   // offset, index of the node
    std::vector<std::pair<std::size_t, std::size_t>> values;  // offset, index of the open value
  };

  std::size_t add(const nlohmann::ordered_json& value, const std::string& pointer,
                  const std::set<std::pair<std::string, std::size_t>>& open);
  Hash hash_node(std::size_t node, const std::vector<const Hash*>& values) const;

  std::vector<Node> nodes_;  // the root first
};

}  // namespace tsunagi::sweep
