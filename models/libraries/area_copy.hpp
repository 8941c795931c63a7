// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "comm/buffer.hpp"
#include "models/host/core.hpp"

namespace tsunagi::libraries {

/// A core copies one area of a rank's host memory, which begins at `base`, to another one as long.
inline void copy_area(Fiber& f, host::Core& core, host::Memory& memory, std::uint64_t base, const comm::Buffer& to,
                      const comm::Buffer& from) {
  if (comm::is_contiguous(to) && comm::is_contiguous(from))
    return core.copy(f, memory, base + unsigned_of(to.offset), base + unsigned_of(from.offset), from.size);
  std::vector<host::Core::Copied> all;
  comm::for_each_stretch(to, from, [&](Bytes at, Bytes its, Bytes n) {
    all.push_back({base + unsigned_of(at), base + unsigned_of(its), n});
  });
  core.copy(f, memory, all);
}

}  // namespace tsunagi::libraries
