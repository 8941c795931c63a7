// SPDX-License-Identifier: Apache-2.0
#include "config/fields/reader.hpp"

#include "config/fields/object_reader.hpp"

namespace tsunagi::config {

namespace detail {

void read_root(const Document& document, const Kinds& kinds, const Body& body, std::vector<Message>* warnings) {
  std::vector<Message> messages = document.problems;
  std::map<std::pair<const KindTable*, const void*>, AnyConfig> good;
  const Reading reading{kinds, messages, good, warnings};
  ObjectReader::read(document.root, {}, reading, body);
  throw_if_any(messages);
}

}  // namespace detail

AnyConfig read_any(const Document& document, const Kinds& kinds, std::string_view family) {
  std::vector<Message> messages = document.problems;
  std::map<std::pair<const KindTable*, const void*>, AnyConfig> good;
  const detail::Reading reading{kinds, messages, good};
  AnyConfig config = detail::ObjectReader::read_kind(document.root, {}, reading, family);
  throw_if_any(messages);
  return config;
}

}  // namespace tsunagi::config
