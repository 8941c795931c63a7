// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "models/pcie/framing.hpp"
#include "net/link_layer/credit_updates.hpp"
#include "support/catch.hpp"
#include "units/parse.hpp"

namespace net_credit_updates_test {

using namespace tsunagi;
using namespace tsunagi::literals;
using net::CreditUpdates;

namespace {

/// 4 GB/s: the smallest TLP (20 B) takes 5 ns, 256 B of data 64 ns.
net::WireSpec wire() {
  net::WireSpec w;
  w.framing = std::make_shared<pcie::PcieFraming>();
  w.rate = Rate::bytes_per_second(4'000'000'000);
  w.flight = 10_ns;
  w.max_payload = 256_B;
  w.link_layer.dllp = 8_B;
  w.link_layer.update_delay = 400_ns;
  w.link_layer.update_at_once = {{1, 16}, {1, 1}, {1, 16}};
  return w;
}

constexpr flow::Credits endless{flow::Credits::infinite, flow::Credits::infinite};

}  // namespace

TEST_CASE("no update falls due before packets that are to come have been there for the limit") {
  net::WireSpec w = wire();
  const CreditUpdates none(w, 3, {});
  CHECK(none.quiet_until(100_ns, 150_ns) == Time::max());
  w.link_layer.credit_updates = true;
  const CreditUpdates updates(w, 3, {endless, endless, endless});
  CHECK(updates.quiet_until(100_ns, 150_ns) == 150_ns + 400_ns);
}

TEST_CASE("space that a packet holds may get free at any time and is told within the limit") {
  net::WireSpec w = wire();
  w.link_layer.credit_updates = true;
  CreditUpdates l(w, 3, {endless, endless, endless});
  l.spent(50_ns, 0, {1, 16});
  CHECK(l.quiet_until(100_ns, 150_ns) == 100_ns + 400_ns);
  l.freed(0, {1, 16}, net::Schedule::at(120_ns));  // known now: next_due tells
  CHECK(l.next_due() == 120_ns + 400_ns);
  CHECK(l.quiet_until(100_ns, 150_ns) == 150_ns + 400_ns);
}

TEST_CASE("it is told at once as soon as packets, one after the other, can have taken what is left") {
  net::WireSpec w = wire();
  w.link_layer.credit_updates = true;
  const CreditUpdates headers(w, 3, {{10, flow::Credits::infinite}, endless, endless});
  CHECK(headers.quiet_until(100_ns, 150_ns) == 150_ns + 9 * 5_ns);
  const CreditUpdates data(w, 3, {{flow::Credits::infinite, 64}, endless, endless});
  CHECK(data.quiet_until(100_ns, 150_ns) == 150_ns + 3 * 64_ns);
  net::WireSpec never = w;  // told at once
  never.link_layer.update_at_once = {};
  CHECK(CreditUpdates(never, 3, {{10, 64}, endless, endless}).quiet_until(100_ns, 150_ns) == 150_ns + 400_ns);
  CreditUpdates short_of(w, 3, {{2, flow::Credits::infinite}, endless, endless});
  short_of.spent(50_ns, 0, {1, 16});
  CHECK(short_of.quiet_until(100_ns, 150_ns) == 150_ns);
  short_of.spent(60_ns, 0, {1, 16});
  CHECK(short_of.quiet_until(100_ns, 150_ns) == 100_ns);
}

}  // namespace net_credit_updates_test
