// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "models/gpu/gpu.hpp"

namespace tsunagi::libraries {

/// Shows bytes of `other` in its window, for copy engines of `by` to read and write; before the run. Returns where they
/// are on the bus. `otherwise` is what does without peer access, in brackets, for the message. Throws
/// config::ConfigError at /scenario if the window does not show so much, or the packets of `by` do not come there: GPUs
/// below different root complexes.
std::uint64_t peer_window(const gpu::Gpu& by, gpu::Gpu& other, Bytes offset, Bytes n, const std::string& otherwise);

/// Throws config::ConfigError at /scenario if packets of `by` do not come to the window of `other`.
void check_peers(const gpu::Gpu& by, const gpu::Gpu& other, const std::string& otherwise);

}  // namespace tsunagi::libraries
