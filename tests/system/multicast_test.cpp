// SPDX-License-Identifier: Apache-2.0
// Broadcasts that routers make: when they arrive, against messages on their way alone; what arrives, and who may.
#include <algorithm>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "comm/rank.hpp"
#include "support/child.hpp"
#include "system/program_bench.hpp"

namespace multicast_collective_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::Buffer;
using comm::Rank;

namespace {

const std::string again = "again: ";
const config::Override multicast{"/library/multicast", "true"};
const Overrides torus_by_adaptive_routes{
    multicast, {"/machine/topology/routes", "\"minimal_adaptive\""}, {"**/virtual_channels", "6"}};

/// When each rank had a broadcast of rank `root`, "1000 1000 ..." fs; that of the root is when it returned.
std::vector<std::int64_t> broadcast(const std::string& run, int root, Bytes n, const Overrides& more = {}) {
  Overrides all{multicast};
  all.insert(all.end(), more.begin(), more.end());
  const std::string text = in_child([&] {
    ProgramBench b(run, all);
    std::vector<Time> ended(static_cast<std::size_t>(b.ranks()));
    b.all([&](Rank& r) {
      r.world().broadcast(root, {Bytes::zero(), n, {}, {}}, by("hardware"));
      ended[static_cast<std::size_t>(r.id())] = r.now();
    });
    b.run();
    std::string out;
    for (const Time t : ended) out += std::to_string(t.fs()) + " ";
    return out;
  });
  std::vector<std::int64_t> out;
  std::istringstream in(text);
  for (std::int64_t t = 0; in >> t;) out.push_back(t);
  return out;
}

/// A message of rank `from` alone: when rank `to` has it.
std::int64_t message(const std::string& run, int from, int to, Bytes n, const Overrides& more = {}) {
  return std::stoll(in_child([&] {
    ProgramBench b(run, more);
    Time end;
    b.program(from, [&](Rank& r) { r.send(to, {Bytes::zero(), n, {}, {}}); });
    b.program(to, [&](Rank& r) {
      r.recv(from, {Bytes::zero(), n, {}, {}});
      end = r.now();
    });
    b.run();
    return std::to_string(end.fs());
  }));
}

}  // namespace

TEST_CASE("multicast: over a crossbar a broadcast is everywhere when one message would be") {
  for (const Bytes n : {1_B, 64_B, 5000_B}) {
    CAPTURE(n.count());
    const std::int64_t alone = message("broadcast_crossbar", 0, 5, n);
    const std::vector<std::int64_t> ended = broadcast("broadcast_crossbar", 0, n);
    for (std::size_t rank = 1; rank < ended.size(); ++rank) CHECK(ended[rank] == alone);
    CHECK(ended.front() < alone);
  }
}

TEST_CASE("multicast: a root between the others sends twice, and each leaf of a tree once") {
  // One packet behind the other: those behind the root's place come a packet's time on the wire later.
  const std::int64_t alone = message("broadcast_crossbar", 3, 5, 64_B);
  const std::vector<std::int64_t> ended = broadcast("broadcast_crossbar", 3, 64_B);
  for (const std::size_t rank : {0, 1, 2}) CHECK(ended[rank] == alone);
  const std::vector<std::int64_t> twice = broadcast("broadcast_crossbar", 3, 128_B);
  CHECK(ended[4] > alone);
  CHECK(ended[4] == ended.back());
  CHECK(ended[4] < twice[4]);
  // A fat-tree of routers with four ports: two terminals at each, which have it together.
  const std::vector<std::int64_t> tree = broadcast("broadcast_fat_tree", 0, 64_B);
  for (std::size_t rank = 2; rank < tree.size(); rank += 2) CHECK(tree[rank] == tree[rank + 1]);
  CHECK(tree[1] == message("broadcast_fat_tree", 0, 1, 64_B));
}

TEST_CASE("multicast: what arrives is what was sent, by any root, size and group, with trains and without") {
  const std::vector<std::pair<std::string, Overrides>> runs{{"broadcast_crossbar", {}},
                                                            {"broadcast_fat_tree", {}},
                                                            {"broadcast_torus", {}},
                                                            {"broadcast_torus", torus_by_adaptive_routes},
                                                            {"broadcast_dragonfly", {}}};
  for (const auto& [run, more] : runs) {
    CAPTURE(run, more.size());
    Overrides all{multicast};
    all.insert(all.end(), more.begin(), more.end());
    // When all is over; "again: " and findings if trains were taken ahead wrongly.
    const auto attempt = [&, name = run](int max_train, const std::string& findings) {
      return in_child([&] {
        ProgramBench b(name, all, max_train, findings);
        b.world().check_data();
        std::mt19937 random(7);
        const int ranks = b.ranks();
        std::vector<std::pair<int, Bytes>> calls;
        for (int i = 0; i < 12; ++i)
          calls.emplace_back(static_cast<int>(random() % static_cast<unsigned>(ranks)),
                             Bytes(1 + static_cast<std::int64_t>(random() % 20000)));
        Time last;
        b.all([&](Rank& r) {
          // Odd and even ranks, too, whose broadcasts of one root cross those of all.
          comm::Group half = r.world().split(r.id() % 2, r.id());
          for (const auto& [root, n] : calls) {
            const Buffer what{Bytes::zero(), n, {}, {}};
            const std::string said = std::to_string(root) + " says " + std::to_string(n.count());
            if (r.id() == root) r.ledger()->fill(root, what, said);
            r.world().broadcast(root, what);
            r.ledger()->expect(r.id(), what, said, {}, "test");
            const int mine = root / 2 % half.size();
            const Buffer other{1_MiB, n, {}, {}};
            if (half.rank() == mine) r.ledger()->fill(r.id(), other, "half");
            half.broadcast(mine, other);
            r.ledger()->expect(r.id(), other, "half", {}, "test");
          }
          last = std::max(last, r.now());
        });
        const std::string found = b.attempt();
        return found.empty() ? std::to_string(last.fs()) : again + found;
      });
    };
    std::string by_trains = attempt(64, {});
    for (int i = 0; i < 20 && by_trains.compare(0, again.size(), again) == 0; ++i)
      by_trains = attempt(64, by_trains.substr(again.size()));
    CHECK(attempt(1, {}) == by_trains);
  }
}

TEST_CASE("multicast: broadcasts of one root that overtake each other are taken in the order of the calls") {
  // On adaptive routes, among messages of all to all, a short one is there before the end of a longer one before it:
  // then both are taken at once; and nobody has one that its root has not begun.
  constexpr int rounds = 8;
  const std::string both = in_child([&] {
    ProgramBench b("broadcast_torus", torus_by_adaptive_routes);
    int together = 0, too_early = 0;
    std::vector<Time> begun(2 * rounds, Time::max());
    b.all([&](Rank& r) {
      const auto broadcast = [&](int number, Bytes n) {
        Time& since = begun[static_cast<std::size_t>(number)];
        if (r.id() == 0) since = r.now();
        r.world().broadcast(0, {Bytes::zero(), n, {}, {}}, by("hardware"));
        if (r.id() != 0 && r.now() <= since) ++too_early;
      };
      for (int round = 0; round < rounds; ++round) {
        std::vector<comm::Request> others;
        for (int peer = 1; r.id() > 0 && peer < r.size(); ++peer) {
          if (peer == r.id()) continue;
          const Buffer from_peer{1_MiB * peer, 8_KiB, {}, {}}, to_peer{Bytes::zero(), 8_KiB, {}, {}};
          others.push_back(r.world().irecv(peer, 0, from_peer));
          others.push_back(r.world().isend(peer, 0, to_peer));
        }
        if (r.id() == 0) r.compute(3_us);
        const Time begin = r.now();
        broadcast(2 * round, 4_KiB);
        const Time first = r.now();
        broadcast(2 * round + 1, 8_B);
        if (r.id() != 0 && first > begin && r.now() == first) ++together;
        r.world().wait_all(others);
      }
    });
    b.run();
    return std::string(together > 0 ? "some" : "none") + " together, " + std::to_string(too_early) + " too early";
  });
  CHECK(both == "some together, 0 too early");
}

TEST_CASE("multicast: a root waits until its own packets have left, whoever else broadcasts") {
  // It has them all on the wire before the last of the others has them.
  CHECK(in_child([&] {
          ProgramBench b("torus_traffic", {multicast});
          const auto n = static_cast<std::size_t>(b.ranks());
          std::vector<Time> left(n), there(n);
          b.all([&](Rank& r) {
            for (int root = 0; root < r.size(); ++root) {
              r.world().broadcast(root, {Bytes::zero(), 1500_B, {}, {}}, by("hardware"));
              const auto at = static_cast<std::size_t>(root);
              Time& t = root == r.id() ? left[at] : there[at];
              t = std::max(t, r.now());
            }
          });
          b.run();
          int late = 0;
          for (std::size_t root = 0; root < n; ++root) late += left[root] > there[root] ? 1 : 0;
          return std::to_string(late) + " late";
        }) == "0 late");
}

TEST_CASE("multicast: no collective but broadcasts is hardware's") {
  const auto refusal = [](comm::Collective kind) {
    return in_child([&] {
      ProgramBench b("broadcast_crossbar", {multicast});
      comm::CollectiveCall c;
      c.kind = kind;
      return b.library().required<comm::HardwareCollectives>().refusal({0, 1, 2}, c);
    });
  };
  CHECK(refusal(comm::Collective::broadcast).empty());
  CHECK(refusal(comm::Collective::barrier) == "routers copy packets, and do nothing else");
}

}  // namespace multicast_collective_test
