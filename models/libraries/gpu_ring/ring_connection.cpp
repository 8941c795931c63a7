// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/gpu_ring/ring_connection.hpp"

#include "config/error_at.hpp"
#include "models/libraries/cuda/cuda_peers.hpp"
#include "units/parse.hpp"

namespace tsunagi::libraries {

namespace {

constexpr Bytes word_size{128};  // a line of its own, so that nobody else's stores touch what is polled

}  // namespace

std::uint64_t RingMemory::take(Bytes n) {
  const Bytes page = gpu_->config().page_size;
  const Bytes whole = page * units_of(n, page);
  if (whole > end_)
    throw config::error_at("/library", gpu_->name() + " has no memory left for buffers of " + to_string(n));
  end_ -= whole;
  return unsigned_of(end_);
}

std::uint64_t RingMemory::window(const RingMemory& peer, std::uint64_t offset, Bytes n) {
  return peer_side(peer.gpu(), *gpu_, Bytes(static_cast<std::int64_t>(offset)), n).address;
}

RingConnection make_connection(const RingConfig& r, RingProtocol p, int from, int to, RingMemory& of_sender,
                               RingMemory& of_receiver) {
  RingConnection c;
  c.from = from;
  c.to = to;
  c.steps = r.steps;
  c.slot = Bytes(r.of(p).buffer.count() / r.steps / 128 * 128);
  if (nvlink_between(of_sender.gpu(), of_receiver.gpu()) != nullptr)
    c.in_order = of_sender.gpu().config().nvlink.interleave;
  c.contents.resize(static_cast<std::size_t>(r.steps));
  const Bytes all = c.slot * r.steps;
  c.buffer = of_receiver.take(all + word_size);
  c.buffer_window = of_receiver.window(of_sender, c.buffer, all + word_size);
  c.tail = c.buffer + unsigned_of(all);
  c.tail_window = c.buffer_window + unsigned_of(all);
  c.head = of_sender.take(word_size);
  c.head_window = of_sender.window(of_receiver, c.head, word_size);
  return c;
}

}  // namespace tsunagi::libraries
