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
  store_->pages.resize((keys_ + width - 1) / width - 1);
  store_->class_mask = shift_ == 6 ? ~std::uint64_t{0} : (std::uint64_t{1} << (1u << shift_)) - 1;
  return *store_;
}

std::uint64_t SendQueues::take_orders(std::uint64_t n) {
  Store& s = store();
  s.orders += n;
  return s.orders - n + 1;
}

std::uint32_t SendQueues::Store::make_node() {
  if (free != no_node) {
    const std::uint32_t n = free;
    free = node(n).next;
    return n;
  }
  if (made >= near_nodes) far.emplace_back();
  return made++;
}

SendQueues::Page& SendQueues::make_page(std::uint32_t key) {
  Store& s = store();
  if (key < width) return s.first;
  auto& page = s.pages[key / width - 1];
  if (!page) page = s.spare ? std::move(s.spare) : std::make_unique<Page>();
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
    const Waiting& w = store_->node(queue(source, static_cast<flow::FlowClass>(lowest_bit(bits))).back).waiting;
    if (w.order > last.order && w.delivery.schedule.back().head == d.schedule.front().head) return true;
  }
  return false;
}

bool SendQueues::push(int source, flow::FlowClass c, Delivery&& d) {
  if (!empty(source, c)) {
    Waiting& last = store_->node(queue(source, c).back).waiting;
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
  const std::uint32_t n = s.make_node();
  Node& node = s.node(n);
  node.waiting.delivery = std::move(d);
  node.waiting.order = order;
  node.waiting.first = 0;
  node.waiting.granted = 0;
  node.waiting.more = more;
  node.next = no_node;
  if (held) {
    s.node(q.back).next = n;
  } else {
    q.front = n;
    page.busy |= bit;
    ++busy_;
  }
  q.back = n;
}

bool SendQueues::refill(Waiting& head, flow::FlowClass c) {
  Supply::Next next;
  if (!head.more->next(c, next)) return false;
  head.delivery = std::move(next.delivery);
  head.order += next.later;
  head.first = 0;
  head.granted = 0;
  return true;
}

void SendQueues::pop(int source, flow::FlowClass c) {
  const std::uint32_t k = key(source, c);
  Store& s = *store_;
  Page& page = *s.page(k / width);
  Queue& q = page.queues[k % width];
  Node& node = s.node(q.front);
  if (node.waiting.more != nullptr && refill(node.waiting, c)) return;
  const std::uint32_t gone = q.front;
  if (q.front == q.back) {
    page.busy &= ~(std::uint64_t{1} << (k % width));
    --busy_;
  }
  q.front = node.next;
  node.next = s.free;
  s.free = gone;
  if (page.busy == 0 && k >= width) s.spare = std::move(s.pages[k / width - 1]);
  Delivery& left = node.waiting.delivery;
  if (left.packet == nullptr) return left.schedule.reset();
  // What it still holds is given back; whoever gets it may push.
  const Delivery dropped = std::move(left);
}

void SendQueues::abandon() {
  if (store_ == nullptr) return;
  for (std::uint32_t n = 0; n < store_->made; ++n) store_->node(n).waiting.delivery.slot.abandon();
  store_.reset();
  busy_ = 0;
}

int SendQueues::next_source(int source) const {
  const std::uint32_t pages = page_count();
  std::uint32_t k = key(source, 0) + (1u << shift_);
  if (k >= keys_) k = 0;
  std::uint32_t page = k / width;
  std::uint64_t bits = busy_of(page) & (~std::uint64_t{0} << (k % width));
  while (bits == 0) {
    if (++page == pages) page = 0;
    bits = busy_of(page);
  }
  return static_cast<int>((page * width + static_cast<std::uint32_t>(lowest_bit(bits))) >> shift_);
}

Time SendQueues::earliest_ready(Time enough) const {
  Time t = Time::max();
  if (busy_ == 0) return t;
  for (std::uint32_t page = 0; page < page_count(); ++page)
    for (std::uint64_t bits = busy_of(page); bits != 0; bits &= bits - 1) {
      t = std::min(t, store_->node(store_->page(page)->queues[lowest_bit(bits)].front).waiting.next().head);
      if (t <= enough) return t;
    }
  return t;
}

}  // namespace tsunagi::net
