// SPDX-License-Identifier: Apache-2.0
#include "report/digest.hpp"

#include <fmt/format.h>
#include <xxhash.h>

namespace tsunagi::report {
namespace {

/// "name length:name kind value", so that no two tables share a text.
std::string canonical(const Rows& rows) {
  std::string text;
  for (const Row& row : rows.rows) {
    for (const auto& [name, cell] : row.cells()) {
      text += fmt::format("{}:{}", name.size(), name);
      if (const auto* t = std::get_if<Time>(&cell))
        text += fmt::format(" fs {},", t->fs());
      else if (const auto* b = std::get_if<Bytes>(&cell))
        text += fmt::format(" bytes {},", b->count());
      else if (const auto* n = std::get_if<std::int64_t>(&cell))
        text += fmt::format(" count {},", *n);
      else if (std::holds_alternative<NoTime>(cell))
        text += " no fs,";
      else
        text += fmt::format(" text {}:{},", std::get<std::string>(cell).size(), std::get<std::string>(cell));
    }
    text += "\n";
  }
  return text;
}

}  // namespace

std::string digest(const Rows& rows) {
  const std::string text = canonical(rows);
  XXH128_canonical_t bytes;
  XXH128_canonicalFromHash(&bytes, XXH3_128bits(text.data(), text.size()));
  std::string out;
  for (const unsigned char byte : bytes.digest) out += fmt::format("{:02x}", byte);
  return out;
}

}  // namespace tsunagi::report
