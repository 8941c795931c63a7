// SPDX-License-Identifier: Apache-2.0
// Long messages of library mpi, step by step; one machine a test.
#include <cstdlib>
#include <random>
#include <vector>

#include "support/child.hpp"
#include "system/mpi/mpi_pair.hpp"

namespace mpi_rendezvous_test {

using namespace tsunagi;
using namespace tsunagi::test;
namespace {

/// One way in the middle of a ping-pong, by one rail whose cable is as long as that.
Time latency(const std::string& size, const std::string& flight, const Overrides& more) {
  Overrides all = {{"/machine/topology/links/0/wire/flight", in_quotes(flight)},
                   {"/scenario/sizes", "[" + in_quotes(size) + "]"}};
  all.insert(all.end(), more.begin(), more.end());
  return cell<Time>(rows_of(mpi_run, all).rows.front(), "latency");
}

/// How often a message crosses the cable before it is there.
double crossings(const std::string& size, const Overrides& more) {
  // Not so long that a port's credits would not cover the way there and back.
  const Time longer = latency(size, "410 ns", more) - latency(size, "10 ns", more);
  return static_cast<double>(longer.fs()) / static_cast<double>((400_ns).fs());
}

config::Override by(const std::string& way) { return {"/library/rendezvous", in_quotes(way)}; }

report::Row row_of(const std::string& size, const Overrides& more) {
  Overrides all = {{"/scenario/sizes", "[" + in_quotes(size) + "]"},
                   {"/scenario/large_iterations", "1"},
                   {"/scenario/large_warm_up", "0"}};
  all.insert(all.end(), more.begin(), more.end());
  return rows_of(mpi_run, all).rows.front();
}

std::int64_t count(const report::Row& row, const std::string& step) {
  const report::StepAccount* s = row.accounts()->find(step);
  return s == nullptr ? 0 : s->calls;
}

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::stoull(text);
}

/// Messages of any size, each with a tag of its own, whose receives are posted in any order, some late.
struct Traffic {
  explicit Traffic(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    settings = {
        by(std::vector<std::string>{"rput", "rget", "r3"}[static_cast<std::size_t>(pick(3))]),
        {"/library/rail_policy", in_quotes(std::vector<std::string>{"use_first", "fixed_mapping",
                                                                    "round_robin"}[static_cast<std::size_t>(pick(3))])},
        {"/library/stripe_above", in_quotes(std::to_string(64 << pick(13)) + " B")},
        {"/library/largest_write", in_quotes(std::to_string(4 << pick(8)) + " KiB")},
        {"/library/r3_limit", in_quotes(std::to_string(pick(3) * 20) + " KiB")},
        {"/library/r3_window", in_quotes(std::to_string(1 + pick(100)) + " KiB")},
        {"/library/receives", std::to_string(8 + pick(16))},
        {"/library/eager_limit", in_quotes(std::to_string(pick(2) * 4096) + " B")},
        {"/library/depth", std::to_string(4 + pick(12))}};
    if (pick(3) == 0) settings.push_back({"/library/rails", R"(["hca.port2"])"});
    for (const char* link : {"0", "1"})
      if (pick(2) == 0)
        settings.push_back({std::string("/machine/topology/links/") + link + "/wire/flight",
                            in_quotes(std::to_string(1 + pick(8'000)) + " ns")});
    for (int rank : {0, 1}) {
      Bytes at = 1_MiB;
      for (int tag = 0; tag < 8; ++tag) {
        const Bytes n(1 + static_cast<std::int64_t>(random() % (1u << (4 + pick(14)))));
        messages[rank].push_back(bytes(n, at));
        at += n;
      }
      late[rank] = Time::from_fs(static_cast<std::int64_t>(random() % 50'000'000'000));
      order[rank] = {0, 1, 2, 3, 4, 5, 6, 7};
      std::shuffle(order[rank].begin(), order[rank].end(), random);
    }
  }
  void run(comm::Rank& r) const {
    comm::Group g = r.world();
    const int me = r.id(), peer = 1 - me;
    std::vector<comm::Request> all;
    for (std::size_t tag = 0; tag < 8; ++tag)
      all.push_back(g.isend(peer, static_cast<int>(tag), bytes(messages[me][tag].size)));
    r.compute(late[me]);
    for (const int tag : order[me]) {
      all.push_back(g.irecv(peer, tag, messages[peer][static_cast<std::size_t>(tag)]));
      if (tag == 3) g.wait_all({all.back()});
    }
    g.wait_all(all);
  }
  Overrides settings;
  std::vector<comm::Buffer> messages[2];  // of a rank, by tag: where they go to
  Time late[2];
  std::vector<int> order[2];
};

/// In which a card read ahead an entry of a send queue of which half was there.
constexpr std::uint64_t half_a_request = 223;

/// Of the traffic of a seed: when each rank was done, and what is wrong.
std::string report_of(std::uint64_t seed, int max_train) {
  std::string findings;
  for (int attempts = 0; attempts < 200; ++attempts) {
    const std::string said = in_child([&] {
      const Traffic t(seed == 0 ? half_a_request : seed);
      ProgramBench b(mpi_run, mpi_pair(t.settings), max_train, findings);
      std::string out = "r";
      b.all([&](comm::Rank& r) {
        t.run(r);
        out += std::to_string(r.now().fs()) + " ";
      });
      const std::string found = b.attempt();
      if (!found.empty()) return "f" + found;
      for (int rank : {0, 1})
        for (const comm::Buffer& m : t.messages[1 - rank])
          if (const std::string wrong = written_once(b, rank, m); !wrong.empty()) out += "WRONG " + wrong + " ";
      return out;
    });
    if (said[0] == 'r') return said.substr(1);
    findings = said.substr(1);
  }
  return "WRONG never ends";
}

}  // namespace

TEST_CASE("mpi: a sender registers its memory before it says that it is ready to send") {
  // The last message is like the one before, but that its memory is known. Who receives has still something to do when
  // the sender is ready: its receive takes longer by its own registration alone, 40 us and 220 ns a page.
  ProgramBench bench(mpi_run);
  const std::vector<Bytes> places = {0_B, 2_MiB, 2_MiB};
  std::vector<Time> took;
  bench.program(0, [&](comm::Rank& r) {
    for (const Bytes place : places) r.world().send(1, 7, bytes(1_MiB, place));
  });
  bench.program(1, [&](comm::Rank& r) {
    for (const Bytes place : places) {
      r.compute(2_ms);
      const Time begin = r.now();
      r.world().recv(0, 7, bytes(1_MiB, place));
      took.push_back(r.now() - begin);
    }
  });
  bench.run();
  const Time registration = 40_us + 220_ns * 256;
  CAPTURE(took);
  CHECK(took[1] - took[2] > registration - 100_ns);
  CHECK(took[1] - took[2] < registration + 100_ns);
}

TEST_CASE("mpi: a long message crosses the cable three times, by whichever way") {
  // Ready to send, clear to send or request to read, bytes. What travels while the sender works makes it a little less.
  for (const char* way : {"rput", "rget", "r3"}) {
    CAPTURE(way);
    const double n = crossings("64 KiB", {by(way)});
    CHECK(n > 2.9);
    CHECK(n < 3.1);
  }
}

TEST_CASE("mpi: pieces wait until those before them have been taken") {
  // A buffer of 17,408 B has 17,360 of bytes: 1 MiB are 61, four of which are more than the window. 16 times four at
  // most, and 15 answers; before them ready to send and clear to send.
  const double n = crossings("1 MiB", {by("r3"), {"/library/r3_window", "\"64 KiB\""}});
  CHECK(n > 32.5);
  CHECK(n < 33.5);
}

TEST_CASE("mpi: a receiver reads, or pieces are copied at both ends") {
  const report::Row put = row_of("1 MiB", {by("rput")}), get = row_of("1 MiB", {by("rget")}),
                    pieces = row_of("1 MiB", {by("r3")});
  CHECK(count(put, "post the write") == 2);  // both ways
  CHECK(count(put, "post the read") == 0);
  CHECK(count(get, "post the write") == 0);
  CHECK(count(get, "post the read") == 2);
  CHECK(count(pieces, "post the write") + count(pieces, "post the read") == 0);
  CHECK(put.accounts()->by_core.copies == 0);
  CHECK(get.accounts()->by_core.copies == 0);
  CHECK(pieces.accounts()->by_core.copies == 2 * 2 * 61);
  CHECK(count(put, "register memory") == 4);
  CHECK(count(get, "register memory") == 4);
  CHECK(count(pieces, "register memory") == 0);
}

TEST_CASE("mpi: a message that is forced to wait and is short goes in pieces") {
  CHECK(count(row_of("4 KiB", {{"/library/eager_limit", "\"0 B\""}}), "post the write") == 0);
  CHECK(count(row_of("4097 B", {{"/library/eager_limit", "\"0 B\""}}), "post the write") > 0);
}

TEST_CASE("mpi: long messages that nobody expected, received the other way round") {
  for (const char* way : {"rput", "rget", "r3"}) {
    CAPTURE(way);
    CHECK(in_child([&] {
            ProgramBench b(mpi_run, mpi_pair({by(way)}));
            b.program(0, [](comm::Rank& r) {
              std::vector<comm::Request> all;
              for (int i = 0; i < 3; ++i) all.push_back(r.world().isend(1, i, bytes(200'000_B, 256_KiB * i)));
              r.world().wait_all(all);
            });
            b.program(1, [](comm::Rank& r) {
              r.compute(100_us);
              for (int i = 3; i-- > 0;) r.world().recv(0, i, bytes(200'000_B, 256_KiB * i));
            });
            b.run();
            std::string wrong;
            for (int i = 0; i < 3; ++i) wrong += written_once(b, 1, bytes(200'000_B, 256_KiB * i));
            return wrong;
          }) == "");
  }
}

TEST_CASE("mpi: who has fetched messages says so before it waits outside of calls") {
  // One work request at a time: when the second message is there, that the first one has been fetched has not left.
  ProgramBench b(mpi_run, mpi_pair({by("rget"), {"/library/depth", "1"}}));
  comm::StartLine line;
  int met = 0;
  b.all([&](comm::Rank& r) {
    std::vector<comm::Request> all;
    for (int i = 0; i < 2; ++i)
      all.push_back(r.id() == 0 ? r.world().isend(1, i, bytes(40'000_B, 64_KiB * i))
                                : r.world().irecv(0, i, bytes(40'000_B, 64_KiB * i)));
    r.world().wait_all(all);
    r.meet(line, [&] { ++met; });
  });
  CHECK(b.attempt() == "");
  CHECK(met == 1);
}

TEST_CASE("mpi: messages of any size get there whatever way they take, with trains as without") {
  const std::uint64_t only = from_environment("TSUNAGI_SEED", 0);
  const std::uint64_t last = only != 0 ? only : from_environment("TSUNAGI_MACHINES", 12);
  for (std::uint64_t seed = only != 0 ? only : 0; seed <= last; ++seed) {
    INFO("TSUNAGI_SEED=" << seed);
    const std::string reference = report_of(seed, 1);
    CHECK_THAT(reference, !Catch::Contains("WRONG"));
    CHECK(report_of(seed, 64) == reference);
  }
}

}  // namespace mpi_rendezvous_test
