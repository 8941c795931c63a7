// SPDX-License-Identifier: Apache-2.0
// The critical path through the ranks of collective calls: on an idle crossbar it is the chain of the algorithm.
#include "explain/critical_path.hpp"

#include <algorithm>
#include <memory>

#include "support/random/random_machine.hpp"
#include "system/program_bench.hpp"

namespace critical_path_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::Collective;
using explain::CriticalPath;
using explain::Leg;

namespace {

/// On the wire: packets of 256 B and a header of 8 B, in flits of 16 B.
Time wire_time(Bytes n) {
  const std::int64_t rest = n.count() % 256;
  return 1_ns * (n / 256_B * 17 + (rest == 0 ? 0 : units_of(Bytes(rest) + 8_B, 16_B)));
}

/// A message's whole way: 1 cycle to send, two wires of 5 ns, 3 cycles of a router, 1 cycle to receive.
Time way(Bytes n) { return 1_ns + 5_ns * 2 + 3_ns + wire_time(n) + 1_ns; }

/// Tells a history of its own for each call.
class Ears final : public net::Listener, public comm::Listener {
 public:
  explicit Ears(std::vector<net::ChannelInfo> channels) : channels_(std::move(channels)) { forget(); }
  void forget() { history_ = std::make_unique<explain::History>(channels_); }
  const explain::History& history() const { return *history_; }
  void stage(const net::StageEvent& e) override { history_->stage(e); }
  void hop(const net::Hop& h) override { history_->hop(h); }
  void overhead(const net::OverheadEvent& e) override { history_->overhead(e); }
  void credits(const net::CreditEvent&) override {}
  void call(const comm::Call& c) override { history_->call(c); }
  void step(const comm::Step& s) override { history_->step(s); }
  void wait(const comm::Wait& w) override { history_->wait(w); }
  void together(const comm::Together& t) override { history_->together(t); }

 private:
  std::vector<net::ChannelInfo> channels_;
  std::unique_ptr<explain::History> history_;
};

/// One collective call of the first ranks after another, each on an idle machine.
class Calls {
 public:
  explicit Calls(const std::string& run, const Overrides& overrides = {})
      : bench_(run, overrides), ears_(bench_.machine().channels()) {
    bench_.machine().listen(ears_);
    bench_.library().set_listener(ears_);
    bench_.world().set_listener(ears_);
  }
  int ranks() const { return bench_.ranks(); }
  comm::World& world() { return bench_.world(); }

  struct Case {
    int ranks = 0;
    std::function<void(comm::Rank&, comm::Group&)> program;
    std::function<void(const CriticalPath&)> look;
  };
  void run(const std::vector<Case>& cases) {
    comm::StartLine line;
    bench_.all([&](comm::Rank& r) {
      for (const Case& c : cases) {
        r.meet(line, [&] { ears_.forget(); });
        r.wait_until(r.now() + 100_us);  // credits are home
        if (r.id() < c.ranks) {
          comm::Group g = r.first(c.ranks);
          c.program(r, g);
        }
        r.meet(line, [&] { c.look(path()); });
      }
    });
    bench_.run(1000_s);
  }

 private:
  CriticalPath path() {
    const auto p = explain::critical_path(ears_.history(), [this](int rank) { return bench_.library().place(rank); });
    REQUIRE(p);
    return *p;
  }
  ProgramBench bench_;
  Ears ears_;
};

comm::Buffer buffer(Bytes offset, Bytes n) { return {offset, n, {}, {}}; }

/// The legs tile the time to the femtosecond, and so do the parts of each.
void expect_whole(const CriticalPath& p) {
  Time at = p.begin;
  for (const Leg& l : p.legs) {
    CHECK(l.begin == at);
    at = l.end;
    Time sum;
    for (const auto& [name, time] : l.parts) {
      sum += time;
      CHECK(name != "unexplained");
    }
    if (l.kind == Leg::Kind::message || l.kind == Leg::Kind::work) CHECK(sum == l.took());
  }
  CHECK(at == p.end);
}

/// Nothing but messages of that length, one behind the other through these ranks.
void expect_chain(const CriticalPath& p, const std::vector<int>& ranks, Time each) {
  expect_whole(p);
  CHECK(p.ranks == ranks);
  CHECK(p.took() == each * static_cast<std::int64_t>(ranks.size() - 1));
  REQUIRE(p.legs.size() == ranks.size() - 1);
  for (std::size_t i = 0; i < p.legs.size(); ++i) {
    CHECK(p.legs[i].kind == Leg::Kind::message);
    CHECK(p.legs[i].peer == ranks[i]);
    CHECK(p.legs[i].rank == ranks[i + 1]);
    CHECK(p.legs[i].took() == each);
  }
}

Calls::Case broadcast(int ranks, Bytes n, const char* algorithm, std::function<void(const CriticalPath&)> look) {
  return {ranks, [=](comm::Rank&, comm::Group& g) { g.broadcast(0, buffer({}, n), {algorithm}); }, std::move(look)};
}

}  // namespace

TEST_CASE("critical path: prepared puts are messages to who waits for their notice, and what leaves is taken apart") {
  Calls calls("halo_tca");
  const auto put = [](int peer, Bytes n) {
    comm::Put p{peer, {{}, Bytes::zero()}, {{}, 1_MiB}, n};
    p.notify = true;
    return p;
  };
  // Rank 0 puts; those that get something wait for it, rank 0 until all has left.
  const auto puts = [&](const std::vector<int>& to, Bytes n, bool wait_for_leaving) {
    return [=](comm::Rank& r, comm::Group& g) {
      std::vector<comm::Put> all;
      for (const int peer : to) all.push_back(put(peer, n));
      const int number = r.id() == 0 ? r.prepare(all, "chain") : -1;
      g.together("puts", 0, n, [&] {
        if (r.id() == 0) r.start(number);
        if (r.id() == 0 && wait_for_leaving) r.finish();
        if (r.id() != 0 && !wait_for_leaving) r.await(0, {1_MiB, n, {}, {}});
      });
      if (r.id() == 0 && !wait_for_leaving) r.finish();
      if (r.id() != 0 && wait_for_leaving) r.await(0, {1_MiB, n, {}, {}});
      if (r.id() == 0) r.forget();
    };
  };
  const auto leg_of = [](const CriticalPath& p, Leg::Kind kind) {
    expect_whole(p);
    const auto at = std::find_if(p.legs.begin(), p.legs.end(), [&](const Leg& l) { return l.kind == kind; });
    REQUIRE(at != p.legs.end());
    Time sum;
    for (const auto& part : at->parts) sum += part.second;
    CHECK(sum == at->took());
    return *at;
  };
  calls.run({{2, puts({1}, 4_KiB, false),
              [&](const CriticalPath& p) {
                const Leg l = leg_of(p, Leg::Kind::message);
                CHECK(p.ranks == std::vector<int>{0, 1});
                CHECK(l.peer == 0);
                CHECK(l.size == 4_KiB);
                CHECK(l.took() * 10 > p.took() * 9);
              }},
             {2, puts({1}, 8_KiB, true),
              [&](const CriticalPath& p) {
                const Leg l = leg_of(p, Leg::Kind::leaving);
                CHECK(l.rank == 0);
                CHECK(l.peer == 1);
                CHECK(l.size == 8_KiB);
              }},
             {3, puts({1, 2}, 8_KiB, true), [&](const CriticalPath& p) {
                const Leg l = leg_of(p, Leg::Kind::leaving);
                CHECK(l.peer == -1);
                CHECK(l.size == 16_KiB);
                CHECK_THAT(explain::to_text(p), Catch::Contains("rank 0 until its puts of 16 KiB have left"));
              }}});
}

TEST_CASE("the critical path of a broadcast is the longest chain of its tree") {
  Calls calls("broadcast_crossbar");
  std::vector<Calls::Case> cases;
  for (const Bytes n : {1_B, 4_KiB, 1_MiB})
    cases.push_back(broadcast(8, n, "binomial", [n](const CriticalPath& p) {
      CHECK(std::string(p.call.name) == "broadcast");
      CHECK(p.call.algorithm == "binomial");
      CHECK(p.call.root == 0);
      CHECK(p.call.size == n);
      expect_chain(p, {0, 4, 6, 7}, way(n));
      CHECK(p.slack.ranks == 4);
      // The root's last child but one has nobody below it who is later than that.
      CHECK(p.slack.least > Time::zero());
      CHECK(p.slack.most < p.took());
    }));
  cases.push_back(broadcast(8, 4_KiB, "chain", [](const CriticalPath& p) {
    expect_chain(p, {0, 1, 2, 3, 4, 5, 6, 7}, way(4_KiB));
    CHECK(p.slack.ranks == 0);
  }));
  cases.push_back(broadcast(2, 1_B, "binomial", [](const CriticalPath& p) { expect_chain(p, {0, 1}, way(1_B)); }));
  cases.push_back(broadcast(8, 64_KiB, "linear", [](const CriticalPath& p) {
    expect_whole(p);
    CHECK(p.call.rank == 7);  // the last one that the root sends to
    CHECK(p.took() == way(64_KiB) + wire_time(64_KiB) * 6);
  }));
  cases.push_back(broadcast(8, 1_MiB, "chain", [](const CriticalPath& p) {
    expect_whole(p);
    CHECK(p.took() == way(8_KiB) * 7 + wire_time(8_KiB) * 127);
    CHECK(p.ranks.back() == 7);
    CHECK(p.ranks.front() == 0);
  }));
  calls.run(cases);
}

TEST_CASE("the critical path of an exchange has a message a round") {
  Calls calls("broadcast_crossbar");
  const auto partners = [](const CriticalPath& p) {
    expect_whole(p);
    REQUIRE(p.legs.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(p.legs[i].kind == Leg::Kind::message);
      CHECK((p.legs[i].rank ^ p.legs[i].peer) == 1 << i);
      CHECK(p.legs[i].took() == way(64_KiB));
    }
  };
  calls.run({{8,
              [](comm::Rank&, comm::Group& g) {
                g.allreduce(buffer({}, 64_KiB), buffer(64_KiB, 64_KiB), {"recursive_doubling"});
              },
              partners},
             {8, [](comm::Rank&, comm::Group& g) { g.barrier({"dissemination"}); },
              [](const CriticalPath& p) {
                expect_whole(p);
                CHECK(p.legs.size() == 3);
                CHECK(p.took() == way(1_B) * 3);
                CHECK(p.call.root == -1);
              }}});
}

TEST_CASE("a rank that comes late or computes meanwhile is where the critical path goes") {
  Calls calls("broadcast_crossbar");
  calls.run({{4,
              [](comm::Rank& r, comm::Group& g) {
                if (r.id() == 2) r.compute(10_us);
                g.barrier({"dissemination"});
              },
              [](const CriticalPath& p) {
                expect_whole(p);
                CHECK(p.legs.front().kind == Leg::Kind::late);
                CHECK(p.legs.front().rank == 2);
                CHECK(p.legs.front().took() == 10_us);
                CHECK(p.took() == 10_us + way(1_B) * 2);
              }},
             {2,
              [](comm::Rank& r, comm::Group& g) {
                g.together("iteration", 0, 64_B, [&] {
                  const int other = 1 - r.id();
                  const comm::Request in = g.irecv(other, 0, buffer({}, 64_B));
                  const comm::Request out = g.isend(other, 0, buffer(64_B, 64_B));
                  r.compute(r.id() == 0 ? 5_us : 1_us);
                  g.wait_all({in, out});
                });
              },
              [](const CriticalPath& p) {
                expect_whole(p);  // the message has come long before
                CHECK(p.took() == 5_us);
                REQUIRE(p.legs.size() == 1);
                CHECK(p.legs[0].kind == Leg::Kind::work);
                CHECK(p.legs[0].parts == decltype(Leg::parts){{"compute", 5_us}});
                CHECK(p.slack.most == 4_us);
              }}});
}

namespace {

/// What all ranks do: a collective of a random kind and algorithm that can do it.
Calls::Case random_call(Dice& dice, int most, Bytes largest, comm::World& w) {
  for (;;) {
    const auto& all = comm::algorithms();
    const comm::Algorithm& a = all[static_cast<std::size_t>(dice.number(0, static_cast<std::int64_t>(all.size()) - 1))];
    const int ranks = static_cast<int>(dice.number(1, most));
    const Bytes n = 8_B * dice.number(1, dice.one_in(2) ? 32 : largest / 8_B);
    const int root = static_cast<int>(dice.number(0, ranks - 1));
    const Bytes all_blocks = n * ranks;
    const bool blocks_in = a.kind == Collective::scatter || a.kind == Collective::all_to_all;
    const bool blocks_out =
        a.kind == Collective::gather || a.kind == Collective::allgather || a.kind == Collective::all_to_all;
    comm::CollectiveCall c{a.kind, root, buffer({}, blocks_in ? all_blocks : n),
                           buffer(all_blocks, blocks_out ? all_blocks : n)};
    if (a.kind == Collective::broadcast) c.out = c.in;
    if (!comm::refusal(ranks, c, a.name, {w.scratch().size}).empty()) continue;
    std::vector<Time> delays;
    for (int i = 0; i < ranks; ++i) delays.push_back(dice.one_in(3) ? 1_ns * dice.number(0, 3000) : Time::zero());
    const auto program = [c, delays, how = comm::Choice{a.name, 1_KiB}](comm::Rank& r, comm::Group& g) {
      r.compute(delays[static_cast<std::size_t>(r.id())]);
      g.collective(c, how);
    };
    const std::string text = std::string(comm::name_of(a.kind)) + " by " + a.name + ", " + std::to_string(ranks) +
                             " ranks, root " + std::to_string(root) + ", " + std::to_string(n.count()) + " B";
    return {ranks, program, [text](const CriticalPath& p) {
              INFO(text);
              expect_whole(p);
            }};
  }
}

void expect_all_whole(Calls& calls, int count, Bytes largest, std::uint64_t seed) {
  Dice dice(seed);
  std::vector<Calls::Case> cases;
  for (int i = 0; i < count; ++i) cases.push_back(random_call(dice, calls.ranks(), largest, calls.world()));
  calls.run(cases);
}

}  // namespace

TEST_CASE("critical paths of random collectives are whole on a crossbar") {
  Calls calls("broadcast_crossbar");
  expect_all_whole(calls, 60, 16_KiB, 1);
}

TEST_CASE("critical paths of random collectives are whole on a torus") {
  Calls calls("broadcast_torus");
  expect_all_whole(calls, 60, 16_KiB, 2);
}

TEST_CASE("critical paths of random collectives are whole over PEACH2") {
  Calls calls("tca_all_to_all", {{"/machine/topology/nodes", "6"}});
  expect_all_whole(calls, 25, 16_KiB, 3);
}

}  // namespace critical_path_test
