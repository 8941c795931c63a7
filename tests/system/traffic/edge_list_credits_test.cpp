// SPDX-License-Identifier: Apache-2.0
// An all-to-all over an edge list that more credits make slower, and why (docs/routes.md): what it takes is the load of
// its fullest wire and that wire's gaps.
#include <algorithm>
#include <sstream>
#include <vector>

#include "support/child.hpp"
#include "system/program_bench.hpp"

namespace edge_list_credits_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

constexpr Time packet = 17_ns;     // 256 B and a header of 8 B in flits of 16 B, a ns each
constexpr Time early = 700_ns;     // by when the fullest wire has had its last gap
constexpr int fullest_load = 132;  // packets

/// Keeps what passes some wires.
class Wires final : public net::Listener {
 public:
  explicit Wires(const Machine& m) : channels_(m.channels()), hops_(channels_.size()) {}
  void stage(const net::StageEvent&) override {}
  void hop(const net::Hop& h) override { hops_[h.channel].push_back(h); }
  void overhead(const net::OverheadEvent&) override {}
  void credits(const net::CreditEvent&) override {}
  /// What passed the wire of that name, in its order.
  std::vector<net::Hop> on(const std::string& name) const {
    for (std::size_t i = 0; i < channels_.size(); ++i)
      if (channels_[i].name() == name) return hops_[i];
    return {};
  }
  std::size_t most() const {
    std::size_t n = 0;
    for (const auto& h : hops_) n = std::max(n, h.size());
    return n;
  }

 private:
  std::vector<net::ChannelInfo> channels_;
  std::vector<std::vector<net::Hop>> hops_;
};

/// In ns, and numbers of packets.
struct Outcome {
  std::int64_t time = 0;
  std::int64_t first = 0;        // on the fullest wire
  std::int64_t gaps = 0;         // of that, behind it
  std::int64_t credit_wait = 0;  // of wires from routers to router 0
  int for_terminal = 0;          // that came early from router 1 to router 0
  int for_fullest = 0;
};

Outcome all_to_all(int buffer_flits) {
  const std::string text = in_child([buffer_flits] {
    ProgramBench b("broadcast_edge_list", {{"/machine/topology/router/buffer_flits", std::to_string(buffer_flits)}});
    Wires wires(b.machine());
    b.machine().listen(wires);
    Time end;
    b.all([&end](comm::Rank& r) {
      const Bytes all = 1_KiB * 16;
      r.world().all_to_all({{}, all, {}, {}}, {all, all, {}, {}}, by("linear"));
      end = std::max(end, r.now());
    });
    b.run();
    const std::vector<net::Hop> fullest = wires.on("router0.p2 > router8.p0");
    REQUIRE(fullest.size() == fullest_load);
    REQUIRE(wires.most() == fullest_load);
    Time gaps;
    for (std::size_t i = 1; i < fullest.size(); ++i) gaps += fullest[i].wire.head - fullest[i - 1].wire.tail;
    int for_terminal = 0, for_fullest = 0;
    const auto goes = [&](const net::Hop& h, const std::vector<net::Hop>& on) {
      return std::any_of(on.begin(), on.end(), [&](const net::Hop& o) { return o.item == h.item; });
    };
    const std::vector<net::Hop> terminal = wires.on("router0.t0 > terminal0.net");
    for (const net::Hop& h : wires.on("router1.p0 > router0.p0")) {
      if (h.wire.head >= early) continue;
      for_terminal += goes(h, terminal) ? 1 : 0;
      for_fullest += goes(h, fullest) ? 1 : 0;
    }
    Time credit_wait;
    for (const auto& w : b.machine().wires())
      for (const net::Channel* c : {&w->forward(), &w->backward()})
        if (c->info().to_device == "router0" && c->info().from_device.find("router") == 0)
          credit_wait += c->counters().credit_wait;
    std::ostringstream out;
    out << end / 1_ns << " " << fullest.front().wire.head / 1_ns << " " << gaps / 1_ns << " " << credit_wait / 1_ns
        << " " << for_terminal << " " << for_fullest;
    return out.str();
  });
  Outcome o;
  std::istringstream(text) >> o.time >> o.first >> o.gaps >> o.credit_wait >> o.for_terminal >> o.for_fullest;
  return o;
}

}  // namespace

TEST_CASE("edge list: an all-to-all takes its fullest wire's load and gaps, and more credits may make more of these") {
  const std::int64_t load = fullest_load * (packet / 1_ns);
  // Behind it two flights of 5 ns and two routers' 3 cycles, one more flight and a cycle of the terminal's.
  constexpr std::int64_t way = 2 * (5 + 3) + 5 + 1;
  const Outcome few = all_to_all(128), more = all_to_all(192), ample = all_to_all(256);
  for (const Outcome& o : {few, more, ample}) CHECK(o.time == o.first + load + o.gaps + way);
  CHECK(few.first == ample.first);
  CHECK(few.gaps < more.gaps);
  CHECK(more.gaps < ample.gaps);
  // No wire to router 0 lacks a credit then; but what waits for router 0's terminal has come in before what could have
  // gone on.
  CHECK(few.credit_wait > 0);
  CHECK(ample.credit_wait == 0);
  CHECK(ample.for_terminal > few.for_terminal);
  CHECK(ample.for_fullest < few.for_fullest);
}

}  // namespace edge_list_credits_test
