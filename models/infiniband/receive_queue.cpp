// SPDX-License-Identifier: Apache-2.0
#include "models/infiniband/receive_queue.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tsunagi::infiniband {

void CompletionQueue::push(CardParts& parts, int writer, const Completion& c, const net::Cause& by) {
  const auto bytes = encode(c, memory_.odd(next_));
  dma::Port::Write w;
  w.address = memory_.at(next_++);
  w.size = Completion::size;
  w.contents.add(parts.pool.contents(), Bytes::zero(), {bytes.data(), bytes.size()});
  parts.host.write(writer, std::move(w),
                   {std::max(by.when, parts.card.simulation().now()), by, net::Stage::pipeline, "completion"});
}

void ReceiveQueue::fetch(User& user, const net::Cause& why) {
  const bool under_way = !waiting_.empty();
  waiting_.push_back(&user);
  if (under_way) return;
  const std::int64_t n = std::min(memory_.left(next_), std::max<std::int64_t>(parts_.request_fetch / memory_.entry, 1));
  parts_.host.read(*this, static_cast<std::uint64_t>(n), memory_.at(next_), memory_.entry * n,
                   {std::max(why.when, parts_.card.simulation().now()), why, net::Stage::pipeline, "receive wanted"});
}

void ReceiveQueue::data_came(std::uint64_t token, flow::Contents bytes, net::Cause last) {
  for (std::int64_t i = 0; bytes && i < static_cast<std::int64_t>(token); ++i) {
    std::array<std::uint8_t, 16> entry{};
    bytes.copy(memory_.entry * i, ReceiveRequest::size, entry.data());
    Taken t;
    if (!decode(entry.data(), memory_.odd(next_), t.what)) break;
    t.index = static_cast<std::uint16_t>(next_++);
    t.since = last;
    fetched_.push_back(t);
  }
  std::vector<User*> users = std::exchange(waiting_, {});
  const bool any = !fetched_.empty();
  for (User* u : users) u->receives_fetched(last, any);
}

}  // namespace tsunagi::infiniband
