// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "models/gpu/gpu.hpp"

namespace tsunagi::libraries {

/// Shows bytes of `to` in its window, for copy engines of `from` to write to; before the run. `otherwise` is what does
/// without peer access, in brackets, for the message. Throws config::ConfigError at /scenario if the window does not
/// show so much, or what `from` writes does not come there: GPUs below different root complexes.
void open_peer(const gpu::Gpu& from, gpu::Gpu& to, Bytes offset, Bytes size, const std::string& otherwise);

}  // namespace tsunagi::libraries
