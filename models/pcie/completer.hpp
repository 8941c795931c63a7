// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/pcie/segmentation.hpp"
#include "models/pcie/tlp.hpp"
#include "net/device.hpp"

namespace tsunagi::pcie {

/// Hands `take` the completions of read `i` of train `request`, in order of address (Base Specification 2.3.1.1), as
/// next_completions cuts them: trains of up to `most` (>= 1), each when it has been made.
template <class Take>
void cut_completions(flow::PacketPool& pool, const flow::Packet& request, std::int32_t i, Bytes largest,
                     std::int64_t most, Take take) {
  std::uint64_t at = request.address + unsigned_of(request.stride * i);
  for (Bytes left(request.header<Tlp>().length); left > Bytes::zero();) {
    const flow::Pieces next = next_completions(largest, at, left, most);
    take(completion_with_data(pool, request, at, next.each, next.count));
    at += unsigned_of(next.total());
    left -= next.total();
  }
}

/// Answers reads of a card's memory by queue 0 of its port 0, in completions as large as the link lets them be
/// (largest_completion). Who asks it gives back the request's buffer space.
struct Completer {
  net::Device& card;
  flow::PacketPool& pool;
  std::int64_t max_train;  // completions that may travel as one

  /// Read `i` of train `request`, which takes the memory from `read` until all its data is there, at `there`. `fill` is
  /// called with each completion, or train of them, and puts in what it says.
  template <class Fill>
  void answer(const flow::Packet& request, std::int32_t i, Time read, Time there, Fill fill) {
    net::Port& port = card.ports().front();
    cut_completions(pool, request, i, largest_completion(port.max_payload()), max_train, [&](flow::PacketPtr p) {
      fill(*p);
      card.tell(p->id, request.id, net::Stage::memory, "read", read, there);
      net::Schedule when = net::Schedule::at(there, p->count);
      port.send(0, {std::move(p), std::move(when), {}});
    });
  }
};

}  // namespace tsunagi::pcie
