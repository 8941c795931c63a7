// SPDX-License-Identifier: Apache-2.0
// Ranges of sizes that a library's limits make, and what is one range.
#include "comm/facets/protocols.hpp"

#include "support/catch.hpp"
#include "units/bytes.hpp"

namespace protocols_test {

using namespace tsunagi;
using comm::Buffer;
using comm::Protocol;
using comm::ProtocolRange;

namespace {

/// Short ones up to 8 B, long ones beyond 100 B; 50 B changes nothing.
class Three final : public comm::Protocols {
 public:
  std::vector<Bytes> limits() const override { return {100_B, 8_B, Bytes(-1), 50_B, 8_B}; }
  Protocol protocol(int from, int to, const Buffer& b) const override {
    const std::string way = std::to_string(from) + " to " + std::to_string(to);
    if (b.size <= 8_B) return {"short", 2, 0, {}, way};
    return {b.size <= 100_B ? "middle" : "long", 0, 1, {"ready to send"}, way};
  }
};

class One final : public comm::Protocols {
 public:
  std::vector<Bytes> limits() const override { return {}; }
  Protocol protocol(int, int, const Buffer&) const override { return {"only", 1, 0, {}, "there is no other"}; }
};

}  // namespace

TEST_CASE("a table of protocols has a row for what goes alike, each behind the one before") {
  const std::vector<ProtocolRange> all = comm::protocol_table(Three(), 3, 4, {});
  REQUIRE(all.size() == 3);
  CHECK(all[0] == ProtocolRange{0_B, 8_B, {"short", 2, 0, {}, "3 to 4"}});
  CHECK(all[1] == ProtocolRange{9_B, 100_B, {"middle", 0, 1, {"ready to send"}, "3 to 4"}});
  CHECK(all[2] == ProtocolRange{101_B, std::nullopt, {"long", 0, 1, {"ready to send"}, "3 to 4"}});
}

TEST_CASE("a library without limits has one row") {
  const std::vector<ProtocolRange> all = comm::protocol_table(One(), 0, 1, {});
  REQUIRE(all.size() == 1);
  CHECK(all[0].least == 0_B);
  CHECK(!all[0].most);
}

}  // namespace protocols_test
