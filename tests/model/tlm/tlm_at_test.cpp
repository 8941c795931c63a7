// SPDX-License-Identifier: Apache-2.0
// A card whose inside is an approximately-timed TLM-2.0 model (base protocol, IEEE 1666-2011, 15.2).
#include "model/tlm/at_initiator.hpp"

namespace tlm_at_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

// A read of 64 B of host memory.
Time round_trip() { return (on_wire(20_B) + 1_ns) + (200_ns + 1_ns + 50_ns + 1_ns + 200_ns) + (on_wire(84_B) + 1_ns); }

void one_read(Ends how) {
  TlmBench b;
  AtInitiator dma("dma", b.card(0));
  dma.ends = [how] { return how; };
  thread([&] {
    AtInitiator::Transaction& x = dma.begin(tlm::TLM_READ_COMMAND, 0x1000, Data(64, 0xee), 7_ns);
    CHECK(x.end_req == 7_ns);
    dma.wait_for(x);
    CHECK(x.begin_resp == 7_ns + round_trip());
    CHECK(x.t.get_response_status() == tlm::TLM_OK_RESPONSE);
    CHECK(x.data == Data(64, 0));
  });
  b.run();
  expect_released(dma);
  b.expect_all_home();
}

}  // namespace

TEST_CASE("a non-blocking read whose response ends later") { one_read(Ends::later); }
TEST_CASE("a non-blocking read whose response the initiator completes") { one_read(Ends::at_once); }
TEST_CASE("a non-blocking read whose response the initiator updates to its end") { one_read(Ends::updated); }
TEST_CASE("a non-blocking read whose response's end comes inside its begin") { one_read(Ends::inside); }

namespace {

/// Three reads whose responses end so long after their begin.
void three_reads(Ends how) {
  TlmBench b;
  AtInitiator dma("dma", b.card(0));
  dma.ends = [how] { return how; };
  dma.end_after = 900_ns;
  thread([&] {
    for (int i = 0; i < 3; ++i) dma.begin(tlm::TLM_READ_COMMAND, 0x1000, Data(64));
    for (const auto& x : dma.all) dma.wait_for(*x);
    for (std::size_t i = 0; i < 3; ++i)
      CHECK(dma.all[i]->begin_resp == round_trip() + 900_ns * static_cast<std::int64_t>(i));
  });
  b.run();
  CHECK(dma.most_under_way == 3);
  expect_released(dma);
  b.expect_all_home();
}

}  // namespace

TEST_CASE("a response waits for the end of the one before it") { three_reads(Ends::later); }
TEST_CASE("a response waits as long as the one before it says that it lasts") { three_reads(Ends::updated); }

TEST_CASE("a response whose end comes with a delay lasts so long") { three_reads(Ends::announced); }

TEST_CASE("a request does not end before the card has a fiber for it") {
  TlmBench b([](card::TlmCardConfig& c) { c.tags = 1; });
  AtInitiator dma("dma", b.card(0));
  dma.ends = [] { return Ends::at_once; };
  thread([&] {
    for (int i = 0; i < 3; ++i) dma.begin(tlm::TLM_READ_COMMAND, 0x1000, Data(64));
    for (std::size_t i = 0; i < 3; ++i) CHECK(dma.all[i]->end_req == round_trip() * static_cast<std::int64_t>(i));
  });
  b.run();
  CHECK(dma.most_under_way == 1);
  expect_released(dma);
}

TEST_CASE("many non-blocking transactions, whose responses end in every way, bring and take the right bytes") {
  TlmBench b;
  AtInitiator dma("dma", b.card(0));
  Dice dice(11);
  dma.ends = [&] { return dice.any({Ends::later, Ends::at_once, Ends::updated, Ends::inside}); };
  std::vector<AtInitiator::Transaction*> reads;
  std::vector<Data> expected;
  thread([&] {
    for (std::uint64_t i = 0; i < 60; ++i) {
      const Data data = drawn(dice, dice.number(1, 3000));
      const std::uint64_t at = 0x4000 * i + static_cast<std::uint64_t>(dice.number(0, 5000));
      AtInitiator::Transaction& w =
          dma.begin(tlm::TLM_WRITE_COMMAND, at, data, Time::from_fs(dice.number(0, 50'000'000)));
      dma.wait_for(w);
      CHECK(w.t.get_response_status() == tlm::TLM_OK_RESPONSE);
      expected.push_back(data);
      reads.push_back(&dma.begin(tlm::TLM_READ_COMMAND, at, Data(data.size(), 0xee)));
    }
    for (const auto& x : dma.all) dma.wait_for(*x);
    for (std::size_t i = 0; i < reads.size(); ++i) CHECK(reads[i]->data == expected[i]);
  });
  b.run();
  CHECK(dma.most_under_way > 1);
  expect_released(dma);
  b.expect_all_home();
}

TEST_CASE("a non-blocking read of nothing is an address error") {
  TlmBench b;
  AtInitiator dma("dma", b.card(0));
  thread([&] {
    AtInitiator::Transaction& x = dma.begin(tlm::TLM_READ_COMMAND, TlmBench::nowhere, Data(64));
    dma.wait_for(x);
    CHECK(x.t.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  });
  b.run();
  expect_released(dma);
  b.expect_all_home();
}

TEST_CASE("a non-blocking payload without a memory manager is an error") {
  TlmBench b;
  AtInitiator dma("dma", b.card(0));
  thread([&] {
    tlm::tlm_generic_payload t;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    CHECK_THROWS_WITH(dma.socket->nb_transport_fw(t, phase, delay),
                      Catch::Contains("card0: a non-blocking payload has no memory manager"));
  });
  b.run();
}

TEST_CASE("an END_RESP for no response is an error") {
  TlmBench b;
  AtInitiator dma("dma", b.card(0));
  thread([&] {
    tlm::tlm_generic_payload t;
    tlm::tlm_phase phase = tlm::END_RESP;
    sc_core::sc_time delay;
    CHECK_THROWS_WITH(dma.socket->nb_transport_fw(t, phase, delay), Catch::Contains("card0: END_RESP for no response"));
  });
  b.run();
}

// --- how a run ends ---

TEST_CASE("the run's end waits for a non-blocking transaction until its response has ended") {
  TlmBench b;
  AtInitiator dma("dma", b.card(0));
  dma.end_after = 5_us;
  thread([&] { dma.begin(tlm::TLM_READ_COMMAND, 0x1000, Data(64)); });
  b.at(100_ns, [] {});
  b.run();
  CHECK(b.sim().ended());
  CHECK(kernel_time() == round_trip() + 5_us);
  expect_released(dma);
  b.expect_all_home();
}

TEST_CASE("a non-blocking request that comes while a run is being brought to its end waits for the next one") {
  TlmBench b;
  AtInitiator dma("dma", b.card(0));
  Initiator other("other", b.card(1));
  thread([&] { other.read(0x1000, 64); });  // under way when the program ends
  AtInitiator::Transaction* held = nullptr;
  thread([&] {
    sc_core::wait(sc(300_ns));
    held = &dma.begin(tlm::TLM_READ_COMMAND, 0x1000, Data(64));
  });
  thread([] {
    for (;;) sc_core::wait(sc(1_us));
  });
  b.at(100_ns, [] {});
  b.run(1_ms);
  CHECK(kernel_time() == round_trip());
  CHECK(b.sim().held() == 1);
  CHECK(held == nullptr);
  b.expect_all_home();
  sc_core::sc_start(sc(1_us));
  REQUIRE(held != nullptr);
  CHECK(held->end_req == round_trip());
  CHECK(held->begin_resp == round_trip() * 2);
  CHECK(b.sim().held() == 0);
  expect_released(dma);
}

}  // namespace tlm_at_test
