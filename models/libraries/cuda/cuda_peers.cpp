// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/cuda/cuda_peers.hpp"

#include "config/error_at.hpp"
#include "models/host/root_complex.hpp"
#include "models/libraries/reach.hpp"
#include "units/parse.hpp"

namespace tsunagi::libraries {

std::uint64_t peer_window(const gpu::Gpu& by, gpu::Gpu& other, Bytes offset, Bytes n, const std::string& otherwise) {
  const auto refuse = [](const std::string& why) {
    if (!why.empty()) throw config::error_at("/scenario", why);
  };
  const gpu::GpuConfig& there = other.config();
  if (offset + n > there.bar_size)
    refuse(to_string(offset + n) + " of " + other.name() + " are to be reached, but its window shows " +
           to_string(there.bar_size));
  const host::RootComplex* rc = host::root_complex_above(by);
  if (rc == nullptr) refuse(by.name() + " is below no root complex");
  if (const std::string why = rc->peer_refusal(by, Address::at(there.bar_base)); !why.empty())
    refuse("no peer access" + otherwise + ": " + why);
  const net::Port& out = by.ports().front();
  refuse(reach_refusal(out, unsigned_of(there.bar_base), other, out.max_payload()));
  return other.pin(offset, n);  // while a window that is full is still an error of the config
}

}  // namespace tsunagi::libraries
