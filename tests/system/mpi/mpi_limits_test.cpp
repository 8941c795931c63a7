// SPDX-License-Identifier: Apache-2.0
// Where library mpi's limits lie, and what gives slots and buffers back, by how often steps are done; one machine a
// test.
#include "support/catch.hpp"
#include "support/child.hpp"
#include "system/mpi/mpi_pair.hpp"
#include "system/window_bench.hpp"

namespace mpi_limits_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

/// How often a step was done, and how long that took.
comm::Accounts::Step steps(ProgramBench& b, const std::string& name) {
  for (const comm::Accounts::Step& s : b.library().accounts().steps())
    if (s.name == name) return s;
  return {};
}

const Overrides slots_of_four = {{"/library/fast_path/slots", "4"}, {"/library/fast_path/after", "0"}};

}  // namespace

TEST_CASE("mpi: where puts and gets of a window change their way, and what is registered for them") {
  Windows b("mpi_latency", {{"/library/one_sided/put_limit", "\"200 B\""},
                            {"/library/one_sided/copy_limit", "\"300 B\""},
                            {"/library/one_sided/get_limit", "\"100 B\""}});
  b.every([](comm::Rank& r, comm::Group&, comm::Window& w) {
    w.fence();
    if (r.id() == 0) {
      for (const Bytes n : {200_B, 201_B, 300_B, 301_B}) w.put(1, 4_KiB, {8_KiB, n, {}, {}});
      for (const Bytes n : {100_B, 101_B}) w.get(1, {}, {3_MiB, n, {}, {}});
    }
    w.fence();
  });
  b.run();
  CHECK(steps(b, "post the put").calls == 3);
  CHECK(steps(b, "copy the put").calls == 2);
  CHECK(steps(b, "post the get").calls == 1);
  // Two windows of 128 pages; a page that is put from and one that is got into.
  CHECK(steps(b, "register memory").calls == 4);
  CHECK(steps(b, "register memory").total == 40_us * 4 + 220_ns * (128 * 2 + 2));
}

TEST_CASE("mpi: a window by messages posts no puts and gets of its own") {
  Windows b("mpi_latency", {{"/library/one_sided/path", "\"messages\""}});
  b.every([](comm::Rank& r, comm::Group&, comm::Window& w) {
    w.fence();
    if (r.id() == 0) {
      w.put(1, 4_KiB, {8_KiB, 8_B, {}, {}});
      w.get(1, {}, {3_MiB, 8_B, {}, {}});
    }
    w.fence();
  });
  b.run();
  for (const char* step : {"post the put", "post the get"}) CHECK(steps(b, step).calls == 0);
}

TEST_CASE("mpi: puts that are copied each leave from a buffer of their own") {
  Windows b("mpi_latency", {{"/library/one_sided/put_limit", "\"0 B\""}, {"/library/depth", "128"}});
  host::Memory& from = b.machine().get<host::Memory>("node0.memory");
  const std::uint64_t user = unsigned_of(from.config().base + host::buffers_from(from.config().size));
  constexpr int puts = 100;  // more than there are buffers
  std::vector<std::uint8_t> said(puts * 1024);
  for (std::size_t i = 0; i < said.size(); ++i) said[i] = static_cast<std::uint8_t>(i / 1024 + 1);
  for (std::size_t i = 0; i < said.size(); i += 1024) from.preset(user + i, {&said[i], 1024});
  b.every([](comm::Rank& r, comm::Group&, comm::Window& w) {
    w.fence();
    for (int i = 0; i < puts && r.id() == 0; ++i) w.put(1, 1_KiB * i, {1_KiB * i, 1_KiB, {}, {}});
    w.fence();
  });
  b.run();
  CHECK(b.machine().get<host::Memory>("node1.memory").bytes(user + unsigned_of(window_at), Bytes(puts * 1024)) == said);
}

TEST_CASE("mpi: slots are given back by headers that go the other way as long messages do") {
  ProgramBench b(mpi_run, slots_of_four);
  b.all([](comm::Rank& r) {
    comm::Group g = r.world();
    for (int i = 0; i < 20; ++i)
      if (r.id() == 0) {
        g.send(1, 7, bytes(64_B));
        g.recv(1, 7, bytes(6000_B));
      } else {
        g.recv(0, 7, bytes(64_B));
        g.send(0, 7, bytes(6000_B));
      }
  });
  b.run();
  CHECK(steps(b, "poll a slot").calls == 20);
  CHECK(steps(b, "poll a receive's completion").calls == 20);
}

TEST_CASE("mpi: who sends alone is told of two slots in four that are free") {
  ProgramBench b(mpi_run, slots_of_four);
  b.all([](comm::Rank& r) {
    comm::Group g = r.world();
    for (int i = 0; i < 20; ++i)
      if (r.id() == 0) {
        g.send(1, 7, bytes(64_B));
        r.compute(10_us);
        g.iprobe(1, 8);  // looks at what has come
      } else {
        g.recv(0, 7, bytes(64_B));
      }
  });
  b.run();
  // Twenty messages, and one the other way for every two of them.
  CHECK(steps(b, "poll a slot").calls == 20 + 10);
  CHECK(steps(b, "poll a receive's completion").calls == 0);
}

TEST_CASE("mpi: peers whose slots are full are served in turn") {
  ProgramBench b("mpi_allreduce", {{"/library/fast_path/after", "0"}});
  std::vector<int> order;
  b.all([&](comm::Rank& r) {
    comm::Group g = r.world();
    if (r.id() == 1 || r.id() == 2)
      for (int i = 0; i < 4; ++i) g.send(0, 7, bytes(64_B));
    if (r.id() != 0) return;
    r.compute(50_us);
    for (int i = 0; i < 8; ++i) order.push_back(g.recv(comm::any_source, 7, bytes(64_B)).source);
  });
  b.run();
  for (std::size_t i = 2; i < order.size(); ++i) CHECK(order[i] == order[i - 2]);
  CHECK(order.size() == 8);
  CHECK(order[0] != order[1]);
}

TEST_CASE("mpi: that a message has been fetched never goes by a slot") {
  ProgramBench b(mpi_run, {{"/library/fast_path/after", "0"}, {"/library/rendezvous", "\"rget\""}});
  b.program(0, [](comm::Rank& r) {
    for (int i = 0; i < 4; ++i) r.world().send(1, 7, bytes(64_KiB));
  });
  b.program(1, [](comm::Rank& r) {
    for (int i = 0; i < 4; ++i) r.world().recv(0, 7, bytes(64_KiB));
  });
  b.run();
  CHECK(steps(b, "poll a slot").calls == 4);
  CHECK(steps(b, "poll a receive's completion").calls == 4);
}

TEST_CASE("places of messages that nobody expected are used again") {
  for (const auto& [run, place] : {std::pair{mpi_run, "/library/unexpected"},
                                   {"hitachi_mpi_ping_pong", "/library/unexpected"},
                                   {"tca_pairs", "/library/messages/unexpected"},
                                   {"ib_write_lat", "/library/unexpected"}}) {
    CAPTURE(run);
    const std::string wrong = in_child([run = run, place = place] {
      ProgramBench b(run, {{place, "1"}});
      int got = 0;
      b.program(0, [&](comm::Rank& r) {
        for (int i = 0; i < 5; ++i) {
          r.world().send(1, 7, bytes(64_B));
          r.world().send(1, 8, bytes(64_B));
          r.world().recv(1, 9, bytes(8_B));
        }
      });
      b.program(1, [&](comm::Rank& r) {
        for (int i = 0; i < 5; ++i) {
          r.world().recv(0, 8, bytes(64_B));
          r.world().recv(0, 7, bytes(64_B));
          r.world().send(0, 9, bytes(8_B));
          ++got;
        }
      });
      b.run();
      return got == 5 ? std::string() : "got " + std::to_string(got);
    });
    CHECK(wrong == "");
  }
}

TEST_CASE("mpi: as many messages are kept that nobody expects as there is memory for") {
  const auto kept = [](int n) {
    return in_child([&] {
      ProgramBench b(mpi_run, {{"/library/unexpected", "3"}});
      b.program(0, [&](comm::Rank& r) {
        for (int i = 0; i < n; ++i) r.world().send(1, 7, bytes(64_B));
        r.world().send(1, 8, bytes(64_B));
      });
      b.program(1, [&](comm::Rank& r) {
        r.world().recv(0, 8, bytes(64_B));
        for (int i = 0; i < n; ++i) r.world().recv(0, 7, bytes(64_B));
      });
      try {
        b.run();
      } catch (const std::exception& e) {
        return std::string(e.what());
      }
      return std::string();
    });
  };
  CHECK(kept(3) == "");
  CHECK_THAT(kept(4), Catch::Contains("rank 1 keeps 3 messages that nobody has posted a receive for"));
}

}  // namespace mpi_limits_test
