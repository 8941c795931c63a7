// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "units/bytes.hpp"
#include "units/time.hpp"

namespace tsunagi::host {

/// One write as a recording memory saw it.
struct Extent {
  std::uint64_t address = 0;
  Bytes length;
  std::uint32_t origin = 0;
  std::uint64_t origin_offset = 0;
  std::uint64_t value = 0;  // what its last (up to eight) bytes say
  Time when;
};

/// What a copy of `n` bytes from `from` to `to` at `when` writes, in ascending order of address: the pieces of what was
/// written last to each of its bytes by then, each with the origin of its first byte. Bytes that nobody wrote have
/// origin 0 and offset 0.
std::vector<Extent> copied(const std::vector<Extent>& written, std::uint64_t to, std::uint64_t from, Bytes n,
                           Time when);

}  // namespace tsunagi::host
