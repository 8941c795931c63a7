// SPDX-License-Identifier: Apache-2.0
// PM over Myrinet: all of it arrives, once, whatever is lost; what acknowledgements cost, and who is given up.
#include <string>
#include <tuple>

#include "models/myrinet/lanai_card.hpp"
#include "system/infiniband/pm_traffic.hpp"

namespace pm_myrinet_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::Rank;

namespace {

std::string part(const std::string& name) {
  return R"({"$use": ")" TSUNAGI_TEST_CONFIGS "/parts/" + name + R"(.json"})";
}

/// Four nodes at one crossbar.
Overrides four() {
  std::string devices = R"("crossbar": )" + part("myrinet_xbar16"), links;
  for (const std::string i : {"0", "1", "2", "3"}) {
    devices += R"(, "node)" + i + R"(": )" + part("e7501_pm_myrinet_node");
    links += std::string(i == "0" ? "" : ", ") + R"({"ends": ["node)" + i + R"(.lanai.net", "crossbar.p)" + i +
             R"("], "wire": )" + part("myrinet_fibre_pm") + "}";
  }
  return {{"/machine", R"({"name": "four", "title": "four nodes", "topology": {"kind": "explicit", "devices": {)" +
                           devices + R"(}, "links": [)" + links +
                           R"(], "networks": [{"name": "myrinet", "routers": ["crossbar"], )" +
                           R"("routes": {"kind": "up_down", "root": "crossbar"}}]}})"}};
}

/// What the card of rank 1 has sent of them, and that of rank 0 more than once, when so many messages of rank 0 have
/// come.
std::string acknowledgements(int messages, const Overrides& more, Time pace = 4_us) {
  return in_child([&] {
    ProgramBench b("pm_messages_myrinet", more);
    b.program(0, [&](Rank& r) {
      auto pm = r.buffered();
      for (int i = 0; i < messages; ++i) {
        pm.send(1, 8_B);
        if (pace > Time::zero()) r.compute(pace);
      }
    });
    b.program(1, [&](Rank& r) {
      auto pm = r.buffered();
      for (int i = 0; i < messages; ++i) pm.release(pm.receive());
    });
    b.run();
    const auto cards = b.machine().all<myrinet::LanaiCard>();
    return std::to_string(cards.back()->reliable()->acknowledgements()) + " acknowledge, " +
           std::to_string(cards.front()->reliable()->sent_again()) + " go again";
  });
}

Time per_message(const std::string& run, const Overrides& more) {
  return cell<Time>(rows_of(run, more).rows.front(), "per_message");
}

const Overrides small{{"/scenario/sizes", "[\"8 B\"]"}};

}  // namespace

TEST_CASE("PM/Myrinet: what is sent comes once and in order, whatever is lost, with few buffers, windows of one") {
  const Overrides few{{"/library/receive_memory", "\"16 KiB\""}, {"/library/send_memory", "\"24 KiB\""}};
  const Overrides lossy{{"**/lanai/loss_ppm", "20000"}, {"**/lanai/reliable/retransmit_after", "\"500 us\""}};
  const Overrides one{{"**/lanai/reliable/window", "1"}};
  const Overrides each{{"**/lanai/reliable/acknowledge_each", "1"}};
  for (const Overrides& o : {Overrides{}, few, lossy, one, each, with(few, lossy), with(one, lossy), with(each, lossy),
                             with(one, with(few, lossy))})
    CHECK(pm_all_to_all("pm_messages_myrinet", 24, with(four(), o)) == "");
}

TEST_CASE("PM/Myrinet: one acknowledgement for several messages makes small ones faster") {
  const Time several = per_message("pm_messages_myrinet", small);
  const Time each = per_message("pm_messages_myrinet", with(small, {{"**/lanai/reliable/acknowledge_each", "1"}}));
  CHECK(each > several + 100_ns);
}

TEST_CASE("PM/Myrinet: messages are acknowledged once each so many, and what is left when its time has come") {
  const Overrides unhurried{{"**/lanai/reliable/acknowledge_after", "\"1 ms\""}, {"**/lanai/reliable/window", "1024"}};
  for (const auto& [each, messages, expected] :
       {std::tuple{1, 64, 64}, std::tuple{8, 64, 8}, std::tuple{16, 64, 4}, std::tuple{16, 65, 5}}) {
    CHECK(acknowledgements(messages, with(unhurried, {{"**/lanai/reliable/acknowledge_each", std::to_string(each)}})) ==
          std::to_string(expected) + " acknowledge, 0 go again");
  }
}

TEST_CASE("PM/Myrinet: nobody waits for a timer when nothing is lost") {
  const Overrides late{{"**/lanai/reliable/retransmit_after", "\"1 s\""}};
  CHECK(per_message("pm_messages_myrinet", with(small, late)) == per_message("pm_messages_myrinet", small));
  // A window that closes asks for its acknowledgement, which so many messages alone would not bring.
  const Overrides closed{{"**/lanai/reliable/window", "2"}, {"**/lanai/reliable/acknowledge_after", "\"1 ms\""}};
  CHECK(per_message("pm_messages_myrinet", with(small, closed)) < 10_us);
}

TEST_CASE("PM/Myrinet: a message without a receive buffer is told, and does not wait for a timer") {
  const Overrides one_buffer{{"/library/receive_memory", "\"8 KiB\""}};
  const Time t = per_message("pm_messages_myrinet", with(small, one_buffer));
  CHECK(t > per_message("pm_messages_myrinet", small));
  CHECK(t < 100_us);
  // Who is told waits: each message is answered twice at most, busy and taken.
  const std::string held = acknowledgements(64, with(one_buffer, {{"**/lanai/reliable/window", "32"}}), Time::zero());
  CHECK(std::stoi(held) <= 2 * 64);
}

TEST_CASE("PM/Myrinet: the last message that goes again is acknowledged at once") {
  const Overrides late{{"**/lanai/reliable/acknowledge_after", "\"1 ms\""},
                       {"/library/receive_memory", "\"8 KiB\""},
                       {"/library/send_memory", "\"16 KiB\""}};
  CHECK(in_child([&] {
          ProgramBench b("pm_messages_myrinet", late);
          Time done;
          b.program(0, [&](Rank& r) {
            auto pm = r.buffered();
            for (int i = 0; i < 2; ++i) pm.send(1, 8_B);
            for (int i = 0; i < 2; ++i)  // there are two send buffers: when both messages are done
              while (!pm.get_buffer(1, 8_B)) pm.wait();
            done = r.now();
          });
          b.program(1, [&](Rank& r) {
            auto pm = r.buffered();
            r.compute(100_us);
            for (int i = 0; i < 2; ++i) pm.release(pm.receive());
          });
          b.run();
          REQUIRE(b.machine().all<myrinet::LanaiCard>().back()->reliable()->without_buffer() == 1);
          REQUIRE(done > 100_us);
          REQUIRE(done < 200_us);
          return std::string("ok");
        }) == "ok");
}

TEST_CASE("PM/Myrinet: who is heard of is not given up, however often it had to be asked again before") {
  const Overrides often{{"**/lanai/loss_ppm", "50000"},
                        {"**/lanai/reliable/window", "1"},
                        {"**/lanai/reliable/retransmit_after", "\"500 us\""},
                        {"**/lanai/reliable/retries", "4"}};
  CHECK(pm_all_to_all("pm_messages_myrinet", 100, with(four(), often)) == "");
}

TEST_CASE("PM/Myrinet: writes and reads of any size come whole, though packets are lost") {
  for (const char* test : {"\"write\"", "\"read\""}) {
    const Overrides o{{"/scenario/test", test},
                      {"/scenario/sizes", "[\"1 B\", \"8 KiB\", \"100 KiB\"]"},
                      {"/scenario/volume", "\"400 KiB\""},
                      {"/scenario/iterations", "20"}};
    for (const Overrides& loss :
         {Overrides{}, {{"**/lanai/loss_ppm", "20000"}, {"**/lanai/reliable/retransmit_after", "\"500 us\""}}})
      CHECK(rows_of("pm_write_myrinet", with(o, loss)).rows.size() == 3);
  }
}

TEST_CASE("PM/Myrinet: trains of pieces give what single ones do") {
  for (const char* run : {"pm_messages_myrinet", "pm_write_myrinet"}) {
    const Overrides o{{"/scenario/sizes", "[\"8 B\", \"8 KiB\"]"},
                      {"/scenario/volume", "\"64 KiB\""},
                      {"/scenario/iterations", "20"},
                      {"**/lanai/loss_ppm", "10000"}};
    CHECK(per_message(run, with(o, {{"/options/max_train", "1"}})) == per_message(run, o));
  }
}

TEST_CASE("PM/Myrinet: who never answers is given up by name") {
  const std::string why =
      refusal("pm_messages_myrinet", {{"**/lanai/loss_ppm", "999999"}, {"**/lanai/reliable/retries", "3"}});
  CHECK(why.find("node0.lanai: terminal 1 does not answer: packet 0 to it was sent 4 times") != std::string::npos);
}

TEST_CASE("PM/Myrinet: what cannot be is refused by name") {
  CHECK(refusal("pm_messages_myrinet", {{"/library/longest", "\"16 KiB\""}})
            .find("messages of 16 KiB, of which a packet of node0.lanai holds 8 KiB") != std::string::npos);
  CHECK(refusal("pm_messages_myrinet", {{"**/lanai/firmware", "\"packets\""}})
            .find("library pm_myrinet needs \"firmware\": \"reliable\"") != std::string::npos);
  CHECK(
      refusal("pm_messages_myrinet", {{"/library", R"({"kind": "lanai"})"}, {"/scenario", R"({"kind": "ping_pong"})"}})
          .find("moves packets") != std::string::npos);
  CHECK(refusal("pm_messages_myrinet", {{"**/lanai/reliable/retransmit_after", "\"0 s\""}}).find("retransmit_after") !=
        std::string::npos);
  CHECK(refusal("pm_messages_myrinet", {{"**/lanai/send_queue", "\"host_memory\""}})
            .find("\"send_queue\" must be \"programmed_io\"") != std::string::npos);
}

TEST_CASE("pm_myrinet: a machine is taken down while packets are written to hosts") {
  for (const Time limit : {20_us, 30_us, 40_us, 60_us, 100_us}) {
    INFO(limit.fs());
    CHECK(in_child([limit] {
            ProgramBench b("pm_messages_myrinet");
            b.all([](comm::Rank& r) {
              for (int i = 0; i < 8; ++i) r.buffered().send(1 - r.id(), 8_KiB);
              r.buffered().wait();
            });
            return std::string(b.sim().run(limit) ? "it has ended" : "under way");
          }) == "under way");
  }
}

}  // namespace pm_myrinet_test
