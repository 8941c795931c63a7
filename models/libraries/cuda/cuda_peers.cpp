// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/cuda/cuda_peers.hpp"

#include "config/error_at.hpp"
#include "models/host/root_complex.hpp"
#include "models/libraries/reach.hpp"
#include "units/parse.hpp"

namespace tsunagi::libraries {

namespace {

void refuse_peers(const std::string& why) {
  if (!why.empty()) throw config::error_at("/scenario", why);
}

}  // namespace

std::uint64_t peer_window(const gpu::Gpu& by, gpu::Gpu& other, Bytes offset, Bytes n, const std::string& otherwise) {
  if (offset + n > other.config().bar_size)
    refuse_peers(to_string(offset + n) + " of " + other.name() + " are to be reached, but its window shows " +
           to_string(other.config().bar_size));
  check_peers(by, other, otherwise);
  return other.pin(offset, n);  // while a window that is full is still an error of the config
}

void check_peers(const gpu::Gpu& by, const gpu::Gpu& other, const std::string& otherwise) {
  const gpu::GpuConfig& there = other.config();
  const host::RootComplex* rc = host::root_complex_above(by);
  if (rc == nullptr) refuse_peers(by.name() + " is below no root complex");
  if (const std::string why = rc->peer_refusal(by, Address::at(there.bar_base)); !why.empty())
    refuse_peers("no peer access" + otherwise + ": " + why);
  const net::Port& out = by.ports().front();
  refuse_peers(reach_refusal(out, unsigned_of(there.bar_base), other, out.max_payload()));
}

}  // namespace tsunagi::libraries
