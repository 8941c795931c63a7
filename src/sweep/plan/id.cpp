// SPDX-License-Identifier: Apache-2.0
#include "sweep/plan/id.hpp"

#include <xxhash.h>

#include <algorithm>
#include <iterator>

#include "config/config.hpp"

namespace tsunagi::sweep {
namespace {

using nlohmann::ordered_json;

/// What is hashed of an object or array; `child(key, value, bytes, offset)` puts a child's hash there.
template <class Child>
std::string bytes_of(const ordered_json& parent, Child child) {
  std::string bytes(1, parent.is_object() ? '{' : '[');
  std::size_t index = 0;
  for (const auto& item : parent.items()) {
    const std::string key = parent.is_object() ? item.key() : std::to_string(index++);
    if (parent.is_object()) bytes += std::to_string(key.size()) + ":" + key;
    const std::size_t offset = bytes.size();
    bytes.resize(offset + sizeof(Hash));
    child(key, item.value(), bytes, offset);
  }
  return bytes;
}

void put(std::string& bytes, std::size_t offset, const Hash& hash) {
  std::copy(hash.begin(), hash.end(), bytes.begin() + static_cast<std::ptrdiff_t>(offset));
}

}  // namespace

Hash hash_bytes(std::string_view bytes) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  Hash hash;
  std::copy(std::begin(canonical.digest), std::end(canonical.digest), hash.begin());
  return hash;
}

Hash hash_tree(const ordered_json& value) {
  if (!value.is_structured()) return hash_bytes(value.dump());
  return hash_bytes(bytes_of(value, [](const std::string&, const ordered_json& child, std::string& bytes,
                                       std::size_t offset) { put(bytes, offset, hash_tree(child)); }));
}

ordered_json canonical(RunConfig run) {
  ordered_json tree = config::resolved(run);
  tree.erase("name");
  tree.erase("title");
  return tree;
}

std::string id_from(const Hash& canonical_hash, const std::string& version) {
  const char* const digits = "0123456789abcdef";
  const std::string bytes(canonical_hash.begin(), canonical_hash.end());
  std::string id;
  for (const unsigned char byte : hash_bytes(bytes + version)) {
    id += digits[byte >> 4];
    id += digits[byte & 15];
  }
  return id;
}

std::string id_of(const RunConfig& run, const std::string& version) {
  return id_from(hash_tree(canonical(run)), version);
}

OpenTree::OpenTree(const ordered_json& tree, const std::vector<std::string>& open) {
  std::set<std::pair<std::string, std::size_t>> sorted;
  for (std::size_t k = 0; k < open.size(); ++k) sorted.insert({open[k], k});
  if (sorted.empty() || !sorted.begin()->first.empty()) add(tree, "", sorted);
}

std::size_t OpenTree::add(const ordered_json& value, const std::string& pointer,
                          const std::set<std::pair<std::string, std::size_t>>& open) {
  const std::size_t index = nodes_.size();
  nodes_.emplace_back();
  Node node;
  node.bytes =
      bytes_of(value, [&](const std::string& key, const ordered_json& child, std::string& bytes, std::size_t offset) {
        const std::string here = config::below(pointer, key);
        const auto self = open.lower_bound({here, 0});
        const auto inside = open.lower_bound({here + "/", 0});
        if (self != open.end() && self->first == here)
          node.values.emplace_back(offset, self->second);
        else if (inside != open.end() && inside->first.compare(0, here.size() + 1, here + "/") == 0)
          node.nodes.emplace_back(offset, add(child, here, open));
        else
          put(bytes, offset, hash_tree(child));
      });
  nodes_[index] = std::move(node);
  return index;
}

Hash OpenTree::hash(const std::vector<const Hash*>& values) const {
  return nodes_.empty() ? *values.front() : hash_node(0, values);
}

Hash OpenTree::hash_node(std::size_t index, const std::vector<const Hash*>& values) const {
  const Node& node = nodes_[index];
  std::string bytes = node.bytes;
  for (const auto& [offset, child] : node.nodes) put(bytes, offset, hash_node(child, values));
  for (const auto& [offset, value] : node.values) put(bytes, offset, *values[value]);
  return hash_bytes(bytes);
}

}  // namespace tsunagi::sweep
