// SPDX-License-Identifier: Apache-2.0
// Who is next at a port: turns, weights, priorities, of sources and of classes.
#include "models/pcie/framing.hpp"
#include "support/bench.hpp"
#include "support/child.hpp"

namespace arbitration_test {

using namespace tsunagi;
using namespace tsunagi::test;
using net::Arbitration;

namespace {

constexpr Bytes packet = on_link(256_B);  // 70 ns at Gen2 x8

/// As on PCIe, but classes pass each other as on virtual channels, and each packet has the header of a write.
class FreeClasses final : public pcie::PcieFraming {
 public:
  bool may_pass(flow::FlowClass later, flow::FlowClass earlier) const override { return later != earlier; }
  flow::WireSize size(const flow::Packet&, Bytes payload) const override { return {payload, 16_B, 8_B}; }
  /// b sets out before a, just before numbers begin again, c behind that, all capitals together later.
  std::uint32_t born(const flow::Packet& p) const override {
    const auto letter = static_cast<char>((p.address - far) / 0x1000);
    return letter == 'a' ? 0xfffffff0u : letter == 'b' ? 0xffffffe0u : letter == 'c' ? 2 : 7;
  }
};

net::WireSpec wire() {
  net::WireSpec w = spec_of(quiet(gen2_x8()));
  w.framing = std::make_shared<FreeClasses>();
  return w;
}

/// What waits at 0, one letter a packet in the order it is queued: a, b, c are writes of sources 0, 1, 2, capitals
/// their completions. Returns the letters in the order of arrival, which is back to back.
std::string order(const Arbitration& a, const std::string& waiting, std::vector<flow::Credits> buffers = {},
                  Time hold = 0_ns) {
  return in_child([&] {
    Bench b;
    net::PortSpec tx = port("out", 3);
    tx.arbitration = a;
    net::PortSpec rx = port("in");
    rx.rx.buffers = buffers;
    b.device("a", tx);
    b.device("b", ProbeConfig{{rx}, hold, false});
    b.wire("a.out", "b.in", wire());
    b.build();
    b.at(0_ns, [&] {
      for (const char c : waiting) {
        const bool completion = c < 'a';
        const int source = completion ? c - 'A' : c - 'a';
        const std::uint64_t address = far + 0x1000 * static_cast<std::uint64_t>(c);
        completion ? b.probe("a").complete(address, 256_B, source) : b.probe("a").write(address, 256_B, source);
      }
    });
    b.run();
    b.expect_all_home();
    std::string seen;
    for (const Arrival& x : b.probe("b").arrivals()) seen += static_cast<char>((x.address - far) / 0x1000);
    if (buffers.empty())
      CHECK(b.probe("b").arrivals().back().head == 70_ns * static_cast<std::int64_t>(waiting.size()) + 1_ns);
    return seen;
  });
}

Arbitration weights(std::vector<Bytes> w) {
  Arbitration a;
  a.weights = std::move(w);
  return a;
}

}  // namespace

TEST_CASE("sources have turns of one packet each") { CHECK(order({}, "aaaabbcc") == "bcabcaaa"); }

TEST_CASE("a turn is good for a source's weight in bytes on the wire") {
  CHECK(order(weights({packet * 3, packet, packet}), "aaaaaabbbccc") == "bcaaabcaaabc");
}

TEST_CASE("the last packet of a turn may exceed it") {
  CHECK(order(weights({packet + 1_B, packet, packet}), "aaaaabbbc") == "bcaabaaba");
}

TEST_CASE("sources without a weight have turns of one packet beside those with one") {
  CHECK(order(weights({packet * 2}), "aaaabbcc") == "bcaabcaa");
}

TEST_CASE("who has nothing more to send loses the rest of its turn") {
  CHECK(order(weights({packet * 5, packet * 2, packet}), "aabbbbccc") == "bbcaabbcc");
}

TEST_CASE("the highest priority that has anything goes first, equals in turn") {
  Arbitration a;
  a.priorities = {0, 7, 7};
  CHECK(order(a, "aaabbccc") == "bcbccaaa");
  a.priorities = {2, 1};
  CHECK(order(a, "abcabcabc") == "aaabbbccc");
}

TEST_CASE("priority is given up while there is no room for what it is for") {
  Arbitration a;
  a.priorities = {9};
  // One completion at a time, which stays for a microsecond; writes have room.
  constexpr auto inf = flow::Credits::infinite;
  CHECK(order(a, "AAbbb", {{inf, inf}, {inf, inf}, {1, inf}}, 1_us) == "AbbbA");
}

TEST_CASE("of one source's classes the oldest packet goes first, or one after the other") {
  Arbitration a;
  CHECK(order(a, "aaaAAA") == "aaaAAA");
  a.within = Arbitration::Within::round_robin;
  CHECK(order(a, "aaaaAA") == "aAaAaa");
  CHECK(order(a, "aaaAAAbbBB") == "baBAbaBAaA");
}

TEST_CASE("classes may have the turns, and in them one source after the other") {
  Arbitration a;
  a.takers = Arbitration::Takers::classes;
  a.weights = {packet * 2, packet, packet};
  CHECK(order(a, "aabbAABB") == "AabBabAB");
  a.weights.clear();
  a.priorities = {0, 0, 1};
  CHECK(order(a, "aabbAABB") == "ABABabab");
}

TEST_CASE("the oldest goes first where that is asked for, whatever came first and whose turn it is") {
  Arbitration a;
  a.oldest_first = true;
  CHECK(order(a, "aabbcc") == "bbaacc");
  CHECK(order(a, "ccbbaa") == "bbaacc");
  CHECK(order(a, "AABBCC") == "BCABCA");  // as old as each other: turns
  CHECK(order(a, "AaAbBb") == "bbaBAA");
  a.priorities = {0, 0, 1};
  CHECK(order(a, "aabbcc") == "ccbbaa");  // of one priority
}

TEST_CASE("priorities that are all equal are turns") {
  Arbitration equal;
  equal.priorities = {3, 3, 3};
  for (const char* waiting : {"aaaabbcc", "abcABC", "aAbBcCaAbBcC", "cccccab", "AAAbbbCCC"})
    CHECK(order(equal, waiting) == order({}, waiting));
}

}  // namespace arbitration_test
