// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "net/sending/send_queues.hpp"
#include "support/catch.hpp"
#include "units/parse.hpp"

namespace net_send_queues_test {

using namespace tsunagi;
using net::SendQueues;

class Fixture {
 public:
  net::Delivery delivery(std::int64_t ns, int count = 1) {
    net::Delivery d;
    d.packet = pool_.make();
    d.packet->set_train(count, Bytes(64), Bytes(64));
    d.packet->address = 4096 * ++made_;  // no piece of another
    for (int i = 0; i < count; ++i) d.schedule.push_back({Time::from_fs(ns), Time::from_fs(ns)});
    return d;
  }
  flow::PacketPool& pool() { return pool_; }

 private:
  flow::PacketPool pool_;
  std::uint64_t made_ = 0;
};

TEST_CASE("a train takes over what the piece that joins it says") {
  Fixture make;
  SendQueues q(1, 1);
  net::Delivery whole = make.delivery(1, 4);
  whole.packet->say(140_B, flow::WordBytes(42));
  net::Delivery first;
  first.packet = flow::PacketPool::split_front(*whole.packet, 2);
  net::Delivery second;
  second.packet = std::move(whole.packet);
  for (int i = 0; i < 2; ++i) {
    first.schedule.push_back(whole.schedule[0]);
    second.schedule.push_back(whole.schedule[0]);
  }
  CHECK(second.packet->contents.offset() == 12_B);
  CHECK(q.push(0, 0, std::move(first)));
  CHECK_FALSE(q.push(0, 0, std::move(second)));
  const flow::Packet& joined = *q.front(0, 0).delivery.packet;
  CHECK(joined.count == 4);
  CHECK(joined.contents.word(140_B) == 42);
  q.pop(0, 0);
  CHECK(make.pool().contents().outstanding() == 0);
}

TEST_CASE("queues hold what came, by source and class, in its order, and tell who is next, as lists would") {
  for (const auto& [sources, classes] : std::vector<std::pair<int, int>>{{1, 1}, {7, 2}, {33, 3}, {200, 1}, {5, 64}}) {
    Fixture make;
    SendQueues q(sources, classes);
    std::map<std::pair<int, int>, std::deque<std::uint64_t>> model;
    std::mt19937 dice(static_cast<unsigned>(sources * 100 + classes));
    CHECK(q.busy() == 0);
    for (int step = 0; step < 600; ++step) {
      const int source = static_cast<int>(dice() % static_cast<unsigned>(sources));
      const auto c = static_cast<flow::FlowClass>(dice() % static_cast<unsigned>(classes));
      auto& list = model[{source, c}];
      REQUIRE(q.empty(source, c) == list.empty());
      if (dice() % 100 < (step % 200 < 120 ? 60u : 30u)) {
        net::Delivery d = make.delivery(static_cast<std::int64_t>(dice() % 1000));
        list.push_back(d.packet->id);
        CHECK(q.push(source, c, std::move(d)));
      } else if (!list.empty()) {
        REQUIRE(q.front(source, c).delivery.packet->id == list.front());
        list.pop_front();
        q.pop(source, c);
      }
      int busy = 0;
      std::vector<int> sources_busy;
      for (const auto& [key, l] : model) {
        if (l.empty()) continue;
        ++busy;
        if (sources_busy.empty() || sources_busy.back() != key.first) sources_busy.push_back(key.first);
        REQUIRE((q.busy_classes(key.first) >> key.second & 1) == 1);
      }
      REQUIRE(q.busy() == busy);
      if (busy == 0) continue;
      const int last = static_cast<int>(dice() % static_cast<unsigned>(sources));
      int expected = sources_busy.front();
      for (const int s : sources_busy)
        if (s > last) {
          expected = s;
          break;
        }
      REQUIRE(q.next_source(last) == expected);
    }
    const std::int64_t left = make.pool().outstanding();
    CHECK(left == static_cast<std::int64_t>([&] {
            std::size_t n = 0;
            for (const auto& [key, l] : model) n += l.size();
            return n;
          }()));
  }
}

TEST_CASE("the earliest of the heads, not looked for any further once one is early enough") {
  Fixture make;
  SendQueues q(100, 1);
  CHECK(q.earliest_ready(Time::zero()) == Time::max());
  q.push(3, 0, make.delivery(50));
  q.push(80, 0, make.delivery(20));
  q.push(80, 0, make.delivery(5));  // behind
  CHECK(q.earliest_ready(Time::zero()) == Time::from_fs(20));
  CHECK(q.earliest_ready(Time::from_fs(60)) == Time::from_fs(50));
  CHECK(q.has_ready(3, Time::from_fs(50)));
  CHECK_FALSE(q.has_ready(3, Time::from_fs(49)));
  CHECK_FALSE(q.has_ready(4, Time::from_fs(1000)));
}

TEST_CASE("the next piece of a train joins what waits of it, but not what has been taken") {
  Fixture make;
  SendQueues q(1, 1);
  net::Delivery whole = make.delivery(10, 5);
  net::Delivery rest;
  rest.packet = flow::PacketPool::split_front(*whole.packet, 3);
  std::swap(rest.packet, whole.packet);  // whole: the first three
  for (int i = 3; i < 5; ++i) rest.schedule.push_back({Time::from_fs(20), Time::from_fs(20)});
  net::Schedule three;
  for (int i = 0; i < 3; ++i) three.push_back({Time::from_fs(10), Time::from_fs(10)});
  whole.schedule = std::move(three);
  CHECK(q.push(0, 0, std::move(whole)));
  q.front(0, 0).first = 1;  // one has gone
  q.front(0, 0).delivery.packet->count = 2;
  q.front(0, 0).delivery.packet->address += 64;
  CHECK_FALSE(q.push(0, 0, std::move(rest)));
  CHECK(q.busy() == 1);
  const net::Waiting& w = q.front(0, 0);
  CHECK(w.delivery.packet->count == 4);
  REQUIRE(w.delivery.schedule.size() == 4);
  CHECK(w.next().head == Time::from_fs(10));
  CHECK(w.delivery.schedule[2].head == Time::from_fs(20));
}

namespace {

/// So many more deliveries, each so much later in the order than the one before.
struct More final : net::Supply {
  More(Fixture& f, int n, std::uint64_t l) : make(f), left(n), later(l) {}
  bool next(flow::FlowClass, Next& next) override {
    ++asked;
    if (left == 0) return false;
    --left;
    next.delivery = make.delivery(7);
    next.later = later;
    return true;
  }
  Fixture& make;
  int left;
  std::uint64_t later;
  int asked = 0;
};

}  // namespace

TEST_CASE("what follows a delivery takes its place when it goes, in the order of its own coming") {
  Fixture make;
  SendQueues q(1, 2);
  More more(make, 2, 3);
  const std::uint64_t first = q.take_orders(10);
  q.push(0, 0, make.delivery(7), &more, first);
  q.push(0, 0, make.delivery(7));  // behind all of it
  q.push(0, 1, make.delivery(7));
  const std::uint64_t behind = q.front(0, 1).order;
  CHECK(behind > first + 9);
  CHECK(make.pool().outstanding() == 3);
  for (std::uint64_t i = 0; i < 3; ++i) {
    CHECK(q.front(0, 0).order == first + 3 * i);
    CHECK(q.front(0, 0).before(q.front(0, 1)));
    CHECK(make.pool().outstanding() == 3);
    CHECK(q.busy() == 2);
    q.pop(0, 0);
  }
  CHECK(more.asked == 3);
  CHECK(q.front(0, 0).more == nullptr);
  CHECK(q.front(0, 0).order == behind - 1);
  q.pop(0, 0);
  CHECK(more.asked == 3);
  CHECK(q.busy() == 1);
}

TEST_CASE("nothing joins a delivery that more is to follow") {
  Fixture make;
  SendQueues q(1, 1);
  net::Delivery rest = make.delivery(10, 2);
  net::Delivery front;
  front.packet = flow::PacketPool::split_front(*rest.packet, 1);
  front.schedule = net::Schedule::at(Time::from_fs(10));
  rest.schedule = net::Schedule::at(Time::from_fs(10));
  More more(make, 1, 1);
  q.push(0, 0, std::move(front), &more, q.take_orders(2));
  CHECK(q.push(0, 0, std::move(rest)));
  CHECK(q.front(0, 0).delivery.packet->count == 1);
}

}  // namespace net_send_queues_test
