// SPDX-License-Identifier: Apache-2.0
// MPI over PM: which messages each of its protocols takes, what registration costs, and that all arrives.
#include <string>
#include <vector>

#include "support/child.hpp"
#include "system/program_bench.hpp"

namespace mpich_score_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

const char* const networks[]{"infiniband", "ethernet", "myrinet"};

std::string run_on(const std::string& network) { return "score_latency_" + network; }

/// One way, when everything has been used before.
Time latency(const std::string& network, const std::string& size, const Overrides& more = {}) {
  const Overrides one{{"/scenario/sizes", "[\"" + size + "\"]"}, {"/scenario/large_warm_up", "5"}};
  return cell<Time>(rows_of(run_on(network), with(one, more)).rows.front(), "latency");
}

/// Rank 0 sends messages of `sizes`, one after the other; rank 1 posts its receives in the opposite order, `late` after
/// that. Empty if each gets what was sent to it.
std::string backwards(const std::string& network, const std::vector<Bytes>& sizes, Time late, int max_train,
                      const std::string& findings = {}) {
  const std::string again = "again ";
  const std::string out = in_child([&] {
    ProgramBench b(run_on(network), {}, max_train, findings);
    std::string wrong;
    b.all([&](comm::Rank& r) {
      comm::Group g = r.world();
      const auto n = static_cast<int>(sizes.size());
      const auto tag_of = [&](int i) { return r.id() == 0 ? i : n - 1 - i; };
      if (r.id() == 1) r.wait_until(r.now() + late);
      std::vector<comm::Request> all;
      Bytes at;
      for (int i = 0; i < n; ++i) {
        const Bytes size = sizes[static_cast<std::size_t>(tag_of(i))];
        const comm::Buffer buffer{at, size, {}, {}};
        all.push_back(r.id() == 0 ? g.isend(1, tag_of(i), buffer) : g.irecv(0, tag_of(i), buffer));
        at += size;
      }
      g.wait_all(all);
      for (int i = 0; r.id() == 1 && i < n; ++i)
        if (all[static_cast<std::size_t>(i)].status().size != sizes[static_cast<std::size_t>(tag_of(i))])
          wrong += "message " + std::to_string(i) + " is another one\n";
    });
    try {
      if (const std::string found = b.attempt(); !found.empty()) return again + found;
    } catch (const std::exception& e) {
      return std::string(e.what());
    }
    return wrong;
  });
  if (out.compare(0, again.size(), again) != 0) return out;
  return backwards(network, sizes, late, max_train, out.substr(again.size()));
}

}  // namespace

TEST_CASE("mpich_score: a long message waits for two control messages more than a short one") {
  for (const std::string network : networks) {
    INFO(network);
    const std::string limit = network == "ethernet" ? "1404 B" : "4096 B";
    const std::string beyond = network == "ethernet" ? "1405 B" : "4097 B";
    CHECK(latency(network, beyond) > latency(network, limit) + latency(network, "0 B"));
    CHECK(latency(network, "8 B") < latency(network, "64 B"));
  }
}

TEST_CASE("mpich_score: what the pin-down cache does not keep is registered each time, at both ends") {
  const Overrides none{{"/library/pinned", "\"0 B\""}};
  for (const std::string network : networks) {
    INFO(network);
    // 16 pages each: the sender's before it says that it is ready, the receiver's behind that.
    const Time registration = Time::from_fs((5_us + 500_ns * 16).fs() * 2);
    const Time more = latency(network, "64 KiB", none) - latency(network, "64 KiB");
    CHECK(static_cast<double>(more.fs()) == Approx(registration.fs()).epsilon(0.02));
    CHECK(latency(network, "1 KiB", none) == latency(network, "1 KiB"));
  }
}

TEST_CASE("mpich_score: messages of all sizes find their receives in any order, early and late, in trains, too") {
  const std::vector<Bytes> sizes{0_B, 8_B, 1_KiB, 1404_B, 4_KiB, 4097_B, 100'000_B, 8_B};
  for (const std::string network : networks)
    for (const Time late : {0_ns, 5_ms})
      for (const int max_train : {1, 64}) {
        INFO(network << " " << late.fs() << " " << max_train);
        CHECK(backwards(network, sizes, late, max_train) == "");
      }
}

TEST_CASE("mpich_score: a long message is done for its sender when it has been written") {
  // The message behind it, which tells the receiver, is acknowledged later.
  const auto sent = [](const std::string& delay) {
    return Time::from_fs(std::stoll(in_child([&] {
      ProgramBench b(run_on("ethernet"), {{"/library/pm/acknowledge_delay", delay}});
      Time end;
      b.all([&](comm::Rank& r) {
        comm::Group g = r.world();
        const comm::Buffer buffer{{}, 64_KiB, {}, {}};
        if (r.id() == 1) return static_cast<void>(g.recv(0, 0, buffer));
        g.send(1, 0, buffer);
        end = r.now();
      });
      b.run();
      return std::to_string(end.fs());
    })));
  };
  CHECK(sent("\"1 ms\"") == sent("\"4 ms\""));
  CHECK(sent("\"1 ms\"") < 1300_us);  // 45 packets and three control messages
}

TEST_CASE("mpich_score: progress is made in calls alone") {
  // While the receiver computes nobody answers the ready to send.
  const auto received = [](Time computes) {
    return std::stoll(in_child([&] {
      ProgramBench b(run_on("infiniband"));
      Time end;
      b.all([&](comm::Rank& r) {
        comm::Group g = r.world();
        const comm::Buffer buffer{{}, 64_KiB, {}, {}};
        if (r.id() == 0) return g.send(1, 0, buffer);
        const comm::Request request = g.irecv(0, 0, buffer);
        r.compute(computes);
        g.wait_all({request});
        end = r.now();
      });
      b.run();
      return std::to_string(end.fs());
    }));
  };
  CHECK(static_cast<double>(received(1050_us) - received(50_us)) == Approx((1_ms).fs()).epsilon(0.001));
}

TEST_CASE("mpich_score: what cannot be is refused by name") {
  const auto refused = [](const std::string& network, const Overrides& more) { return refusal(run_on(network), more); };
  CHECK(refused("ethernet", {{"/library/eager_limit", "\"4 KiB\""}})
            .find("4 KiB and an envelope of 64 B are more than PM's messages hold: at most 1404 B do") !=
        std::string::npos);
  CHECK(refused("infiniband", {{"/library/pm", R"({"kind": "datagram"})"}})
            .find("is library datagram, none of pm, pm_ethernet, pm_myrinet") != std::string::npos);
  CHECK(refused("infiniband", {{"/library/unexpected", "1000000"}}).find("unexpected messages") != std::string::npos);
}

}  // namespace mpich_score_test
