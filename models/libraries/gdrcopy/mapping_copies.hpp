// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "comm/steps.hpp"
#include "fiber/fiber.hpp"
#include "models/host/core.hpp"
#include "models/host/memory/memory.hpp"

namespace tsunagi::libraries {

/// GDRCopy's calls: a core copies between host memory and a GPU's window, whose pages are mapped write-combining
/// (src/gdrapi.c and src/memcpy_*.c). Copies out of it begin at a multiple of host::StreamingLoads::widest.
class MappingCopies {
 public:
  /// `core` and `memory` outlive this; a call takes `call_cycles` of the core beside its loads and stores.
  MappingCopies(host::Core& core, host::Memory& memory, std::int64_t call_cycles)
      : core_(core), memory_(memory), call_cycles_(call_cycles) {}

  /// gdr_copy_to_mapping: write-combining stores and a fence. Returns when they have left the core.
  void to_mapping(Fiber& f, int rank, const comm::Steps& step, std::uint64_t window, std::uint64_t host,
                  Bytes n) const {
    core_.execute(f, "call", call_cycles_);
    step(f, rank, "gdr_copy_to_mapping", [&] {
      core_.store(f, window, memory_, host, n, {}, 0);
      core_.store_fence(f);
    });
  }
  /// gdr_copy_from_mapping: streaming loads.
  void from_mapping(Fiber& f, int rank, const comm::Steps& step, std::uint64_t host, std::uint64_t window,
                    Bytes n) const {
    core_.execute(f, "call", call_cycles_);
    step(f, rank, "gdr_copy_from_mapping", [&] { core_.copy_from_device(f, memory_, host, window, n); });
  }

 private:
  host::Core& core_;
  host::Memory& memory_;
  std::int64_t call_cycles_;
};

}  // namespace tsunagi::libraries
