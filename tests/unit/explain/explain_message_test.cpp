// SPDX-License-Identifier: Apache-2.0
#include "explain/message.hpp"
#include "unit/explain/explain_fixture.hpp"

namespace explain_message_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::Call;
using explain::History;
using explain::last_message;

namespace {

std::string where(int rank) { return rank == 0 ? core_name : peer_name; }

Call send(Bytes size, Time begin, Time end) { return {0, Call::Kind::send, 1, size, "pio", begin, end}; }
Call receive(Bytes size, Time begin, Time end) { return {1, Call::Kind::receive, 0, size, "pio", begin, end}; }

/// A message of each size, three times, 100 ns apart; a receive ends 50 ns after its send began.
void three_each(History& h, std::initializer_list<Bytes> sizes) {
  Time t;
  std::uint64_t item = 0;
  for (const Bytes size : sizes)
    for (int i = 0; i < 3; ++i, t += 100_ns) {
      h.call(send(size, t, t + 20_ns));
      h.stage(stage(++item, 0, net::Stage::poll, "poll", peer_name, t + 40_ns, t + 50_ns));
      h.stage(stage(++item, 0, net::Stage::step, "compute", core_name, t + 40_ns, t + 50_ns));
      h.call(receive(size, t + 10_ns, t + 50_ns));
    }
}

}  // namespace

TEST_CASE("explain: the last message, or the last of a size or method") {
  History h(two_wires());
  three_each(h, {8_B, 16_B});
  const explain::Message last = last_message(h, where);
  CHECK(last.send.size == 16_B);
  CHECK(last.send.begin == 500_ns);
  CHECK(last.receive.end == 550_ns);
  CHECK(last.latency() == 50_ns);
  CHECK(last.last_item == 11);  // the receiver's, not what the sender did meanwhile
  CHECK(last_message(h, where, {8_B, ""}).send.begin == 200_ns);
  CHECK(last_message(h, where, {8_B, "pio"}).send.begin == 200_ns);
}

TEST_CASE("explain: sends overlap with receives and match by their number") {
  History h(two_wires());
  h.call(send(8_B, 0_ns, 10_ns));
  h.call(send(8_B, 10_ns, 20_ns));
  h.stage(stage(1, 0, net::Stage::poll, "poll", peer_name, 90_ns, 100_ns));
  h.call(receive(8_B, 0_ns, 100_ns));
  CHECK(last_message(h, where).send.begin == 0_ns);
  h.call(receive(16_B, 100_ns, 110_ns));  // its send has not returned
  CHECK(last_message(h, where).send.begin == 0_ns);
}

TEST_CASE("explain: no message, or one that is no longer there, is told") {
  History h(two_wires());
  CHECK_THROWS_WITH(last_message(h, where, {8_B, "dma"}), Catch::Contains("no message of 8 B by dma was received"));
  History small(two_wires(), 16);
  small.call(send(1_MiB, 0_ns, 1_us));
  for (int i = 0; i < 30; ++i) {
    const Time t = 10_ns * i;
    small.stage(stage(1, 0, net::Stage::step, "copy", peer_name, t, t + 10_ns));
  }
  small.call(receive(1_MiB, 0_ns, 300_ns));
  CHECK_THROWS_WITH(last_message(small, where), Catch::Contains("--size"));
}

TEST_CASE("explain: a receiver that takes no time of its own ends with the packet that arrived") {
  History h(two_wires());
  h.hop(hop(1, 0, 1, 0_ns));
  h.hop(hop(2, 0, 1, 40_ns));
  h.hop(hop(3, 0, 1, 80_ns));
  h.call(send(8_B, 0_ns, 10_ns));
  h.call(receive(8_B, 0_ns, 90_ns));
  CHECK(last_message(h, [](int) { return std::string("b.mem"); }).last_item == 2);
}

}  // namespace explain_message_test
