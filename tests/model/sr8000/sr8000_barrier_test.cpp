// SPDX-License-Identifier: Apache-2.0
// Hardware barriers of the SR8000's crossbars, against closed forms.
#include <algorithm>
#include <sstream>

#include "model/sr8000/sr8000_times.hpp"
#include "models/sr8000/barrier.hpp"
#include "support/child.hpp"

namespace sr8000_barrier_test {

using namespace tsunagi;
using namespace tsunagi::test;
using sr8000::Box;
using sr8000::Purpose;
using Arrivals = std::vector<StationArrival>;

namespace {

StationArrival released(const Box& box, Time head, std::uint32_t colour = 0) {
  return {Purpose::released, static_cast<int>(box.first), head, head + sr_header, colour};
}

/// `nodes` come to a barrier of `box`, the last of them at `late`; they alone hear of it, once, at `head`.
void expect_barrier(const std::vector<std::int64_t>& sizes, const Box& box, const std::vector<int>& nodes, Time late,
                    Time head) {
  Sr8000Bench b(sizes);
  for (const int n : nodes) b.at(n == nodes.back() ? late : 0_ns, [&b, &box, n] { b.station(n).barrier(box); });
  b.run();
  for (int n = 0; n < b.nodes(); ++n) {
    CAPTURE(n);
    const bool in = std::count(nodes.begin(), nodes.end(), n) == 1;
    CHECK(b.station(n).arrivals() == (in ? Arrivals{released(box, head)} : Arrivals{}));
  }
}

std::vector<int> up_to(int n) {
  std::vector<int> out;
  for (int i = 0; i < n; ++i) out.push_back(i);
  return out;
}

/// What a run says that must fail.
std::string failure(const std::vector<std::int64_t>& sizes, const std::function<void(Sr8000Bench&)>& program,
                    int max_train = 1) {
  return in_child([&] {
    Sr8000Bench b(Sr8000Network{sizes}, max_train);
    b.at(0_ns, [&] { program(b); });
    try {
      b.simulation().run(1_s);
    } catch (const std::runtime_error& e) {
      return std::string(e.what());
    }
    return std::string();
  });
}

}  // namespace

TEST_CASE("SR8000: a barrier of eight nodes at one crossbar") {
  expect_barrier({8}, {0, 7}, up_to(8), 0_ns, sr_barrier(0_ns, 1));
}
TEST_CASE("SR8000: a barrier of part of the nodes at one crossbar") {
  expect_barrier({8}, {2, 4}, {2, 3, 4}, 0_ns, sr_barrier(0_ns, 1));
}
TEST_CASE("SR8000: a barrier of 8x8 nodes") { expect_barrier({8, 8}, {0, 63}, up_to(64), 0_ns, sr_barrier(0_ns, 2)); }
TEST_CASE("SR8000: a barrier of 8x2 of 8x8 nodes") {
  expect_barrier({8, 8}, {0, 15}, up_to(16), 0_ns, sr_barrier(0_ns, 2));
}
TEST_CASE("SR8000: a barrier of a box in the middle") {
  expect_barrier({8, 8}, {18, 27}, {18, 19, 26, 27}, 0_ns, sr_barrier(0_ns, 2));
}
TEST_CASE("SR8000: a barrier of a line in y") {
  expect_barrier({8, 8}, {19, 35}, {19, 27, 35}, 0_ns, sr_barrier(0_ns, 2));
}
TEST_CASE("SR8000: a barrier of one node") { expect_barrier({8, 8}, {19, 19}, {19}, 0_ns, sr_barrier(0_ns, 2)); }
TEST_CASE("SR8000: a barrier of 2x2x2 nodes") {
  expect_barrier({2, 2, 2}, {0, 7}, up_to(8), 0_ns, sr_barrier(0_ns, 3));
}
TEST_CASE("SR8000: a barrier waits for a late node at one crossbar") {
  expect_barrier({8}, {0, 7}, up_to(8), 4321_ns, sr_barrier(4321_ns, 1));
}
TEST_CASE("SR8000: a barrier waits for a late node over two dimensions") {
  expect_barrier({8, 8}, {0, 15}, up_to(16), 4321_ns, sr_barrier(4321_ns, 2));
}
TEST_CASE("SR8000: a barrier waits for a late node over three dimensions") {
  expect_barrier({2, 2, 2}, {0, 7}, up_to(8), 4321_ns, sr_barrier(4321_ns, 3));
}

TEST_CASE("SR8000: barriers of eight colours and of two boxes go on beside each other") {
  Sr8000Bench b({4, 4});
  const Box boxes[] = {{0, 7}, {8, 15}};
  const auto late = [](int box, int colour) { return 1_us * (1 + (3 * colour + 5 * box) % 8) + 10_us * box; };
  for (int i = 0; i < 2; ++i)
    for (int colour = 0; colour < sr8000::colours; ++colour)
      for (int n = 8 * i; n < 8 * i + 8; ++n)
        b.at(n % 8 == colour ? late(i, colour) : 200_ns * colour,
             [&b, &boxes, i, n, colour] { b.station(n).barrier(boxes[i], colour); });
  b.run();
  for (int i = 0; i < 2; ++i) {
    Arrivals all;
    for (int colour = 0; colour < sr8000::colours; ++colour)
      all.push_back(released(boxes[i], sr_barrier(late(i, colour), 2), static_cast<std::uint32_t>(colour)));
    std::sort(all.begin(), all.end(), [](const auto& x, const auto& y) { return x.head < y.head; });
    for (int n = 8 * i; n < 8 * i + 8; ++n) CHECK(b.station(n).arrivals() == all);
  }
}

TEST_CASE("SR8000: colours that are complete at the same time take turns, whatever order simultaneous alarms ring in") {
  const auto seen = [](bool reversed) {
    return in_child([reversed] {
      Sr8000Bench b({4, 4});
      b.simulation().agenda().reverse_ties(reversed);
      for (int n = 0; n < 16; ++n)
        b.at(0_ns, [&b, n] {
          for (int i = 0; i < sr8000::colours; ++i) b.station(n).barrier({0, 15}, (n + i) % sr8000::colours);
        });
      b.run();
      std::ostringstream text;
      for (int n = 0; n < 16; ++n)
        for (const StationArrival& a : b.station(n).arrivals()) text << a << " ";
      return text.str();
    });
  };
  const std::string forward = seen(false);
  CHECK(forward.size() > 16 * 8 * 10);
  CHECK(seen(true) == forward);
}

TEST_CASE("SR8000: nodes that come again as soon as they are released pass barrier after barrier") {
  Sr8000Bench b({4, 2});
  for (int n = 0; n < 8; ++n) {
    Station& station = b.station(n);
    station.on_release = [&station](std::uint32_t) {
      if (station.arrivals().size() < 5) station.barrier_at(station.arrivals().back().tail, {0, 7}, 0);
    };
    b.at(0_ns, [&b, n] { b.station(n).barrier({0, 7}); });
  }
  b.run();
  for (int n = 0; n < 8; ++n) {
    Arrivals all;
    for (Time t; all.size() < 5; t = all.back().tail) all.push_back(released({0, 7}, sr_barrier(t, 2)));
    CHECK(b.station(n).arrivals() == all);
  }
}

TEST_CASE("SR8000: what is wrong with a barrier is said") {
  CHECK(failure({8}, [](Sr8000Bench& b) {
          for (int i = 0; i < 2; ++i) b.station(5).barrier({0, 7}, 3);
        }) == "x0: node 5 has come to a barrier of colour 3 again before the others came");
  CHECK(failure(
            {8},
            [](Sr8000Bench& b) {
              b.station(5).barrier({0, 7}, 3, 2);  // in one train
            },
            64) == "x0: node 5 has come to a barrier of colour 3 again before the others came");
  CHECK(failure({8}, [](Sr8000Bench& b) {
          b.station(5).barrier({0, 7}, 3);
          b.station(5).barrier({4, 7}, 3);
        }) == "x0: node 5 has come to a barrier of colour 3 again before the others came");
  CHECK(failure({4, 4}, [](Sr8000Bench& b) {
          b.station(5).barrier({0, 15}, 8);
        }) == "x1: node 5 has come to a barrier of colour 8, of which there are 8");
  CHECK(failure({4, 4}, [](Sr8000Bench& b) {
          b.station(5).barrier({6, 15});
        }) == "x1: node 5 has come to a barrier of nodes 6 to 15, to which it does not belong");
  CHECK(failure({4, 4}, [](Sr8000Bench& b) {
          b.station(5).barrier({0, 16});
        }) == "x1: node 5 has come to a barrier of nodes 0 to 16, to which it does not belong");
  CHECK(failure({4, 4}, [](Sr8000Bench& b) {
          b.station(5).broadcast({6, 9}, 8_B);
        }) == "y0: a broadcast to nodes 6 to 9, which are no box");
}

TEST_CASE("SR8000: a barrier that somebody did not come to is left over") {
  Sr8000Bench b({4, 4});
  b.at(0_ns, [&] {
    for (const int n : {0, 1, 2}) b.station(n).barrier({0, 3}, 6);
  });
  REQUIRE(b.simulation().run(1_s));
  CHECK(b.machine().leftovers() ==
        std::vector<std::string>{"x0: a barrier of colour 6 of nodes 0 to 3 waits for 1 of its line"});
}

TEST_CASE("SR8000: of those who come last at one time the lowest place is told") {
  sr8000::Barrier b(4);
  const Box box{0, 3};
  const auto come = [&](int place, Time when) {
    return b.come(0, box, {0, 3}, place, {when, static_cast<std::uint64_t>(place)});
  };
  CHECK_FALSE(come(2, 10_ns));
  CHECK_FALSE(come(1, 10_ns));
  CHECK_FALSE(come(3, 10_ns));
  const auto last = come(0, 5_ns);
  REQUIRE(last);
  CHECK(last->when == 10_ns);
  CHECK(last->packet == 1);
  // And the later one whatever its place.
  for (const int place : {0, 1, 2}) CHECK_FALSE(come(place, 20_ns));
  CHECK(come(3, 21_ns)->packet == 3);
}

}  // namespace sr8000_barrier_test
