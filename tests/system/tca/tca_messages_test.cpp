// SPDX-License-Identifier: Apache-2.0
// Two-sided messages over PEACH2: what arrives is what was sent, byte for byte, by whatever way.
#include <deque>
#include <map>
#include <random>

#include "system/program_bench.hpp"
#include "system/tca/tca_bytes.hpp"

namespace tca_messages_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::any_source;
using comm::any_tag;
using comm::Buffer;

namespace {

struct Message {
  int from = 0;
  int to = 0;
  int tag = 0;
  Bytes source;
  Bytes target;
  Bytes size;
};

/// Messages of random ranks, tags and lengths, around the eager limit and far beyond a packet.
std::vector<Message> messages(int ranks, int n, std::uint32_t seed) {
  constexpr std::int64_t lengths[] = {0, 1, 7, 64, 100, 2049, 5000, 16384, 16385, 20000};
  std::mt19937 random(seed);
  const auto draw = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
  std::vector<Message> out;
  for (int i = 0; i < n; ++i) {
    Message m;
    m.from = draw(ranks);
    m.to = (m.from + 1 + draw(ranks - 1)) % ranks;
    m.tag = draw(3);
    m.size = Bytes(lengths[draw(10)]);
    m.source = Bytes(draw(static_cast<int>(20000 - m.size.count()) + 1));
    m.target = 64_KiB + Bytes(20480) * i + Bytes(draw(100));
    out.push_back(m);
  }
  return out;
}

void send_all(comm::Rank& r, const std::vector<Message>& all) {
  comm::Group g = r.world();
  std::vector<comm::Request> requests;
  for (const Message& m : all)
    if (m.from == r.id()) requests.push_back(g.isend(m.to, m.tag, {m.source, m.size, {}, {}}));
  g.wait_all(requests);
}

}  // namespace

TEST_CASE("messages by source and tag bring every byte to its receive over PEACH2") {
  ProgramBench b("tca_pairs");
  const std::vector<Message> all = messages(8, 200, 1);
  fill(b, 20000_B, 100_us);
  b.all([&](comm::Rank& r) {
    r.wait_until(100_us);
    comm::Group g = r.world();
    // Some receives are posted before anything is sent, others long after it has arrived.
    std::vector<comm::Request> requests;
    const auto post = [&](std::size_t half) {
      for (std::size_t i = half * all.size() / 2; i < (half + 1) * all.size() / 2; ++i)
        if (all[i].to == r.id())
          requests.push_back(g.irecv(all[i].from, all[i].tag, {all[i].target, all[i].size, {}, {}}));
    };
    post(0);
    std::vector<comm::Request> sends;
    for (const Message& m : all)
      if (m.from == r.id()) sends.push_back(g.isend(m.to, m.tag, {m.source, m.size, {}, {}}));
    r.compute(20_us);
    post(1);
    g.wait_all(requests);
    g.wait_all(sends);
  });
  b.run();
  for (const Message& m : all) CHECK(differs(b, m.to, m.target, m.from, m.source, m.size) == "");
}

TEST_CASE("receives of any source and tag take each message once and in order over PEACH2") {
  ProgramBench b("tca_pairs");
  const std::vector<Message> all = messages(8, 120, 2);
  fill(b, 20000_B, 100_us);
  b.all([&](comm::Rank& r) {
    r.wait_until(100_us);
    comm::Group g = r.world();
    if (r.id() != 3) {
      std::vector<Message> to_three = all;
      for (Message& m : to_three) m.to = 3;
      return send_all(r, to_three);
    }
    std::map<std::pair<int, int>, std::deque<Message>> expected;
    std::size_t n = 0;
    for (const Message& m : all)
      if (m.from != 3) expected[{m.from, m.tag}].push_back(m), ++n;
    for (Bytes at = 64_KiB; n > 0; --n, at += 32_KiB) {
      const comm::Status found = g.probe(any_source, any_tag);
      const comm::Status s =
          g.recv(n % 2 == 0 ? any_source : found.source, n % 3 == 0 ? any_tag : found.tag, {at, found.size, {}, {}});
      REQUIRE(!expected[{s.source, s.tag}].empty());
      const Message m = expected[{s.source, s.tag}].front();
      expected[{s.source, s.tag}].pop_front();
      CHECK(s.size == m.size);
      CHECK(differs(b, 3, at, m.from, m.source, m.size) == "");
    }
  });
  b.run();
}

TEST_CASE("what nobody expects is kept aside until there is no room") {
  ProgramBench b("tca_pairs", {{"/library/messages", R"({"unexpected": 8, "slots": 4})"}});
  b.program(0, [](comm::Rank& r) {
    for (int i = 0; i < 13; ++i) r.world().send(1, 0, {{}, 8_B, {}, {}});
  });
  b.program(1, [](comm::Rank& r) { r.world().recv(0, 1, {{}, 8_B, {}, {}}); });
  CHECK_THROWS_WITH(b.run(), Catch::Contains("rank 1 keeps 8 messages that nobody has posted a receive for"));
}

TEST_CASE("a sender waits for buffers to be emptied") {
  ProgramBench b("tca_pairs", {{"/library/messages", R"({"slots": 2})"}});
  b.program(0, [](comm::Rank& r) {
    for (int i = 0; i < 5; ++i) r.world().send(1, 0, {{}, 8_B, {}, {}});
    CHECK(r.now() > 500_us);
  });
  b.program(1, [](comm::Rank& r) {
    r.compute(500_us);
    for (int i = 0; i < 5; ++i) r.world().recv(0, 0, {{}, 8_B, {}, {}});
  });
  b.run();
}

TEST_CASE("sends that wait for each other are told with their calls") {
  ProgramBench b("tca_pairs");
  for (const int rank : {0, 1, 2})
    b.program(rank, [rank](comm::Rank& r) {
      r.world().send((rank + 1) % 3, 5, {{}, 64_KiB, {}, {}});
      r.world().recv((rank + 2) % 3, 5, {{}, 64_KiB, {}, {}});
    });
  CHECK_THROWS_WITH(b.run(),
                    Catch::Contains("rank 0 in send with rank 1, tag 5, 64 KiB; rank 1 in send with rank 2, tag "
                                    "5, 64 KiB; rank 2 in send with rank 0, tag 5, 64 KiB"));
}

TEST_CASE("a message longer than its receive is told with both ranks") {
  for (const Bytes n : {100_B}) {
    ProgramBench b("tca_pairs");
    b.program(0, [n](comm::Rank& r) { r.world().send(1, 5, {{}, n, {}, {}}); });
    b.program(1, [](comm::Rank& r) { r.world().recv(0, 5, {{}, 64_B, {}, {}}); });
    CHECK_THROWS_WITH(b.run(),
                      Catch::Contains("truncated: rank 1 receives 64 B of rank 0 with tag 5, but the message of "
                                      "rank 0 with tag 5 has 100 B"));
  }
}

TEST_CASE("a message without bytes may come from a GPU") {
  ProgramBench b("tca_pairs");
  b.program(0, [](comm::Rank& r) { r.world().send(1, 0, {{}, {}, "gpu0", {}}); });
  b.program(1, [](comm::Rank& r) { CHECK(r.world().recv(0, 0, {{}, {}, {}, {}}).size == 0_B); });
  b.run();
}

TEST_CASE("a message from a place that is not there is told") {
  ProgramBench b("tca_pairs");
  b.program(0, [](comm::Rank& r) { r.world().send(1, 0, {{}, 64_B, "gpu7", {}}); });
  b.program(1, [](comm::Rank& r) { r.world().recv(0, 0, {{}, 64_B, {}, {}}); });
  CHECK_THROWS_WITH(b.run(), Catch::Contains("rank 0 sends: no place \"gpu7\" in node0"));
}

TEST_CASE("a short message for memory that the driver keeps is told") {
  ProgramBench b("tca_pairs");
  b.program(0, [](comm::Rank& r) { r.world().send(1, 0, {{}, 64_B, {}, {}}); });
  b.program(1, [&b](comm::Rank& r) { r.world().recv(0, 0, {b.library().largest_message() - 8_B, 64_B, {}, {}}); });
  CHECK_THROWS_WITH(b.run(), Catch::Contains("rank 1 receives: ") && Catch::Contains("the window shows"));
}

}  // namespace tca_messages_test
