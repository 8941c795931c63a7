// SPDX-License-Identifier: Apache-2.0
#include "explain/message.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "units/parse.hpp"

namespace tsunagi::explain {
namespace {

bool fits(const comm::Call& c, const Wanted& wanted) {
  return c.kind == comm::Call::Kind::receive && (!wanted.size || c.size == *wanted.size) &&
         (wanted.method.empty() || c.method == wanted.method);
}

const comm::Call* send_of(const History& history, const NumberedCall& receive) {
  const comm::Call& r = receive.call;
  for (const NumberedCall& n : history.calls()) {
    const comm::Call& c = n.call;
    if (r.message != 0 || c.message != 0) {
      if (c.kind == comm::Call::Kind::send && c.message == r.message) return &c;
      continue;
    }
    if (c.kind == comm::Call::Kind::send && n.number == receive.number && c.rank == r.peer && c.peer == r.rank &&
        c.size == r.size && c.method == r.method)
      return &c;
  }
  return nullptr;
}

std::uint64_t last_item_before(const History& history, const std::string& place, Time t) {
  const std::uint64_t item = last_item(history, place, t);
  if (item == 0) throw std::runtime_error(fmt::format("nothing happened at {} before {}", place, to_string(t)));
  return item;
}

std::string describe(const Wanted& wanted) {
  std::string text = "message";
  if (wanted.size) text += " of " + to_string(*wanted.size);
  if (!wanted.method.empty()) text += " by " + wanted.method;
  return text;
}

}  // namespace

std::uint64_t last_item(const History& history, const std::string& place, Time t) {
  std::uint64_t item = 0;
  Time end;
  for (const net::StageEvent& e : history.stages()) {
    if (e.end > t || e.end < end || e.place != place) continue;
    item = e.item;
    end = e.end;
  }
  for (std::uint32_t c = 0; c < history.channels().size(); ++c) {
    if (history.channels()[c].to_device != place) continue;
    for (const net::Hop* h : history.hops_on(c)) {
      if (h->arrived.tail > t || h->arrived.tail <= end) continue;
      item = h->item;
      end = h->arrived.tail;
    }
  }
  return item;
}

Message last_message(const History& history, const Where& where, const Wanted& wanted) {
  const auto& calls = history.calls();
  bool forgotten = false;
  for (auto c = calls.rbegin(); c != calls.rend() && !forgotten; ++c) {
    if (!fits(c->call, wanted)) continue;
    const comm::Call* send = send_of(history, *c);
    if (send == nullptr) {
      // Dropped, or, while nothing was, a send that has not returned.
      forgotten = history.complete_since() > Time::zero();
      continue;
    }
    forgotten = history.complete_since() > send->begin;
    if (!forgotten) return {*send, c->call, last_item_before(history, where(c->call.rank), c->call.end)};
  }
  if (forgotten)
    throw std::runtime_error(
        fmt::format("the message has too many events to explain: only the last {} are kept; "
                    "choose a smaller message with --size",
                    history.limit()));
  throw std::runtime_error(fmt::format("no {} was received: there is nothing to explain", describe(wanted)));
}

}  // namespace tsunagi::explain
