// SPDX-License-Identifier: Apache-2.0
#include "net/link_layer/acknowledgements.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"
#include "units/parse.hpp"

namespace net_acknowledgements_test {

using namespace tsunagi;
using namespace tsunagi::literals;
using net::Acknowledgements;
using net::LinkTimeline;

namespace {

/// 4 GB/s: a DLLP takes 2 ns.
net::WireSpec wire() {
  net::WireSpec w;
  w.rate = Rate::bytes_per_second(4'000'000'000);
  w.flight = 10_ns;
  w.link_layer.acks = true;
  w.link_layer.dllp = 8_B;
  w.link_layer.ack_delay = 100_ns;
  w.link_layer.replay_timer = 1_us;
  return w;
}

/// A packet of 280 B is there at 50 ns, and its ACK gets lost.
void lose_one(Acknowledgements& a, const net::WireSpec& w) {
  net::BitErrors always(1, 1, "wire");
  LinkTimeline reverse(w);
  a.sent(50_ns, 280_B);
  a.send_next(reverse, &always, {});
}

}  // namespace

TEST_CASE("an ACK covers every packet that is there when it falls due, and is read a flight later") {
  const net::WireSpec w = wire();
  Acknowledgements a(w);
  LinkTimeline reverse(w);
  a.sent(50_ns, 280_B);
  a.sent(150_ns, 100_B);
  a.sent(150_ns + 1_fs, 20_B);
  CHECK(a.next_due() == 150_ns);
  a.send_next(reverse, nullptr, {});
  CHECK(a.told() == 150_ns + 2_ns + 10_ns);
  CHECK(a.next_due() == 250_ns + 1_fs);  // of the third
}

TEST_CASE("a lost ACK is made good a limit behind the replay that the sender's timer brings") {
  const net::WireSpec w = wire();
  Acknowledgements a(w);
  lose_one(a, w);
  CHECK(a.told() == Time::max());
  CHECK(a.next_due() == 50_ns + 1_us + 100_ns);
}

TEST_CASE("after a lost ACK all goes again that is there and not acknowledged, once") {
  const net::WireSpec w = wire();
  Acknowledgements a(w);
  lose_one(a, w);
  a.sent(500_ns, 40_B);
  a.sent(1050_ns, 100_B);
  a.sent(1050_ns + 1_fs, 20_B);
  CHECK(a.take_duplicates(1050_ns - 1_fs) == 0_B);
  CHECK(a.take_duplicates(1050_ns) == 280_B + 40_B + 100_B);
  CHECK(a.take_duplicates(2_us) == 0_B);
}

TEST_CASE("a wrong flit is asked for by the next one of the reverse direction") {
  net::WireSpec w = wire();
  w.rate = Rate::bytes_in(236, 2'000'000);
  w.flits = {256_B, 236_B, 0};
  Acknowledgements a(w);
  const LinkTimeline reverse(w);
  net::BitErrors errors(0.5, 1, "wire");
  CHECK(a.corrupted_flit(5_ns, *reverse.flits(), errors) == 6_ns + 10_ns);
  CHECK(a.corrupted_flit(6_ns - 1_fs, *reverse.flits(), errors) == 8_ns + 10_ns);
  CHECK(a.next_due() == 5_ns);
}

}  // namespace net_acknowledgements_test
