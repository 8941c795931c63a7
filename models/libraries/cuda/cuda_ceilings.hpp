// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "comm/ceiling.hpp"
#include "models/gpu/gpu.hpp"
#include "models/host/memory/memory.hpp"

namespace tsunagi::libraries {

/// What bounds an engine's copies out of a GPU's memory to bus addresses from `address` on, of host memory or (if it is
/// not null) of `peer`.
void add_write_ceilings(std::vector<comm::Ceiling>& out, const gpu::Gpu& gpu, const gpu::Gpu* peer,
                        std::uint64_t address);
/// What bounds copies from a GPU to another one that `gpu` reaches, over NVLink or on the bus.
void add_peer_ceilings(std::vector<comm::Ceiling>& out, const gpu::Gpu& gpu, const gpu::Gpu& peer);
/// What bounds copies of what `gpu` reads in `peer`, over NVLink or on the bus.
void add_peer_read_ceilings(std::vector<comm::Ceiling>& out, const gpu::Gpu& gpu, const gpu::Gpu& peer);
/// What bounds an engine's copies from host memory into a GPU's.
void add_read_ceilings(std::vector<comm::Ceiling>& out, const gpu::Gpu& gpu, const host::Memory& memory);

}  // namespace tsunagi::libraries
