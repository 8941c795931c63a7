// SPDX-License-Identifier: Apache-2.0
#include "net/sending/send_queues.hpp"

#include <algorithm>
#include <utility>

namespace tsunagi::net {

namespace {

int lowest_bit(std::uint64_t bits) { return __builtin_ctzll(bits); }

}  // namespace

SendQueues::SendQueues(int sources, int classes) {
  while (1 << shift_ < classes) ++shift_;
  keys_ = static_cast<std::uint32_t>(sources) << shift_;
}

SendQueues::Store& SendQueues::store() {
  if (store_ != nullptr) return *store_;
  store_ = std::make_unique<Store>();
  store_->pages.resize((keys_ + width - 1) / width);
  store_->class_mask = shift_ == 6 ? ~std::uint64_t{0} : (std::uint64_t{1} << (1u << shift_)) - 1;
  return *store_;
}

std::uint64_t SendQueues::take_orders(std::uint64_t n) {
  Store& s = store();
  s.orders += n;
  return s.orders - n + 1;
}

SendQueues::Page& SendQueues::make_page(std::uint32_t key) {
  auto& page = store().pages[key / width];
  if (!page) page = store_->spare ? std::move(store_->spare) : std::make_unique<Page>();
  return *page;
}

bool SendQueues::join(Waiting& last, Delivery& d) {
  flow::Packet& p = *last.delivery.packet;
  const auto together = static_cast<std::size_t>(p.count) + d.schedule.size();
  if (together > Schedule::longest || !p.continues_with(*d.packet) || !last.delivery.slot.absorb(d.slot)) return false;
  Schedule& s = last.delivery.schedule;
  if (last.first > 0) s.drop_front(last.first);
  last.first = 0;
  s.reserve(together);
  for (const Span& span : d.schedule) s.push_back(span);
  if (d.packet->contents) {
    d.packet->contents.shift(p.total_payload());
    p.contents = std::move(d.packet->contents);
  }
  p.count += d.packet->count;
  p.last_payload = d.packet->last_payload;
  return true;
}

bool SendQueues::came_with_other(int source, flow::FlowClass c, const Waiting& last, const Delivery& d) const {
  for (std::uint64_t bits = busy_classes(source) & ~(std::uint64_t{1} << c); bits != 0; bits &= bits - 1) {
    const Waiting& w = store_->nodes[queue(source, static_cast<flow::FlowClass>(lowest_bit(bits))).back].waiting;
    if (w.order > last.order && w.delivery.schedule.back().head == d.schedule.front().head) return true;
  }
  return false;
}

bool SendQueues::push(int source, flow::FlowClass c, Delivery&& d) {
  if (!empty(source, c)) {
    Waiting& last = store_->nodes[queue(source, c).back].waiting;
    if (last.more == nullptr && !came_with_other(source, c, last, d) && join(last, d)) return false;
  }
  push(source, c, std::move(d), nullptr, take_orders(1));
  return true;
}

void SendQueues::push(int source, flow::FlowClass c, Delivery&& d, Supply* more, std::uint64_t order) {
  const std::uint32_t k = key(source, c);
  Page& page = make_page(k);
  Queue& q = page.queues[k % width];
  const std::uint64_t bit = std::uint64_t{1} << (k % width);
  Store& s = *store_;
  const bool held = (page.busy & bit) != 0;
  std::uint32_t n = s.free;
  if (n == no_node) {
    n = static_cast<std::uint32_t>(s.nodes.size());
    s.nodes.push_back({{std::move(d), order, 0, 0, more}, no_node});
  } else {
    Node& node = s.nodes[n];
    s.free = node.next;
    node.waiting.delivery = std::move(d);
    node.waiting.order = order;
    node.waiting.first = 0;
    node.waiting.granted = 0;
    node.waiting.more = more;
    node.next = no_node;
  }
  if (held) {
    s.nodes[q.back].next = n;
  } else {
    q.front = n;
    page.busy |= bit;
    ++busy_;
  }
  q.back = n;
}

void SendQueues::pop(int source, flow::FlowClass c) {
  const std::uint32_t k = key(source, c);
  Store& s = *store_;
  Page& page = *s.pages[k / width];
  Queue& q = page.queues[k % width];
  Node& node = s.nodes[q.front];
  if (Supply::Next next; node.waiting.more != nullptr && node.waiting.more->next(c, next)) {
    node.waiting.delivery = std::move(next.delivery);
    node.waiting.order += next.later;
    node.waiting.first = 0;
    node.waiting.granted = 0;
    return;
  }
  const std::uint32_t gone = q.front;
  if (q.front == q.back) {
    page.busy &= ~(std::uint64_t{1} << (k % width));
    --busy_;
  }
  q.front = node.next;
  node.next = s.free;
  s.free = gone;
  if (page.busy == 0 && s.pages.size() > 1) s.spare = std::move(s.pages[k / width]);
  // What it still holds is given back; whoever gets it may push.
  const Delivery dropped = std::move(node.waiting.delivery);
}

void SendQueues::abandon() {
  if (store_ == nullptr) return;
  for (Node& node : store_->nodes) node.waiting.delivery.slot.abandon();
  store_.reset();
  busy_ = 0;
}

int SendQueues::next_source(int source) const {
  const auto& pages = store_->pages;
  std::uint32_t k = key(source, 0) + (1u << shift_);
  if (k >= keys_) k = 0;
  std::uint32_t page = k / width;
  std::uint64_t bits = pages[page] ? pages[page]->busy & (~std::uint64_t{0} << (k % width)) : 0;
  while (bits == 0) {
    if (++page == pages.size()) page = 0;
    bits = pages[page] ? pages[page]->busy : 0;
  }
  return static_cast<int>((page * width + static_cast<std::uint32_t>(lowest_bit(bits))) >> shift_);
}

Time SendQueues::earliest_ready(Time enough) const {
  Time t = Time::max();
  if (busy_ == 0) return t;
  for (const auto& page : store_->pages) {
    if (!page) continue;
    for (std::uint64_t bits = page->busy; bits != 0; bits &= bits - 1) {
      t = std::min(t, store_->nodes[page->queues[lowest_bit(bits)].front].waiting.next().head);
      if (t <= enough) return t;
    }
  }
  return t;
}

}  // namespace tsunagi::net
