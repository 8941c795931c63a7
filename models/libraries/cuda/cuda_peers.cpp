// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/cuda/cuda_peers.hpp"

#include "config/error_at.hpp"
#include "models/host/root_complex.hpp"
#include "models/libraries/reach.hpp"
#include "units/parse.hpp"

namespace tsunagi::libraries {

const nvlink::Behind* nvlink_between(const gpu::Gpu& by, const gpu::Gpu& other) {
  return by.nvlink() == nullptr ? nullptr : by.nvlink()->way_to(other);
}

PeerSide peer_side(const gpu::Gpu& by, gpu::Gpu& other, Bytes offset, Bytes n) {
  if (nvlink_between(by, other) != nullptr)
    return {gpu::Aperture::nvlink, unsigned_of(other.config().bar_base + offset)};
  return {gpu::Aperture::peer, other.pin(offset, n)};
}

namespace {

void refuse_peer(const std::string& why) {
  if (!why.empty()) throw config::error_at("/scenario", why);
}

}  // namespace

void check_peer(const gpu::Gpu& by, gpu::Gpu& other, Bytes offset, Bytes n, const std::string& otherwise) {
  const gpu::GpuConfig& there = other.config();
  if (nvlink_between(by, other) != nullptr) {
    if (offset + n > there.memory_size)
      refuse_peer(to_string(offset + n) + " of " + other.name() + ", which has " + to_string(there.memory_size));
    return;
  }
  if (offset + n > there.bar_size)
    refuse_peer(to_string(offset + n) + " of " + other.name() + " are to be reached, but its window shows " +
                to_string(there.bar_size));
  check_reach(by, other, otherwise);
  other.pin(offset, n);  // while a window that is full is still an error of the config
}

void check_reach(const gpu::Gpu& by, const gpu::Gpu& other, const std::string& otherwise) {
  if (nvlink_between(by, other) != nullptr) return;
  const gpu::GpuConfig& there = other.config();
  const host::RootComplex* rc = host::root_complex_above(by);
  if (rc == nullptr) refuse_peer(by.name() + " is below no root complex");
  if (const std::string why = rc->peer_refusal(by, Address::at(there.bar_base)); !why.empty())
    refuse_peer("no peer access" + otherwise + ": " + why);
  const net::Port& out = by.ports().front();
  refuse_peer(reach_refusal(out, unsigned_of(there.bar_base), other, out.max_payload()));
}

}  // namespace tsunagi::libraries
