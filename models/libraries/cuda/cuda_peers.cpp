// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/cuda/cuda_peers.hpp"

#include "config/error_at.hpp"
#include "models/host/root_complex.hpp"
#include "models/libraries/reach.hpp"
#include "units/parse.hpp"

namespace tsunagi::libraries {

void open_peer(const gpu::Gpu& from, gpu::Gpu& to, Bytes offset, Bytes size, const std::string& otherwise) {
  const auto refuse = [](const std::string& why) {
    if (!why.empty()) throw config::error_at("/scenario", why);
  };
  const gpu::GpuConfig& there = to.config();
  if (offset + size > there.bar_size)
    refuse(to_string(offset + size) + " are to be written to " + to.name() + ", but its window shows " +
           to_string(there.bar_size));
  const host::RootComplex* rc = host::root_complex_above(from);
  if (rc == nullptr) return refuse(from.name() + " is below no root complex");
  if (const std::string why = rc->peer_refusal(from, Address::at(there.bar_base)); !why.empty())
    refuse("no peer access" + otherwise + ": " + why);
  const net::Port& out = from.ports().front();
  refuse(reach_refusal(out, unsigned_of(there.bar_base), to, out.max_payload()));
  to.pin(offset, size);  // while a window that is full is still an error of the config
}

}  // namespace tsunagi::libraries
