// SPDX-License-Identifier: Apache-2.0
// NPB IS and FT of class S: what ranks send, what rows say, what is refused.
#include <map>
#include <sstream>
#include <utility>

#include "cluster/catalogs.hpp"
#include "cluster/observer.hpp"
#include "config/config.hpp"
#include "experiment/simulate.hpp"
#include "experiment/simulation.hpp"
#include "report/digest.hpp"
#include "scenarios/npb/ft_class.hpp"
#include "scenarios/npb/is_keys.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"
#include "system/simulated.hpp"
#include "units/wide.hpp"

namespace npb_test {

using namespace tsunagi;
using namespace tsunagi::test;
using scenarios::IsKeys;

namespace {

const scenarios::IsClass class_s{16, 11, 9};
const scenarios::FtClass ft_s{"S", 6, 6, 6, 6};
constexpr const char* crossbar = "broadcast_crossbar";
constexpr const char* mpi = "npb_is_mpi";

Overrides with(const std::string& kind, const std::string& more = {}, const Overrides& others = {}) {
  Overrides o{{"/scenario", "{\"kind\": \"" + kind + "\"" + (more.empty() ? "" : ", " + more) + "}"}};
  o.insert(o.end(), others.begin(), others.end());
  return o;
}

/// Writes down who sends what in which collective call.
class Sends final : public Observer, private net::Listener, private comm::Listener {
 public:
  void begin(const Machine&, const comm::Library&) override {}
  net::Listener& stages() override { return *this; }
  comm::Listener& calls() override { return *this; }
  void end(Time) override {}
  std::string text() const { return text_.str(); }

 private:
  void stage(const net::StageEvent&) override {}
  void hop(const net::Hop&) override {}
  void overhead(const net::OverheadEvent&) override {}
  void credits(const net::CreditEvent&) override {}
  void call(const comm::Call& c) override {
    if (c.kind == comm::Call::Kind::send)
      text_ << c.tag << ' ' << c.rank << ' ' << c.peer << ' ' << c.size.count() << '\n';
  }
  void step(const comm::Step&) override {}
  std::ostringstream text_;
};

struct Send {
  int call;
  int from;
  int to;
  std::int64_t bytes;
};

std::vector<Send> sends_of(const Overrides& o) {
  const auto observed = [](const RunConfig& run, const std::string& findings, report::Recorder& recorder) {
    Sends sends;
    Observer* observer = &sends;
    runner::Counts counts = experiment::simulate(run, findings, recorder, observer);
    counts.report = sends.text();
    return counts;
  };
  const runner::Outcome out = runner::run_one(run_of(crossbar, o), observed);
  REQUIRE(out.status == runner::Status::ok);
  std::vector<Send> all;
  std::istringstream in(out.report);
  for (Send s; in >> s.call >> s.from >> s.to >> s.bytes;) all.push_back(s);
  return all;
}

using Pairs = std::map<std::pair<int, int>, std::int64_t>;

/// Bytes by sender and receiver in every third call, from `first` on.
Pairs in_thirds(const std::vector<Send>& all, int first) {
  Pairs out;
  for (const Send& s : all)
    if (s.call % 3 == first) out[{s.from, s.to}] += s.bytes;
  return out;
}

std::int64_t fs(const report::Row& row, const char* name) { return cell<Time>(row, name).fs(); }
std::int64_t number(const report::Row& row, const char* name) { return cell<std::int64_t>(row, name); }

}  // namespace

TEST_CASE("npb_is: each pair exchanges the benchmark's keys in ten iterations and one before") {
  const std::vector<Send> all = sends_of(with("npb_is"));
  const IsKeys keys(class_s, 16);
  const Pairs exchanged = in_thirds(all, 2);
  for (int from = 0; from < 16; ++from)
    for (int to = 0; to < 16; ++to) {
      if (from == to) continue;
      CAPTURE(from, to);
      CHECK(exchanged.at({from, to}) == 4 * keys.sent(from, to) * 11);
    }
  CHECK(exchanged.size() == 16 * 15);
}

TEST_CASE("npb_is: each pair exchanges one integer, and all add up buckets and five integers") {
  // Of four ranks the library sends both to whom they are for: an integer to each, all numbers at distances 1 and 2.
  const std::vector<Send> all = sends_of(with("npb_is", "\"ranks\": 4"));
  const Pairs counts = in_thirds(all, 1);
  CHECK(counts.size() == 4 * 3);
  for (const auto& [pair, bytes] : counts) CHECK(bytes == 4 * 11);
  std::int64_t sums = 0;
  for (const auto& [pair, bytes] : in_thirds(all, 0)) sums += bytes;
  CHECK(sums == 4 * (512 + 5) * 4 * 3 / 2 * 11);  // by halves and back: twice three quarters each
}

TEST_CASE("npb_is: keys go to partners in the order asked for") {
  const auto partners = [](const std::string& order) {
    std::vector<int> of_5;
    for (const Send& s : sends_of(with("npb_is", "\"iterations\": 1, \"order\": \"" + order + "\", \"ranks\": 8")))
      if (s.call == 2 && s.from == 5) of_5.push_back(s.to);
    return of_5;
  };
  CHECK(partners("own") == std::vector<int>{0, 1, 2, 3, 4, 6, 7});
  CHECK(partners("natural") == std::vector<int>{0, 1, 2, 3, 4, 6, 7});
  CHECK(partners("rank_relative") == std::vector<int>{6, 7, 0, 1, 2, 3, 4});
}

namespace {

/// A cache of one line of 64 B.
struct OneLine {
  std::uint64_t line = ~std::uint64_t{0};
  bool misses(std::uint64_t address) { return std::exchange(line, address / 64) != address / 64; }
};

}  // namespace

TEST_CASE("npb_is: counts that are not in a core's cache are waited for, counts in order come at the memory's rate") {
  const IsKeys k(class_s, 1);
  // One rank: it has sorted all keys by bucket.
  std::vector<std::vector<std::int64_t>> buckets(static_cast<std::size_t>(class_s.buckets()));
  scenarios::IsKeyStream drawn(class_s, 0, 1);
  for (std::int64_t i = 0; i < class_s.keys(); ++i) {
    const std::int64_t key = drawn.next();
    buckets[static_cast<std::size_t>(key >> class_s.shift())].push_back(key);
  }
  OneLine cache;
  const auto values = static_cast<std::uint64_t>(k.range(0));
  for (std::uint64_t v = 0; v < values; ++v) cache.misses(4 * v);
  std::int64_t waited = 0;
  std::uint64_t read = 0;
  for (const auto& bucket : buckets)
    for (const std::int64_t key : bucket) {
      if (read++ % 16 == 0) cache.misses((std::uint64_t{1} << 40) + 4 * read);  // a line of them
      waited += cache.misses(4 * static_cast<std::uint64_t>(key)) ? 1 : 0;
    }
  const std::int64_t lines = (k.range(0) + 15) / 16;
  CHECK(waited > 30 * lines);  // keys that are read drive counts out
  const std::string core = "/machine/topology/node/devices/core0/";
  const report::Row row = rows_of("npb_is_infiniband_16", with("npb_is", "\"ranks\": 1, \"compute\": \"1 ns\"",
                                                               {{core + "line_cache/size", "\"64 B\""},
                                                                {core + "line_cache/ways", "1"},
                                                                {core + "line_cache/miss", "\"1 us\""},
                                                                {core + "compute/memory_rate", "\"64 MB/s\""}}))
                              .rows.at(0);
  // A line a microsecond: each comes and goes, in both passes.
  const Time passes = 2_us * lines * 2;
  CHECK(cell<Time>(row, "compute") == 1_ns * (8 * 512 + 7 * 65536 + 3 * 65536) + passes + 1_us * waited);
}

TEST_CASE("npb_ft: each pair exchanges the benchmark's blocks once before, once at the start and in each iteration") {
  const std::int64_t block = ft_s.points() * 16 / (16 * 16);
  Pairs blocks;
  int sums = 0;
  for (const Send& s : sends_of(with("npb_ft"))) {
    if (s.bytes == 16) ++sums;
    if (s.bytes == 0 || s.bytes == 16) continue;
    CHECK(s.bytes == block);
    blocks[{s.from, s.to}] += s.bytes;
  }
  CHECK(blocks.size() == 16 * 15);
  for (const auto& [pair, bytes] : blocks) CHECK(bytes == block * (1 + 1 + 6));
  CHECK(sums == 6 * 15);
}

TEST_CASE("npb_ft: blocks go by the algorithm and in the order asked for") {
  const auto partners = [](const std::string& more) {
    std::vector<int> of_5;
    for (const Send& s : sends_of(with("npb_ft", "\"iterations\": 1, \"ranks\": 8" + more)))
      if (s.call == 2 && s.from == 5) of_5.push_back(s.to);  // the transposition behind the barrier
    return of_5;
  };
  CHECK(partners("") == std::vector<int>{4, 7, 6, 1, 0, 3, 2});  // pairwise: 64 KiB each
  CHECK(partners(R"(, "algorithm": "ring")") == std::vector<int>{6, 7, 0, 1, 2, 3, 4});
  CHECK(partners(R"(, "algorithm": "linear", "order": "natural")") == std::vector<int>{0, 1, 2, 3, 4, 6, 7});
  CHECK(partners(R"(, "order": "rank_relative")") == std::vector<int>{6, 7, 0, 1, 2, 3, 4});
}

TEST_CASE("npb_is: the row says what the slowest rank did, in the benchmark's units") {
  const report::Row row = rows_of(crossbar, with("npb_is", "\"compute\": \"3 ns\"")).rows.at(0);
  const IsKeys keys(class_s, 16);
  const int slowest = static_cast<int>(number(row, "slowest"));
  CHECK(cell<std::string>(row, "class") == "S");
  CHECK(number(row, "ranks") == 16);
  CHECK(number(row, "iterations") == 10);
  CHECK(number(row, "factor") == 1);
  CHECK(number(row, "operations") == 10 * 65536);
  const std::int64_t references = 8 * 512 + 7 * 4096 + 3 * keys.received(slowest) + 3 * keys.range(slowest);
  CHECK(cell<Time>(row, "compute") == 3_ns * references);
  CHECK(fs(row, "time") == fs(row, "total") / 10);
  CHECK(number(row, "kop_s") == static_cast<std::int64_t>(Wide(655360) * 1'000'000'000'000 / fs(row, "total")));
  const std::int64_t parts =
      fs(row, "compute") + fs(row, "allreduce") + fs(row, "all_to_all") + fs(row, "all_to_all_v");
  CHECK(parts <= fs(row, "time"));
  CHECK(parts > fs(row, "time") - 10);  // rounded down, each
}

TEST_CASE("npb_is: a rank of its own has all keys and exchanges none") {
  const report::Row one = rows_of(crossbar, with("npb_is", "\"ranks\": 1, \"compute\": \"1 ns\"")).rows.at(0);
  CHECK(cell<Time>(one, "time") == 1_ns * (8 * 512 + 7 * 65536 + 3 * 65536 + 3 * IsKeys(class_s, 1).range(0)));
  CHECK(cell<Time>(one, "all_to_all_v") == Time::zero());
}

TEST_CASE("npb_ft: the row says what the slowest rank did, in the benchmark's units") {
  const report::Row row = rows_of(crossbar, with("npb_ft", "\"compute\": \"3 ns\"")).rows.at(0);
  CHECK(number(row, "operations") == ft_s.operations());
  const std::int64_t points = ft_s.points() / 16;
  CHECK(cell<Time>(row, "compute") == 3_ns * (points * (5 + 5 * 18)));
  const std::int64_t parts = fs(row, "compute") + fs(row, "all_to_all") + fs(row, "reduce");
  CHECK(parts <= fs(row, "time"));
  CHECK(parts > fs(row, "time") - 10);
  const std::int64_t setup = fs(row, "total") - fs(row, "time") * 6;
  CHECK(setup > (3_ns * (points * (15 + 5 * 18))).fs());
  CHECK(setup < (3_ns * (points * (15 + 5 * 18))).fs() + fs(row, "all_to_all") * 2);
  CHECK(number(row, "kop_s") ==
        static_cast<std::int64_t>(Wide(ft_s.operations()) * 1'000'000'000'000 / fs(row, "total")));
}

TEST_CASE("npb: fewer iterations stand for all of them within half a percent") {
  for (const char* run : {crossbar, mpi})
    for (const char* kind : {"npb_is", "npb_ft"}) {
      const std::string few = std::string("\"ranks\": 8, \"iterations\": 2");
      const report::Row all = rows_of(run, with(kind, "\"ranks\": 8")).rows.at(0);
      const report::Row some = rows_of(run, with(kind, few)).rows.at(0);
      CAPTURE(run, kind);
      CHECK(number(some, "iterations") == 2);
      CHECK(number(some, "iterations") * number(some, "factor") == number(all, "iterations"));
      CHECK(number(some, "operations") == number(all, "operations"));
      CHECK(static_cast<double>(fs(some, "total")) == Approx(static_cast<double>(fs(all, "total"))).epsilon(0.005));
    }
}

TEST_CASE("npb: more iterations than the benchmark has are all it has") {
  const auto digest = [](const std::string& n) {
    return report::digest(rows_of(crossbar, with("npb_ft", "\"ranks\": 4, \"iterations\": " + n)));
  };
  CHECK(digest("6") == digest("1000"));
  CHECK(digest("6") != digest("3"));
}

TEST_CASE("npb: trains change nothing, nor do other runs beside") {
  std::vector<RunConfig> runs;
  for (const char* run : {crossbar, mpi})
    for (const char* kind : {"npb_is", "npb_ft"})
      for (const char* train : {"1", "64"})
        runs.push_back(run_of(run, with(kind, "\"ranks\": 8, \"iterations\": 2", {{"/options/max_train", train}})));
  std::vector<std::string> digests[2];
  for (const int jobs : {1, 4}) {
    runner::Options options;
    options.jobs = jobs;
    for (const runner::Outcome& out : runner::run_many(runs, experiment::simulation(), options)) {
      REQUIRE(out.status == runner::Status::ok);
      digests[jobs == 1 ? 0 : 1].push_back(report::digest(out.rows));
    }
  }
  CHECK(digests[0] == digests[1]);
  for (std::size_t i = 0; i < runs.size(); i += 2) CHECK(digests[0][i] == digests[0][i + 1]);
}

TEST_CASE("npb_is: a skew is drawn from its seed") {
  const auto total = [](const std::string& more) {
    return fs(rows_of(crossbar, with("npb_is", "\"ranks\": 8" + more)).rows.at(0), "total");
  };
  const std::int64_t none = total("");
  const std::int64_t one = total(R"(, "skew": "50 us")");
  CHECK(one > none);
  CHECK(one < none + (50_us).fs());
  CHECK(total(R"(, "skew": "50 us", "seed": 1)") == one);
  CHECK(total(R"(, "skew": "50 us", "seed": 2)") != one);
}

TEST_CASE("npb: what the benchmarks do not take is refused before anything runs") {
  using Catch::Contains;
  const auto of = [](const char* kind, const std::string& more, const Overrides& others = {}) {
    return refusal(crossbar, with(kind, more, others));
  };
  for (const char* kind : {"npb_is", "npb_ft"}) {
    CHECK_THAT(of(kind, "\"ranks\": 3"), Contains("the benchmark takes 1, 2, 4, 8, ... ranks, not 3"));
    CHECK_THAT(of(kind, "\"ranks\": 32"), Contains("needs 32 ranks, the library has 16"));
    CHECK_THAT(of(kind, "\"class\": \"C\""), Contains("S, A, B"));
    CHECK_THAT(of(kind, "\"iterations\": 0"), Contains("iterations"));
    CHECK_THAT(of(kind, "\"iterations\": 4"), Contains("4 iterations do not divide the benchmark's"));
    CHECK_THAT(of(kind, "\"compute\": \"1 us\""), Contains("compute"));
  }
  CHECK_THAT(of("npb_ft", "", {{"/machine/topology/terminals", "128"}}),
             Contains("128 ranks, but there are 64 planes"));
  CHECK_THAT(of("npb_is", "", {{"/machine/topology/terminals", "1024"}}),
             Contains("1024 ranks, but there are 512 buckets"));
  CHECK_THAT(of("npb_ft", "\"algorithm\": \"lineal\""), Contains("did you mean \"linear\""));
  CHECK_THAT(of("npb_ft", "\"algorithm\": \"ring\", \"order\": \"natural\""),
             Contains("has one order of partners alone"));
}

TEST_CASE("npb: fewer iterations are refused where they are not alike") {
  using Catch::Contains;
  CHECK_THAT(refusal(crossbar, with("npb_is", R"("iterations": 2, "skew": "1 us")")),
             Contains("2 iterations cannot stand for 10 that are not alike: ranks begin at random times"));
  const Overrides errors{{"/machine/topology/node/links/2/wire/bit_error_rate", "1e-12"}};
  CHECK_THAT(refusal(mpi, with("npb_ft", "\"ranks\": 4, \"iterations\": 2", errors)),
             Contains("2 iterations cannot stand for 6 that are not alike: the wire ") && Contains("has bit errors"));
  CHECK(refusal(mpi, with("npb_ft", "\"ranks\": 4", errors)) == "no error");
}

TEST_CASE("npb: fewer iterations fail where something was lost in them") {
  Overrides few{{"/machine/topology/nodes", "16"}, {"/library/pm/receive_memory", "\"16 KiB\""}};
  few = with("npb_is", "", few);
  CHECK(refusal("npb_is_myrinet_128", few) == "no error");
  // Routes that might deadlock, and have not, are no loss.
  CHECK(refusal("allreduce_ring", with("npb_is", "\"ranks\": 2, \"iterations\": 2",
                                       {{"/machine/topology/router/deadlock_free", "false"}})) == "no error");
  few.push_back({"/scenario/iterations", "2"});
  CHECK_THAT(refusal("npb_is_myrinet_128", few),
             Catch::Contains("iterations that stand for others were not alike: something was lost") &&
                 Catch::Contains("found no receive buffer") && Catch::Contains("/scenario/iterations"));
}

}  // namespace npb_test
