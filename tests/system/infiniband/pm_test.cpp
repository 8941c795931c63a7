// SPDX-License-Identifier: Apache-2.0
// PM over InfiniBand of 2003: what a message costs, what it needs, and that all of it arrives, once.
#include <string>

#include "system/infiniband/pm_traffic.hpp"

namespace pm_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

const config::Override each_its_own{"/library/shared_receives", "false"};
const Overrides datagrams{{"/library/service", "\"reliable_datagram\""}, {"/library/inline_limit", "\"32 B\""}};

/// Reads of host memory that the sender's card begins for each message of so many bytes.
std::int64_t reads(const std::string& size) {
  const report::Rows rows = rows_of("pm_messages_gc_le", {{"/scenario/sizes", "[\"" + size + "\"]"}});
  const auto all = cell<std::int64_t>(rows.rows.front(), "reads"),
             n = cell<std::int64_t>(rows.rows.front(), "iterations");
  CHECK(all % n == 0);
  return all / n;
}

double per_message(const std::string& run, const Overrides& more) {
  return static_cast<double>(cell<Time>(rows_of(run, more).rows.front(), "per_message").fs());
}

/// Jobs that change each 100 ms, with messages under way.
const Overrides gang_scheduling{{"/scenario/at_end", "\"swap\""},
                                {"/scenario/rounds", "3"},
                                {"/scenario/messages", "60"},
                                {"/scenario/size", "\"8 KiB\""}};
/// `n` nodes of the machine of 1,024.
Overrides nodes(int n) { return {{"/machine/topology/nodes", std::to_string(n)}}; }

}  // namespace

TEST_CASE("pm: data in the request save a DMA up to 48 B, and each packet of longer messages is one") {
  CHECK(reads("1 B") == 1);
  CHECK(reads("48 B") == 1);
  CHECK(reads("49 B") == 2);
  CHECK(reads("2 KiB") == 2);
  CHECK(reads("8 KiB") == 5);
}

TEST_CASE("pm: what is sent comes once, whoever shares buffers, few or many, and whatever is lost") {
  const Overrides few{
      {"/library/receive_memory", "\"16 KiB\""}, {"/library/send_memory", "\"24 KiB\""}, {"/library/depth", "2"}};
  const Overrides lossy{{"/machine/topology/node/devices/hca/loss_ppm", "20000"}, {"/library/timeout_code", "8"}};
  for (const Overrides& o :
       {Overrides{}, {each_its_own}, datagrams, few, lossy, with(few, lossy), with(datagrams, with(few, lossy))}) {
    CHECK(pm_all_to_all("pm_receive_buffers", 12, with(nodes(4), o)) == "");
  }
}

TEST_CASE("pm: InfiniBand, Myrinet and Ethernet run the same file of pmtest, and are told apart by their times alone") {
  const Overrides file{{"/scenario", R"({"$use": ")" TSUNAGI_TEST_CONFIGS R"(/scenarios/pmtest.json"})"}};
  const report::Rows infiniband = rows_of("pm_messages_e7501", file), myrinet = rows_of("pm_messages_myrinet", file),
                     ethernet = rows_of("pm_messages_ethernet", file);
  REQUIRE(infiniband.rows.size() == 4);
  REQUIRE(myrinet.rows.size() == 4);
  REQUIRE(ethernet.rows.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    const auto said = [i](const report::Rows& all, const char* name) { return cell<Bytes>(all.rows[i], name); };
    for (const char* name : {"size", "bytes"}) {
      CHECK(said(myrinet, name) == said(infiniband, name));
      CHECK(said(ethernet, name) == said(infiniband, name));
    }
    const auto time = [i](const report::Rows& all) { return cell<Time>(all.rows[i], "per_message"); };
    CHECK(time(myrinet) < time(infiniband));
    CHECK(time(myrinet) < time(ethernet));
  }
}

TEST_CASE(
    "pm: what pmtest costs to simulate on Myrinet and Ethernet is a few wake-ups a packet-hop, and so many hops") {
  const auto cost = [](const char* run, std::int64_t most_hops, double most_wakeups) {
    const report::Cost c = simulated(run_of(run, {})).cost;
    CAPTURE(run, c.packet_hops, c.wakeups);
    CHECK(c.packet_hops <= static_cast<std::uint64_t>(most_hops));
    CHECK(static_cast<double>(c.wakeups) <= most_wakeups * static_cast<double>(c.packet_hops));
  };
  // Measured: 736,502 hops and 3.78 wake-ups each; 3,352,909 (pieces of 16 B) and 1.12.
  cost("pm_messages_ethernet", 800'000, 4.2);
  cost("pm_messages_myrinet", 3'700'000, 1.25);
}

TEST_CASE("pm: messages that had come before the first one was received beat no bound of the wire") {
  for (const char* size : {"8 B", "64 KiB"}) {
    const Overrides stream{{"/scenario", fmt::format(R"({{"kind": "stream", "sizes": ["{}"], "messages": 3}})", size)}};
    for (const char* run : {"pm_messages_e7501", "pm_messages_myrinet", "pm_messages_ethernet"}) {
      CAPTURE(size, run);
      CHECK(refusal(run, stream) == "no error");
    }
  }
}

TEST_CASE("pm: one queue pair for all peers waits for each acknowledgement") {
  const Overrides one_kib{{"/scenario/sizes", "[\"1 KiB\"]"}};
  const double connected = per_message("pm_messages_gc_le", one_kib);
  const double datagram = per_message("pm_messages_gc_le", with(one_kib, datagrams));
  CHECK(datagram > 1.5 * connected);
}

TEST_CASE("pm: receive buffers that are shared do not grow with the nodes, others do") {
  const auto memory = [](int n, const Overrides& more) {
    return cell<Bytes>(rows_of("pm_receive_buffers", with(nodes(n), more)).rows.front(), "receive_memory");
  };
  CHECK(memory(2, {}) == 8_MiB);
  CHECK(memory(8, {}) == 8_MiB);
  const Overrides own{each_its_own, {"/library/receive_memory", "\"1 MiB\""}};
  CHECK(memory(2, own) == 1_MiB);
  CHECK(memory(8, own) == 7_MiB);
}

TEST_CASE("pm: all that was sent comes once, whenever the network comes to rest, is saved and put back") {
  const Overrides quick{{"/scenario/quantum", "\"300 us\""}, {"/scenario/rounds", "6"}, {"/scenario/messages", "59"}};
  const Overrides few{
      {"/library/receive_memory", "\"16 KiB\""}, {"/library/send_memory", "\"24 KiB\""}, {"/library/depth", "2"}};
  const Overrides lossy{{"/machine/topology/node/devices/hca/loss_ppm", "10000"}, {"/library/timeout_code", "8"}};
  const Overrides each{{"/library/commands", "\"each\""}};
  for (const Overrides& o :
       {Overrides{}, few, lossy, each, Overrides{each_its_own}, with(few, each), with(few, lossy)}) {
    const report::Rows rows = rows_of("pm_send_stable", with(gang_scheduling, with(with(nodes(5), quick), o)));
    REQUIRE(rows.rows.size() == 6);
    for (const report::Row& r : rows.rows) {
      CHECK(cell<Time>(r, "stable") > 1_us);
      CHECK(cell<std::int64_t>(r, "messages") == 5 * 59);
    }
  }
}

TEST_CASE("pm: who has no free buffers comes to rest all the same, long before its peers would try again") {
  const Overrides few{
      {"/library/receive_memory", "\"8 KiB\""}, {"/scenario/rounds", "1"}, {"/scenario/messages", "12"}};
  const report::Rows rows = rows_of("pm_send_stable", with(gang_scheduling, with(nodes(4), few)));
  // All but one of each rank's messages find no receive.
  CHECK(cell<std::int64_t>(rows.rows.front(), "not_taken") > 40);
  CHECK(cell<Time>(rows.rows.front(), "stable") < 640_us);
}

TEST_CASE("pm: one command for all queue pairs does not grow with the nodes as one each does") {
  const auto stable = [](int n, const std::string& commands) {
    const report::Rows rows =
        rows_of("pm_send_stable", with(nodes(n), {{"/library/commands", "\"" + commands + "\""}}));
    return static_cast<double>(cell<Time>(rows.rows.front(), "stable").fs());
  };
  const double few = stable(9, "each");
  CHECK(stable(17, "each") == Approx(few * 2).epsilon(0.02));
  CHECK(stable(17, "range") == stable(9, "range"));  // a word of bits each
  CHECK(stable(2, "range") == stable(2, "each"));
}

TEST_CASE("pm: what is saved is 256 B a queue, and one each of queue pairs if they have receives of their own") {
  const auto contexts = [](int n, const Overrides& more) {
    const Overrides once = with(nodes(n), {{"/scenario/rounds", "1"}});
    return cell<Bytes>(rows_of("pm_send_stable", with(gang_scheduling, with(once, more))).rows.front(), "contexts");
  };
  CHECK(contexts(5, {}) == 256_B * (4 + 1 + 2));
  CHECK(contexts(5, {each_its_own}) == 256_B * (4 + 4 + 2));
}

TEST_CASE("pm: what cannot be is refused by name") {
  CHECK(refusal("pm_messages_gc_le", {{"/library/receive_memory", "\"4 KiB\""}})
            .find("\"receive_memory\" cannot hold one message") != std::string::npos);
  CHECK(refusal("pm_messages_gc_le", {{"/library/inline_limit", "\"49 B\""}})
            .find("49 B of data do not fit into a work request of node0.hca: 48 B do") != std::string::npos);
  CHECK(refusal("pm_messages_gc_le", {{"/scenario/sizes", "[\"16 KiB\"]"}})
            .find("messages of at most 8 KiB, the library's \"longest\", not 16 KiB") != std::string::npos);
  CHECK(refusal("ib_send_lat", {{"/scenario", R"({"kind": "pmtest"})"}})
            .find("the library has no messages in buffers of its own (pm has)") != std::string::npos);
  CHECK(refusal("ib_send_lat", {{"/library", R"({"kind": "pm", "service": "reliable_datagram"})"},
                                {"/scenario", R"({"kind": "pmtest"})"}})
            .find("has no reliable datagrams (\"firmware_hca\" has)") != std::string::npos);
  const std::string no_rest =
      "the library cannot bring its network to rest (pm can, with a queue pair a peer, on cards";
  CHECK(refusal("ib_send_lat", {{"/library", R"({"kind": "pm"})"}, {"/scenario", R"({"kind": "checkpoint"})"}})
            .find(no_rest) != std::string::npos);
  CHECK(refusal("pm_send_stable", datagrams).find(no_rest) != std::string::npos);
  CHECK(refusal("pm_send_stable", {{"/scenario/size", "\"16 KiB\""}})
            .find("messages of at most 8 KiB, the library's \"longest\", not 16 KiB") != std::string::npos);
}

}  // namespace pm_test
