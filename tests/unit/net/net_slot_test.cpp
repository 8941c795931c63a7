// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "net/slot.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace net_slot_test {

using namespace tsunagi;
using namespace tsunagi::net;

namespace {

struct Lender final : SlotOwner {
  void slot_released(flow::FlowClass, flow::Credits per_packet, Spans when, std::uint64_t) override {
    for (const Span& s : when) freed.push_back({per_packet, s.tail});
  }
  Time slot_now() const override { return 9_ns; }
  std::vector<std::pair<flow::Credits, Time>> freed;
};

}  // namespace

TEST_CASE("the two slots of a train that is split give back what the one would have") {
  const flow::Credits whole{1, 16};
  const flow::Credits last{1, 3};
  Lender lender;
  Slot rest(lender, 0, whole, last, 3);
  {
    Slot front = rest.split_front(2);
    front.release(Schedule::at(1_ns));
    CHECK(lender.freed == std::vector<std::pair<flow::Credits, Time>>{{whole, 1_ns}});
  }
  CHECK(lender.freed.size() == 2);
  CHECK(lender.freed[1] == std::pair{whole, Time(9_ns)});
  rest.release(Schedule::at(12_ns));
  rest = {};
  REQUIRE(lender.freed.size() == 3);
  CHECK(lender.freed[2] == std::pair{last, Time(12_ns)});
}

TEST_CASE("what holds no slot has none to split") {
  Slot none;
  Slot front = none.split_front(1);
  front.release(Schedule::at(1_ns));
}

}  // namespace net_slot_test
