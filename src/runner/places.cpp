// SPDX-License-Identifier: Apache-2.0
#include "runner/places.hpp"

#include <algorithm>
#include <cctype>

namespace tsunagi::runner {
namespace {

/// One step of a JSON pointer (RFC 6901) without its escapes.
std::string unescaped(const std::string& token) {
  std::string out;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const bool escape = token[i] == '~' && i + 1 < token.size();
    out += escape ? (token[i + 1] == '1' ? '/' : '~') : token[i];
    if (escape) ++i;
  }
  return out;
}

const config::Value* step(const config::Value& value, const std::string& token) {
  if (value.is_object()) return value.find(token);
  const bool index = !token.empty() && token.size() < 10 && std::all_of(token.begin(), token.end(), [](char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
  });
  if (!index || std::stoul(token) >= value.items.size()) return nullptr;
  return &value.items[std::stoul(token)];
}

/// The value that a pointer leads to, or the last one on the way that was written; `begin`: what of it led there.
const config::Value& walk(const config::Document& document, const std::string& pointer, std::size_t& begin) {
  const config::Value* value = &document.root;
  while (begin < pointer.size()) {
    const std::size_t end = std::min(pointer.find('/', begin + 1), pointer.size());
    const config::Value* next = step(*value, unescaped(pointer.substr(begin + 1, end - begin - 1)));
    if (next == nullptr) break;
    value = next;
    begin = end;
  }
  return *value;
}

}  // namespace

config::Place place_of(const config::Document& document, const std::string& pointer) {
  std::size_t begin = 0;
  return walk(document, pointer, begin).place;
}

const config::Value* value_at(const config::Document& document, const std::string& pointer) {
  std::size_t begin = 0;
  const config::Value& value = walk(document, pointer, begin);
  return begin == pointer.size() ? &value : nullptr;
}

std::vector<config::Message> located(std::vector<config::Message> messages, const config::Document& document) {
  for (config::Message& message : messages)
    if (!message.place.file) message.place = place_of(document, message.pointer);
  return messages;
}

}  // namespace tsunagi::runner
