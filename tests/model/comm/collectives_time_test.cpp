// SPDX-License-Identifier: Apache-2.0
// Every algorithm of the catalog takes the time of its closed form on an idle crossbar, to the femtosecond.
#include <functional>
#include <set>

#include "comm/collectives/tree.hpp"
#include "support/collective_bench.hpp"

namespace collectives_time_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::Binomial;
using comm::Collective;

namespace {

/// A crossbar whose inputs hold what all the others send at once, so that no sender is held up.
Network network() {
  Network n = crossbar(CollectiveBench::most);
  n.router.buffer_flits = 65536;
  return n;
}

/// Of a message of `n` bytes: how long it occupies a wire.
Time o(Bytes n) {
  const router::LinkConfig l = network().link;
  Time sum;
  for (Bytes left = std::max(n, 1_B); left > 0_B; left -= std::min(left, l.max_payload))
    sum += l.bandwidth.time(l.flit * units_of(l.header + std::min(left, l.max_payload), l.flit));
  return sum;
}
Time cycles(Frequency clock, int n) { return Clock(clock).whole_period() * n; }
/// From the call to the wire.
Time s() { return cycles(network().terminal.clock, network().terminal.send_latency); }
/// From one memory to the other.
Time L(Bytes n) {
  const Network w = network();
  return s() + w.link.flight * 2 + cycles(w.router.clock, w.router.latency) + o(n) +
         cycles(w.terminal.clock, w.terminal.receive_latency);
}
/// Until a blocking send returns.
Time sent(Bytes n) { return s() + o(n); }

int log2_up(int p) {
  int k = 0;
  while ((1 << k) < p) ++k;
  return k;
}
bool power_of_two(int p) { return (p & (p - 1)) == 0; }

/// When each place of a binomial tree is done whose parents send to one child after the other, `weight(first, last)` to
/// the subtree of places [first, last).
std::vector<Time> down_a_tree(int p, bool largest_first, const std::function<Bytes(int, int)>& weight) {
  std::vector<Time> done(static_cast<std::size_t>(p));
  for (int place = 0; place < p; ++place) {  // parents stand before children
    const Binomial tree(place, p);
    Time& t = done[static_cast<std::size_t>(place)];
    for (const int child : largest_first ? tree.largest_first() : tree.children()) {
      const Bytes n = weight(child, Binomial(child, p).end());
      done[static_cast<std::size_t>(child)] = t + L(n);
      t += sent(n);
    }
  }
  return done;
}
Time latest(const std::vector<Time>& all) { return *std::max_element(all.begin(), all.end()); }

/// Ranks that begin at `at` and exchange in rounds: in round i rank r sends to `peer(r, i)` and gets from `source(r,
/// i)` `n(i)` bytes; each goes on when it has sent and received.
std::vector<Time> rounds(std::vector<Time> at, int count, const std::function<int(int, int)>& source,
                         const std::function<Bytes(int)>& n) {
  for (int i = 0; i < count; ++i) {
    std::vector<Time> next;
    for (std::size_t r = 0; r < at.size(); ++r)
      next.push_back(
          std::max(at[r] + sent(n(i)), at[static_cast<std::size_t>(source(static_cast<int>(r), i))] + L(n(i))));
    at = next;
  }
  return at;
}

/// A message in segments of 64 B over `hops` links one behind the other: the last segment follows the one before it.
Time piped(int hops, Bytes n) {
  const std::int64_t m = units_of(n, Case::segment);
  const Bytes last = n - Case::segment * (m - 1);
  if (m == 1) return L(n) * hops;
  return L(Case::segment) * hops + o(Case::segment) * (m - 2) + o(last);
}

Time sum_of_halves(int p, Bytes n) {
  Time sum;
  for (int part = 2; part <= p; part *= 2) sum += L(Bytes(n.count() / part));
  return sum;
}

Time scatter_ring(int p, Bytes n) {
  const Bytes piece(n.count() / p);
  const std::vector<Time> at = down_a_tree(p, true, [&](int first, int last) { return piece * (last - first); });
  return latest(rounds(
      at, p - 1, [&](int r, int) { return (r + p - 1) % p; }, [&](int) { return piece; }));
}

Time scatter_allgather(int p, Bytes n) {
  if (!power_of_two(p)) return scatter_ring(p, n);
  const Bytes piece(n.count() / p);
  const std::vector<Time> at = down_a_tree(p, true, [&](int first, int last) { return piece * (last - first); });
  return latest(rounds(
      at, log2_up(p), [](int r, int i) { return r ^ (1 << i); }, [&](int i) { return piece * (1 << i); }));
}

/// A k-nomial tree, m segments of 64 B: each child gets a segment o later than the one before it; the root, which has
/// most children, sends the next segment when all have this one.
Time knomial(int p, Bytes n, int radix) {
  std::vector<Time> first(static_cast<std::size_t>(p));
  for (int i = 0; i < p; ++i) {
    Time at = first[static_cast<std::size_t>(i)];
    for (const int child : comm::Knomial(i, p, radix).largest_first()) {
      first[static_cast<std::size_t>(child)] = at + L(Case::segment);
      at += o(Case::segment);
    }
  }
  const auto children = static_cast<std::int64_t>(comm::Knomial(0, p, radix).largest_first().size());
  return latest(first) + o(Case::segment) * ((n / Case::segment - 1) * children);
}

/// A complete binary tree, m segments of 64 B: every parent of two sends a segment every 2 o, the right child's o
/// later.
Time binary_tree(int p, Bytes n) {
  const std::int64_t m = n / Case::segment;
  std::vector<Time> first(static_cast<std::size_t>(p));
  for (int i = 1; i < p; ++i)
    first[static_cast<std::size_t>(i)] =
        first[static_cast<std::size_t>((i - 1) / 2)] + L(Case::segment) + o(Case::segment) * (i % 2 == 0 ? 1 : 0);
  return latest(first) + o(Case::segment) * ((m - 1) * (p > 2 ? 2 : 1));
}

/// Bruck's rounds; `moved`: blocks in the round of a distance.
Time bruck(int p, Bytes n, const std::function<int(int)>& moved) {
  Time sum;
  for (int distance = 1; distance < p; distance *= 2) sum += L(n * moved(distance));
  return sum;
}
int with_bit(int p, int bit) {
  int count = 0;
  for (int i = 0; i < p; ++i) count += (i & bit) != 0 ? 1 : 0;
  return count;
}

/// `p` messages that wait for the same wire, all there at once.
Time in_turn(int p, Bytes n) { return L(n) + o(n) * (p - 1); }

/// Messages to 31 others at once, each of which nobody else sends to then; to 32 in the batches behind.
Time scattered(int p, Bytes n) {
  Time sum;
  for (int first = 0; first < p; first += 32) sum += in_turn(std::min(first + 32, p) - std::max(first, 1), n);
  return sum;
}

/// A closed form: for which numbers of ranks it holds, sizes for p ranks, and the time.
struct Form {
  Collective kind;
  std::string name;
  bool (*holds)(int p);
  std::vector<Bytes> (*sizes)(int p);
  Time (*time)(int p, Bytes n);
};

bool any(int) { return true; }
std::vector<Bytes> plain(int) { return {1_B, 64_B, 1000_B}; }
std::vector<Bytes> of_blocks(int p) { return {8_B * p, 64_B * p, 320_B * p}; }
std::vector<Bytes> whole_segments(int) { return {64_B, 128_B, 640_B}; }
std::vector<Bytes> in_segments(int) { return {8_B, 64_B, 65_B, 300_B, 640_B}; }
std::vector<Bytes> nothing(int) { return {0_B}; }

const std::vector<Form>& forms() {
  using C = Collective;
  static const std::vector<Form> all = {
      {C::barrier, "dissemination", any, nothing, [](int p, Bytes n) { return L(n) * log2_up(p); }},
      {C::barrier, "tree", power_of_two, nothing, [](int p, Bytes n) { return L(n) * (2 * log2_up(p)); }},
      {C::broadcast, "binomial", any, plain,
       [](int p, Bytes n) { return latest(down_a_tree(p, true, [&](int, int) { return n; })); }},
      {C::broadcast, "binomial", power_of_two, plain, [](int p, Bytes n) { return L(n) * log2_up(p); }},
      {C::broadcast, "binomial_smallest_first", any, plain,
       [](int p, Bytes n) { return latest(down_a_tree(p, false, [&](int, int) { return n; })); }},
      {C::broadcast, "binomial_smallest_first", power_of_two, plain,
       [](int p, Bytes n) {
         const int k = log2_up(p);
         return L(n) * k + sent(n) * (k * (k - 1) / 2);
       }},
      {C::broadcast, "binary_tree", any, whole_segments, binary_tree},
      {C::broadcast, "knomial", any, whole_segments, [](int p, Bytes n) { return knomial(p, n, Case().radix); }},
      {C::broadcast, "chain", any, in_segments, [](int p, Bytes n) { return piped(p - 1, n); }},
      {C::broadcast, "scatter_allgather", any, of_blocks, scatter_allgather},
      {C::broadcast, "scatter_ring", any, of_blocks, scatter_ring},
      {C::broadcast, "linear", any, plain, [](int p, Bytes n) { return in_turn(p - 1, n); }},
      {C::reduce, "binomial", power_of_two, plain, [](int p, Bytes n) { return L(n) * log2_up(p); }},
      {C::reduce, "chain", any, in_segments, [](int p, Bytes n) { return piped(p - 1, n); }},
      {C::reduce, "rabenseifner", power_of_two, of_blocks, [](int p, Bytes n) { return sum_of_halves(p, n) * 2; }},
      {C::reduce, "linear", any, plain, [](int p, Bytes n) { return in_turn(p - 1, n); }},
      {C::allreduce, "recursive_doubling", power_of_two, plain, [](int p, Bytes n) { return L(n) * log2_up(p); }},
      {C::allreduce, "ring", any, of_blocks, [](int p, Bytes n) { return L(Bytes(n.count() / p)) * (2 * (p - 1)); }},
      {C::allreduce, "rabenseifner", power_of_two, of_blocks, [](int p, Bytes n) { return sum_of_halves(p, n) * 2; }},
      {C::allreduce, "reduce_broadcast", power_of_two, plain, [](int p, Bytes n) { return L(n) * (2 * log2_up(p)); }},
      {C::allreduce, "direct", any, plain, [](int p, Bytes n) { return in_turn(p - 1, n); }},
      {C::scatter, "binomial", any, plain,
       [](int p, Bytes n) {
         return latest(down_a_tree(p, true, [&](int first, int last) { return n * (last - first); }));
       }},
      {C::scatter, "binomial", power_of_two, plain, [](int p, Bytes n) { return sum_of_halves(p, n * p); }},
      {C::scatter, "linear", any, plain, [](int p, Bytes n) { return in_turn(p - 1, n); }},
      {C::gather, "binomial", power_of_two, plain, [](int p, Bytes n) { return sum_of_halves(p, n * p); }},
      {C::gather, "linear", any, plain, [](int p, Bytes n) { return in_turn(p - 1, n); }},
      {C::allgather, "ring", any, plain, [](int p, Bytes n) { return L(n) * (p - 1); }},
      {C::allgather, "recursive_doubling", power_of_two, plain, [](int p, Bytes n) { return sum_of_halves(p, n * p); }},
      {C::allgather, "bruck", any, plain,
       [](int p, Bytes n) { return bruck(p, n, [p](int distance) { return std::min(distance, p - distance); }); }},
      {C::all_to_all, "pairwise", any, plain, [](int p, Bytes n) { return L(n) * (p - 1); }},
      {C::all_to_all, "bruck", any, plain,
       [](int p, Bytes n) { return bruck(p, n, [p](int distance) { return with_bit(p, distance); }); }},
      // The last rank's messages come last from everybody at once: after p - 2 others, then one after the other.
      {C::all_to_all, "linear", any,
       [](int) {
         return std::vector<Bytes>{1_B, 64_B, 200_B};
       },
       [](int p, Bytes n) { return in_turn(p - 1, n) + o(n) * (p - 2); }},
      {C::all_to_all, "scattered", any, plain, scattered},
      {C::all_to_all, "ring", any, plain, [](int p, Bytes n) { return L(n) * (p - 1); }},
      {C::all_to_all, "recursive_doubling", power_of_two, plain,
       [](int p, Bytes n) { return sum_of_halves(p, n * p * p); }},
  };
  return all;
}

}  // namespace

TEST_CASE("every collective takes the time of its closed form on an idle crossbar") {
  CollectiveBench b(network());
  std::vector<Case> cases;
  std::vector<Time> expected;
  for (const comm::Algorithm& a : comm::algorithms()) {
    std::size_t before = cases.size();
    for (const Form& f : forms())
      for (int p = 2; f.kind == a.kind && f.name == a.name && p <= CollectiveBench::most; ++p)
        for (const Bytes n : f.holds(p) ? f.sizes(p) : std::vector<Bytes>())
          for (const int root : std::set<int>{
                   0, a.kind < Collective::scatter && a.kind != Collective::allreduce && a.kind != Collective::barrier
                          ? p / 2
                          : 0}) {
            const Case c{&a, p, n, root};
            if (!a.refusal(p, call_of(c)).empty()) continue;
            cases.push_back(c);
            expected.push_back(f.time(p, n));
          }
    INFO(comm::name_of(a.kind) << " by " << a.name << " has no closed form here");
    CHECK(cases.size() > before);
  }
  std::size_t i = 0;
  b.run(
      cases, [](comm::Rank&, comm::Group& g, const Case& c) { collective(g, c); }, scratch_of,
      [&](const Case&, Time taken) { CHECK(taken == expected[i++]); });
  CHECK(i == cases.size());
}

TEST_CASE("posted exchanges from each rank's own place on pay for one wire alone") {
  CollectiveBench b(network());
  std::vector<Case> cases;
  for (int p = 2; p <= CollectiveBench::most; ++p)
    for (const Bytes n : {1_B, 64_B, 1000_B}) {
      cases.push_back({&named(Collective::all_to_all, "linear"), p, n});
      cases.back().order = comm::PartnerOrder::rank_relative;
    }
  b.run(
      cases, [](comm::Rank&, comm::Group& g, const Case& c) { collective(g, c); }, scratch_of,
      [&](const Case& c, Time taken) { CHECK(taken == in_turn(c.ranks - 1, c.n)); });
}

TEST_CASE("k-nomial broadcasts take the time of their radix") {
  CollectiveBench b(network());
  const comm::Algorithm& knomial_tree = named(Collective::broadcast, "knomial");
  std::vector<Case> cases;
  for (const int radix : {2, 3, 8, 40})
    for (int p = 2; p <= CollectiveBench::most; ++p)
      for (const Bytes n : {64_B, 640_B}) cases.push_back({&knomial_tree, p, n, p / 2, {}, radix});
  b.run(
      cases, [](comm::Rank&, comm::Group& g, const Case& c) { collective(g, c); }, scratch_of,
      [&](const Case& c, Time taken) { CHECK(taken == knomial(c.ranks, c.n, c.radix)); });
  for (int place = 0; place < 33; ++place)
    CHECK(comm::Knomial(place, 33, 2).largest_first() == Binomial(place, 33).largest_first());
}

}  // namespace collectives_time_test
