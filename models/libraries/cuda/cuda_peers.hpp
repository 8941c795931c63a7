// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "models/gpu/gpu.hpp"

namespace tsunagi::libraries {

/// Bytes of another GPU, as a copy command names them.
struct PeerSide {
  gpu::Aperture aperture = gpu::Aperture::peer;
  std::uint64_t address = 0;
};

/// The NVLink links by which copy engines of `by` reach `other`; null: none do.
const nvlink::Behind* nvlink_between(const gpu::Gpu& by, const gpu::Gpu& other);

/// How copy engines of `by` reach bytes of `other`: over NVLink if that leads there, else on the bus in its window,
/// where they are shown from now on.
PeerSide peer_side(const gpu::Gpu& by, gpu::Gpu& other, Bytes offset, Bytes n);

/// Whether they do, before the run: bytes that are reached on the bus are shown in the window. `otherwise` is what does
/// without peer access, in brackets, for the message. Throws config::ConfigError at /scenario if there is not so much,
/// the window does not show so much, or the packets of `by` do not come there: GPUs below different root complexes.
void check_peer(const gpu::Gpu& by, gpu::Gpu& other, Bytes offset, Bytes n, const std::string& otherwise);

/// Throws config::ConfigError at /scenario if NVLink does not lead from `by` to `other`, and packets on the bus do not
/// come to the window of `other`.
void check_reach(const gpu::Gpu& by, const gpu::Gpu& other, const std::string& otherwise);

}  // namespace tsunagi::libraries
