// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "flow/framing.hpp"
#include "net/slot.hpp"
#include "net/supply.hpp"

namespace tsunagi::net {

/// What waits at the head of a queue, or behind it: a train, of which some packets may have gone.
struct Waiting {
  Delivery delivery;
  std::uint64_t order = 0;   // in which it came to the port
  std::size_t first = 0;     // packets before this one of the schedule have gone
  std::int32_t granted = 0;  // packets of the train that have been granted and are still here
  Supply* more = nullptr;    // what follows it in its place
  const Span& next() const { return delivery.schedule[first + static_cast<std::size_t>(granted)]; }
  Bytes next_payload() const { return delivery.packet->payload_of(granted); }
  /// Its next packet came before `o`'s: a packet of a train counts from when it is there itself.
  bool before(const Waiting& o) const {
    return next().head != o.next().head ? next().head < o.next().head : order < o.order;
  }
};

/// What waits at a port for its wire: a FIFO for each flow class of each source. Asks nothing of queues that hold
/// nothing, and takes memory for what waits, not for what could: a port of a switch may have thousands of sources.
class SendQueues {
 public:
  /// `sources` >= 1; `classes` 1 .. 64.
  SendQueues(int sources, int classes);

  /// Queues that hold anything.
  int busy() const { return busy_; }
  /// The classes of a source that hold anything, a bit each.
  std::uint64_t busy_classes(int source) const {
    if (busy_ == 0) return 0;
    const Page* page = store_->page(key(source, 0) / width);
    return page == nullptr ? 0 : page->busy >> (key(source, 0) % width) & store_->class_mask;
  }
  bool empty(int source, flow::FlowClass c) const { return (busy_classes(source) >> c & 1) == 0; }
  /// The head of a queue that holds anything; good until something is pushed or popped.
  Waiting& front(int source, flow::FlowClass c) { return store_->node(queue(source, c).front).waiting; }
  const Waiting& front(int source, flow::FlowClass c) const { return store_->node(queue(source, c).front).waiting; }

  /// Queues `d`, or joins it to the train at the end of the queue if it is the next piece of that (false then).
  bool push(int source, flow::FlowClass c, Delivery&& d);
  /// Queues `d`, and in its place, as it goes, what follows it. `order`: of those taken.
  void push(int source, flow::FlowClass c, Delivery&& d, Supply* more, std::uint64_t order);
  /// Takes the next `n` places in the order of comings; returns the first.
  std::uint64_t take_orders(std::uint64_t n);
  /// The head of a queue has gone. Its packet is either still there, and goes back with its slot, or has been taken,
  /// and so has its slot.
  void pop(int source, flow::FlowClass c);
  /// Takes everything away without giving buffer space back.
  void abandon();

  /// The class of a source's packet that came first, of those at the heads; not without any.
  flow::FlowClass oldest_class(int source) const {
    std::uint64_t bits = busy_classes(source);
    auto oldest = static_cast<flow::FlowClass>(__builtin_ctzll(bits));
    for (bits &= bits - 1; bits != 0; bits &= bits - 1) {
      const auto c = static_cast<flow::FlowClass>(__builtin_ctzll(bits));
      if (front(source, c).before(front(source, oldest))) oldest = c;
    }
    return oldest;
  }
  /// The next source that holds anything after `source`, round and round: `source` itself comes last. Not without any.
  int next_source(int source) const;
  /// Whether any head of a source is ready by `t`.
  bool has_ready(int source, Time t) const {
    for (std::uint64_t bits = busy_classes(source); bits != 0; bits &= bits - 1)
      if (front(source, static_cast<flow::FlowClass>(__builtin_ctzll(bits))).next().head <= t) return true;
    return false;
  }
  /// When the first of those at the heads is ready; not looked for any further once one is by `enough`. Max: none
  /// waits.
  Time earliest_ready(Time enough) const;

 private:
  struct Store;
  static constexpr std::uint32_t width = 64;  // queues of a page, bits of a word
  struct Queue {
    std::uint32_t front;
    std::uint32_t back;
  };
  struct Page {
    std::uint64_t busy = 0;
    Queue queues[width];
  };
  struct alignas(64) Node {  // two lines of the cache, not three
    Waiting waiting;
    std::uint32_t next;
  };
  /// A source's classes lie within one page.
  std::uint32_t key(int source, flow::FlowClass c) const { return static_cast<std::uint32_t>(source) << shift_ | c; }
  const Queue& queue(int source, flow::FlowClass c) const {
    return store_->page(key(source, c) / width)->queues[key(source, c) % width];
  }
  std::uint32_t page_count() const { return (keys_ + width - 1) / width; }
  std::uint64_t busy_of(std::uint32_t page) const {
    const Page* p = store_->page(page);
    return p == nullptr ? 0 : p->busy;
  }
  Store& store();
  Page& make_page(std::uint32_t key);
  static bool join(Waiting& last, Delivery& d);
  /// Puts what follows the head of a queue of class `c`, which has gone, into its place; false: nothing does.
  static bool refill(Waiting& head, flow::FlowClass c);
  /// A packet of another class of the source came after `last`, and at the same time as `d`: then it goes by `order`.
  bool came_with_other(int source, flow::FlowClass c, const Waiting& last, const Delivery& d) const;

  static constexpr std::uint32_t no_node = 0xffffffffu;
  /// What nearly every port needs lies together: a port's packets meet it cold in a large machine, and each line that
  /// is found by way of another one is waited for.
  struct Store {
    std::uint64_t class_mask;  // of one source
    std::uint64_t orders = 0;
    std::uint32_t free = no_node;  // first node of those that hold nothing
    std::uint32_t made = 0;        // nodes
    Page first;
    static constexpr std::uint32_t near_nodes = 2;
    Node near[near_nodes];
    std::vector<Node> far;                     // the others
    std::vector<std::unique_ptr<Page>> pages;  // behind the first one
    std::unique_ptr<Page> spare;               // the last page that went empty, for the next that is needed

    Page* page(std::uint32_t i) { return i == 0 ? &first : pages[i - 1].get(); }
    Node& node(std::uint32_t i) { return i < near_nodes ? near[i] : far[i - near_nodes]; }
    std::uint32_t make_node();
  };
  std::uint32_t keys_;
  int busy_ = 0;
  std::uint8_t shift_ = 0;        // of a source in a key
  std::unique_ptr<Store> store_;  // once anything has waited
};

}  // namespace tsunagi::net
