// SPDX-License-Identifier: Apache-2.0
// A card whose inside is a TLM-2.0 model: what the cluster asks of the model.
#include <array>

#include "model/tlm/tlm_bench.hpp"

namespace tlm_window_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

/// How long a read of card0's window by card1 takes.
Time read_takes(TlmBench& b) {
  Initiator dma("dma", b.card(1));
  Time returned;
  thread([&] {
    dma.read(TlmBench::window + 0x100, 64);
    returned = kernel_time();
  });
  b.run();
  b.expect_all_home();
  return returned;
}

// There and back through the root complex.
Time round_trip() {
  return (on_wire(24_B) + 1_ns + 150_ns) + (on_wire(24_B) + 1_ns) + (on_wire(84_B) + 1_ns + 150_ns) +
         (on_wire(84_B) + 1_ns);
}

/// What card1's read of card0's window ends with.
tlm::tlm_response_status read_ends(TlmBench& b, Initiator& dma, std::size_t n = 64) {
  tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
  thread([&] {
    Data data(n);
    status = dma.read(TlmBench::window, data);
  });
  b.run();
  b.expect_all_home();
  return status;
}

}  // namespace

TEST_CASE("a read of a card's window takes the ways there and back") {
  TlmBench b;
  const Target target("target", b.card(0));
  CHECK(read_takes(b) == round_trip());
  REQUIRE(target.served.size() == 1);
  CHECK(target.served[0].address == 0x100);
  CHECK(target.served[0].size == 64);
}

TEST_CASE("the delay that a model's target annotates passes before its answer leaves") {
  TlmBench b;
  Target target("target", b.card(0));
  target.annotates = 123_ns;
  CHECK(read_takes(b) == round_trip() + 123_ns);
}

TEST_CASE("the time that a model's target waits passes, too") {
  TlmBench b;
  Target target("target", b.card(0));
  target.before = [](tlm::tlm_generic_payload&) { sc_core::wait(sc(77_ns)); };
  target.annotates = 123_ns;
  CHECK(read_takes(b) == round_trip() + 77_ns + 123_ns);
}

TEST_CASE("a core's write comes to the model's target byte for byte, and a read of it back") {
  TlmBench b;
  Target target("target", b.card(0));
  Dice dice(3);
  const Data data = drawn(dice, 60);
  b.core_writes(0_ns, TlmBench::window + 0x1004, data);
  b.at(1_us, [&] { b.probe("core").read(TlmBench::window + 0x1008, 8_B); });
  b.run();
  CHECK(Data(target.bytes.begin() + 0x1004, target.bytes.begin() + 0x1040) == data);
  REQUIRE(b.probe("core").arrivals().size() == 1);
  CHECK(b.probe("core").arrivals()[0].bytes == Data(data.begin() + 4, data.begin() + 12));
  b.expect_all_home();
}

namespace {

/// How a read of a window ends whose target answers so.
tlm::tlm_response_status read_answered_by(tlm::tlm_response_status answer) {
  TlmBench b;
  Target target("target", b.card(0));
  target.answer = answer;
  Initiator dma("dma", b.card(1));
  return read_ends(b, dma);
}

}  // namespace

TEST_CASE("an address that the model's target does not know is an address error for who reads it") {
  CHECK(read_answered_by(tlm::TLM_ADDRESS_ERROR_RESPONSE) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

TEST_CASE("another error of the model's target is a completer abort, a generic error for who reads it") {
  CHECK(read_answered_by(tlm::TLM_COMMAND_ERROR_RESPONSE) == tlm::TLM_GENERIC_ERROR_RESPONSE);
}

TEST_CASE("a target that says nothing of how a read ended has failed it") {
  CHECK(read_answered_by(tlm::TLM_INCOMPLETE_RESPONSE) == tlm::TLM_GENERIC_ERROR_RESPONSE);
}

TEST_CASE("of a read some of whose parts fail the worst is told") {
  TlmBench b;
  Target target("target", b.card(0));
  int n = 0;
  target.before = [&](tlm::tlm_generic_payload&) {
    ++n;
    target.answer = n == 3   ? tlm::TLM_GENERIC_ERROR_RESPONSE
                    : n == 5 ? tlm::TLM_ADDRESS_ERROR_RESPONSE
                             : tlm::TLM_OK_RESPONSE;
  };
  Initiator dma("dma", b.card(1));
  CHECK(read_ends(b, dma, 1000) == tlm::TLM_GENERIC_ERROR_RESPONSE);
}

TEST_CASE("where no target is bound a read is an unsupported request, and writes have failed") {
  TlmBench b;
  Initiator dma("dma", b.card(1));
  b.core_writes(5_us, TlmBench::window, Data(16, 1));  // the run ends with it
  CHECK(read_ends(b, dma) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(b.card(0).failed_writes() == 1);
  CHECK(b.sim().complaints() == 1);
}

TEST_CASE("writes that a model's target refuses are counted and told, though not to the writer") {
  TlmBench b;
  Target target("target", b.card(0));
  target.answer = tlm::TLM_ADDRESS_ERROR_RESPONSE;
  Initiator dma("dma", b.card(1));
  thread([&] {
    for (std::uint64_t i = 0; i < 15; ++i)
      CHECK(dma.write(TlmBench::window + 64 * i, Data(64)) == tlm::TLM_OK_RESPONSE);
  });
  b.run();
  CHECK(b.card(0).failed_writes() == 15);
  CHECK(b.sim().complaints() == 15);
  b.expect_all_home();
}

TEST_CASE("a read begins when the writes before it have ended, and no sooner") {
  TlmBench b;
  Target target("target", b.card(0));
  Time written;
  target.before = [&](tlm::tlm_generic_payload& t) {
    if (t.is_write()) sc_core::wait(sc(2_us));
    if (t.is_write()) written = kernel_time() + 500_ns;
    target.annotates = t.is_write() ? 500_ns : Time::zero();
  };
  Initiator dma("dma", b.card(1));
  thread([&] {
    dma.write(TlmBench::window, Data(256, 5));
    dma.write(TlmBench::window + 256, Data(256, 6));
    CHECK(dma.read(TlmBench::window + 300, 8) == Data(8, 6));
  });
  b.run();
  REQUIRE(target.served.size() == 3);
  CHECK(target.served[1].begin == target.served[0].begin + 2500_ns);
  CHECK(target.served[2].command == tlm::TLM_READ_COMMAND);
  CHECK(target.served[2].begin == written);
  b.expect_all_home();
}

TEST_CASE("reads are under way in a model's target together, as many as it has threads") {
  TlmBench b([](card::TlmCardConfig& c) { c.target_threads = 3; });
  Target target("target", b.card(0));
  int now = 0;
  int most = 0;
  target.before = [&](tlm::tlm_generic_payload&) {
    most = std::max(most, ++now);
    sc_core::wait(sc(1_us));
    --now;
  };
  Initiator dma("dma", b.card(1));
  CHECK(read_ends(b, dma, 512) == tlm::TLM_OK_RESPONSE);  // eight pieces
  CHECK(target.served.size() == 8);
  CHECK(most == 3);
}

TEST_CASE("a write gets to a model's target though all its threads are in reads that wait for it") {
  TlmBench b([](card::TlmCardConfig& c) { c.target_threads = 1; });
  Target target("target", b.card(0));
  sc_core::sc_event doorbell;
  target.before = [&](tlm::tlm_generic_payload& t) {
    if (t.is_write())
      doorbell.notify(sc_core::SC_ZERO_TIME);
    else
      sc_core::wait(doorbell);
  };
  Initiator dma("dma", b.card(1));
  b.core_writes(10_us, TlmBench::window, Data(8, 1));
  CHECK(read_ends(b, dma) == tlm::TLM_OK_RESPONSE);
}

TEST_CASE("a model's target may ask the cluster itself before it answers") {
  TlmBench b;
  Target target("target", b.card(0));
  Initiator inner("inner", b.card(0));
  target.before = [&](tlm::tlm_generic_payload& t) {
    const Data data = inner.read(0x4000, t.get_data_length());
    std::copy(data.begin(), data.end(), target.bytes.begin() + static_cast<std::ptrdiff_t>(t.get_address()));
  };
  Initiator dma("dma", b.card(1));
  thread([&] {
    dma.write(0x4000, Data(64, 0x77));
    dma.read(0x4000, 64);
    CHECK(dma.read(TlmBench::window + 0x40, 64) == Data(64, 0x77));
  });
  b.run();
  b.expect_all_home();
}

TEST_CASE("a model's target has the stack that the kernel's threads have") {
  TlmBench b;
  Target target("target", b.card(0));
  target.before = [](tlm::tlm_generic_payload&) {
    std::array<volatile char, 200'000> large;
    for (std::size_t i = 0; i < large.size(); i += 512) large[i] = 1;
  };
  Initiator dma("dma", b.card(1));
  CHECK(read_ends(b, dma) == tlm::TLM_OK_RESPONSE);
}

TEST_CASE("what comes to a card that is wired to no root complex, and not to its window, is refused") {
  card::TlmCardConfig c;
  c.bar_base = Bytes(far);
  c.bar_size = 4_KiB;
  LoneCard b(c);
  Target target("target", b.card());
  b.at(0_ns, [&] {
    b.probe("host").read(far + 4096, 8_B);
    b.probe("host").write(far - 8, 8_B);
    b.probe("host").write(far + 4088, 8_B);
  });
  b.run();
  REQUIRE(target.served.size() == 1);
  CHECK(target.served[0].address == 4088);
  CHECK(b.sim().complaints() == 2);
  REQUIRE(b.probe("host").arrivals().size() == 1);
  CHECK(b.probe("host").arrivals()[0].tlp_class == pcie::completion);
  CHECK(b.probe("host").arrivals()[0].payload == 0_B);
  b.expect_all_home();
}

}  // namespace tlm_window_test
