// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "net/shared_slot.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace net_shared_slot_test {

using namespace tsunagi;
using namespace tsunagi::net;

namespace {

/// Upstream: notes when what gets free.
struct Upstream final : SlotOwner {
  void slot_released(flow::FlowClass c, flow::Credits per_packet, Spans when, std::uint64_t) override {
    CHECK(c == 3);
    CHECK(per_packet == flow::Credits{1, 5});
    for (const Span& s : when) freed.push_back(s.tail);
  }
  Time slot_now() const override { return 0_ns; }
  std::vector<Time> freed;
};

using Times = std::vector<Time>;

Schedule schedule(const Times& times) {
  Schedule s;
  for (const Time t : times) s.push_back({t, t});
  return s;
}

}  // namespace

TEST_CASE("shared slot: space is given back once, when the last copy has left, at that copy's time") {
  sim::Agenda agenda;
  Upstream upstream;
  SharedSlots all(agenda);
  SharedSlot& shared = all.share(Slot(upstream, 3, {1, 5}, 1), 3, 1);
  Slot a = shared.copy(0), b = shared.copy(1), c = shared.copy(2);
  b.release(Schedule::at(7_ns));
  a.release(Schedule::at(90_ns));
  CHECK(upstream.freed.empty());
  CHECK(!all.empty());
  c.release(Schedule::at(8_ns));
  CHECK(upstream.freed == Times{90_ns});
  CHECK(all.empty());
}

TEST_CASE("shared slot: of a train each packet's space is given back when its last copy has left") {
  sim::Agenda agenda;
  Upstream upstream;
  SharedSlots all(agenda);
  SharedSlot& shared = all.share(Slot(upstream, 3, {1, 5}, 4), 2, 4);
  Slot a = shared.copy(0), b = shared.copy(1);
  a.release(schedule({1_ns, 2_ns, 3_ns}));
  CHECK(upstream.freed.empty());
  b.release(schedule({9_ns}));
  CHECK(upstream.freed == Times{9_ns});
  b.release(schedule({10_ns, 11_ns, 12_ns}));
  CHECK(upstream.freed == Times{9_ns, 10_ns, 11_ns});
  CHECK(!all.empty());
  a.release(schedule({4_ns}));
  CHECK(upstream.freed == Times{9_ns, 10_ns, 11_ns, 12_ns});
  CHECK(all.empty());
}

TEST_CASE("shared slot: a copy that is dropped has left now, what was shared before is no part of what comes next") {
  sim::Agenda agenda;
  agenda.set_now(20_ns);
  Upstream upstream;
  SharedSlots all(agenda);
  for (int round = 0; round < 3; ++round) {
    SharedSlot& shared = all.share(Slot(upstream, 3, {1, 5}, 1), 2, 1);
    Slot kept = shared.copy(0);
    { const Slot dropped = shared.copy(1); }
    CHECK(upstream.freed.size() == static_cast<std::size_t>(round));
    kept.release(Schedule::at(10_ns));
    CHECK(upstream.freed.back() == 20_ns);
  }
  CHECK(upstream.freed.size() == 3);
}

}  // namespace net_shared_slot_test
