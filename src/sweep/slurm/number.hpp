// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>

namespace tsunagi::sweep::slurm {

/// A text that is one number and nothing else.
inline std::optional<std::uint64_t> number_in(const std::string& text) {
  std::uint64_t out = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, out);
  return parsed.ec == std::errc() && parsed.ptr == end ? std::optional(out) : std::nullopt;
}

}  // namespace tsunagi::sweep::slurm
