// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/pcie/tlp.hpp"
#include "net/device.hpp"

namespace tsunagi::gpu {

/// The release of a semaphore, a posted write of 4 B to host memory that is built from what `since` says to `at`;
/// `what`, a literal, names that for observers.
inline net::Delivery release_of(const net::Device& gpu, flow::PacketPool& pool, std::uint64_t semaphore,
                                std::uint32_t payload, net::Cause since, Time at, const char* what) {
  net::Delivery d = gpu.begin(pcie::memory_write(pool, semaphore, 4_B), {at, since, net::Stage::pipeline, what}, at);
  d.packet->say_last(payload);
  return d;
}

}  // namespace tsunagi::gpu
