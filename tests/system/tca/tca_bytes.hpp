// SPDX-License-Identifier: Apache-2.0
// What the memories of PEACH2 nodes say, byte for byte.
#pragma once

#include <string>
#include <vector>

#include "models/host/core.hpp"
#include "models/host/memory/memory.hpp"
#include "system/program_bench.hpp"

namespace tsunagi::test {

inline std::uint8_t byte_of(int rank, std::int64_t offset) {
  return static_cast<std::uint8_t>((offset * 7 + rank * 31 + offset / 251) % 251 + 1);
}

/// Has every rank's memory say something of its own up to `n`, and at `done` everybody may begin.
inline void fill(ProgramBench& b, Bytes n, Time done) {
  for (int rank = 0; rank < b.ranks(); ++rank)
    b.sim().spawn("fill", [&b, n, rank, done](Fiber& f) {
      std::vector<std::uint8_t> bytes;
      for (std::int64_t i = 0; i < n.count(); ++i) bytes.push_back(byte_of(rank, i));
      const std::string node = "node" + std::to_string(rank);
      b.machine()
          .get<host::Core>(node + ".core0")
          .store(f, b.library().address(rank, rank, {{}, n, {}, {}}), {bytes.data(), bytes.size()});
      CHECK(f.now() < done);
    });
}

/// What is wrong with `n` bytes at `offset` of rank `at`, which should be those of rank `of` from `from` on; empty:
/// nothing.
inline std::string differs(ProgramBench& b, int at, Bytes offset, int of, Bytes from, Bytes n) {
  const auto& memory = b.machine().get<host::Memory>("node" + std::to_string(at) + ".memory");
  const std::vector<std::uint8_t> there = memory.bytes(b.library().address(at, at, {offset, n, {}, {}}), n);
  for (std::int64_t i = 0; i < n.count(); ++i)
    if (there[static_cast<std::size_t>(i)] != byte_of(of, from.count() + i))
      return "byte " + std::to_string(i) + " of " + std::to_string(n.count()) + " of rank " + std::to_string(of) +
             " at rank " + std::to_string(at);
  return {};
}

}  // namespace tsunagi::test
