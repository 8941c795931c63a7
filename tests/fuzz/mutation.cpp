// SPDX-License-Identifier: Apache-2.0
#include "fuzz/mutation.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "config/message.hpp"

namespace tsunagi::fuzz {

using nlohmann::ordered_json;

namespace {

template <class T>
const T& one_of(const std::vector<T>& all, Random& random) {
  return all[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(all.size())))];
}

const std::vector<std::string>& odd_texts() {
  static const std::vector<std::string> all{"",
                                            "0 B",
                                            "1 B",
                                            "9223372036854775807 B",
                                            "9223372036854775808 B",
                                            "99999999999999999999999 B",
                                            "0.0000000000000000000001 TiB",
                                            "8388607 TiB",
                                            "-1 ns",
                                            "0 fs",
                                            "9223372036854775807 fs",
                                            "1 ns ",
                                            "1e3 ns",
                                            "infinite",
                                            "1 b/s",
                                            "0 B/s",
                                            "8 B/1015625 fs",
                                            "9223372036854775807 B/9223372036854775806 fs",
                                            "1 B/0 fs",
                                            "999999999999 TB/s",
                                            "1 Hz",
                                            "9223372036854775807 T/s",
                                            "100 %",
                                            "0.0001 %",
                                            "NaN",
                                            "a.b.c.d",
                                            "..",
                                            "/",
                                            "../parts/k20.json",
                                            "../parts/none.json",
                                            "../parts",
                                            "/dev/null",
                                            "fuzz.json",
                                            "\x01",
                                            "\xe7\xb9\x8b",
                                            "group",
                                            "peach2",
                                            "tca",
                                            "x*(y+1)",
                                            "((((((((((((((((((((((((((((((1",
                                            "max(a.b,min(c.d",
                                            "at(a.b, a.c, 'x')",
                                            "column=text"};
  return all;
}

const std::vector<std::string>& odd_keys() {
  static const std::vector<std::string> all{"$use",   "$lines",   "$sources", "$schema", "kind",   "devices",
                                            "ends",   "machine",  "topology", "values",  "axes",   "figures",
                                            "missed", "scenario", "",         "a/b~c",   "\x1b[2J"};
  return all;
}

/// A random place in the tree; the root rarely.
ordered_json* some_place(ordered_json& tree, Random& random) {
  ordered_json* at = &tree;
  while (at->is_structured() && !at->empty() && random.below(8) != 0) {
    auto child = at->begin();
    std::advance(child, random.below(static_cast<std::int64_t>(at->size())));
    at = &*child;
  }
  return at;
}

void mutate_object(ordered_json& object, Random& random) {
  auto member = object.begin();
  std::advance(member, random.below(static_cast<std::int64_t>(object.size())));
  std::string key = member.key();
  switch (random.below(4)) {
    case 0:
      object.erase(member);
      return;
    case 1:
      object[one_of(odd_keys(), random)] = odd_value(random);
      return;
    case 2: {
      ordered_json value = std::move(*member);
      object.erase(member);
      if (!key.empty()) key[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(key.size())))] = 'q';
      object[key] = std::move(value);
      return;
    }
    default:
      *member = odd_value(random);
      return;
  }
}

void mutate_array(ordered_json& array, Random& random) {
  const auto i = static_cast<std::size_t>(random.below(static_cast<std::int64_t>(array.size())));
  switch (random.below(4)) {
    case 0:
      array.erase(i);
      return;
    case 1:
      array.push_back(ordered_json(array[i]));
      return;
    case 2:
      std::swap(array[i], array.front());
      return;
    default:
      array[i] = odd_value(random);
      return;
  }
}

std::string some_bytes(Random& random) {
  static const std::vector<std::string> tokens{"{",
                                               "}",
                                               "[",
                                               "]",
                                               ",",
                                               ":",
                                               "\"",
                                               "\\",
                                               "//",
                                               "/*",
                                               "*/",
                                               "null",
                                               "-",
                                               "1e999",
                                               "\"$use\"",
                                               "\"$sources\"",
                                               "true",
                                               "\xff",
                                               "\xed\xa0\x80",
                                               "\\ud800",
                                               "\\u0000",
                                               "\n",
                                               "\t",
                                               "18446744073709551616",
                                               "0x",
                                               "1.5",
                                               "\xEF\xBB\xBF",
                                               "{\"a\":",
                                               "[[[[[",
                                               "]]]]]"};
  if (random.below(3) != 0) return one_of(tokens, random);
  std::string out;
  for (std::int64_t i = random.below(4); i >= 0; --i) out += static_cast<char>(random.below(256));
  return out;
}

}  // namespace

ordered_json odd_value(Random& random) {
  static const std::vector<ordered_json> numbers{0,
                                                 1,
                                                 -1,
                                                 2,
                                                 3,
                                                 7,
                                                 64,
                                                 65,
                                                 INT64_MAX,
                                                 INT64_MIN,
                                                 UINT64_MAX,
                                                 INT32_MAX,
                                                 std::int64_t{INT32_MAX} + 1,
                                                 0.1,
                                                 1e18,
                                                 1e300,
                                                 -0.0,
                                                 5e-324};
  switch (random.below(8)) {
    case 0:
      return nullptr;
    case 1:
      return random.below(2) == 0;
    case 2:
      return one_of(numbers, random);
    case 3:
      return ordered_json::object();
    case 4:
      return ordered_json::array();
    case 5:
      return ordered_json{{random.below(2) == 0 ? "$use" : "$lines", one_of(odd_texts(), random)}};
    default:
      return one_of(odd_texts(), random);
  }
}

void mutate(ordered_json& tree, Random& random) {
  ordered_json& at = *some_place(tree, random);
  switch (random.below(8)) {
    case 0:
      at = odd_value(random);
      return;
    case 1:
      at = ordered_json::array({at});
      return;
    case 2: {
      ordered_json copy = *some_place(tree, random);  // of another place, or of what is around this one
      at = std::move(copy);
      return;
    }
    default:
      break;
  }
  if (at.is_object() && !at.empty())
    mutate_object(at, random);
  else if (at.is_array() && !at.empty())
    mutate_array(at, random);
  else
    at = odd_value(random);
}

void nudge(ordered_json& tree, Random& random) {
  ordered_json& at = *some_place(tree, random);
  if (at.is_boolean()) at = !at.get<bool>();
  if (at.is_number_integer()) {
    const auto n = at.get<std::int64_t>() % 1'000'000;
    const std::int64_t near[] = {n + 1, n - 1, 2 * n, n / 2, 0, 1};
    at = near[random.below(6)];
  }
  if (!at.is_string()) return;
  const auto text = at.get<std::string>();
  const std::size_t blank = text.find(' ');
  if (text.empty() || text[0] < '0' || text[0] > '9' || blank == std::string::npos || blank > 6) return;
  const long n = std::strtol(text.c_str(), nullptr, 10);
  const long near[] = {n + 1, 2 * n, n / 2, 1, 0, 4 * n};
  at = std::to_string(near[random.below(6)]) + text.substr(blank);
}

std::string mutated(std::string text, const std::string& other, Random& random) {
  const auto place = [&random](const std::string& in) {
    return static_cast<std::size_t>(random.below(static_cast<std::int64_t>(in.size()) + 1));
  };
  for (std::int64_t i = random.below(6); i >= 0; --i) {
    const std::size_t at = place(text);
    const auto length = static_cast<std::size_t>(random.below(random.below(4) == 0 ? 200 : 4));
    switch (random.below(6)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << random.below(8)));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, some_bytes(random));
        break;
      case 3:
        text.insert(at, text.substr(place(text), length));
        break;
      case 4:
        text.insert(at, other.substr(place(other), length));
        break;
      default:
        if (at < text.size() && text[at] >= '0' && text[at] <= '9')
          text[at] = static_cast<char>('0' + random.below(10));
        break;
    }
  }
  return text;
}

std::string some_pointer(const ordered_json& tree, Random& random) {
  std::string pointer;
  const ordered_json* at = &tree;
  while (at->is_structured() && !at->empty() && random.below(6) != 0) {
    auto child = at->begin();
    const std::int64_t i = random.below(static_cast<std::int64_t>(at->size()));
    std::advance(child, i);
    pointer = config::below(pointer, at->is_object() ? child.key() : std::to_string(i));
    at = &*child;
  }
  if (pointer.empty() || random.below(8) == 0) pointer = config::below(pointer, one_of(odd_keys(), random));
  return pointer;
}

}  // namespace tsunagi::fuzz
