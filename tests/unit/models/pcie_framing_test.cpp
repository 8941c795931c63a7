// SPDX-License-Identifier: Apache-2.0
// Sizes and order of TLPs as in the PCI Express Base Specification.
#include "models/pcie/framing.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace pcie_framing_test {

using namespace tsunagi;
using pcie::PcieFraming;
using pcie::Tlp;
using pcie::TlpType;

namespace {

flow::PacketPool pool;

constexpr std::uint64_t four_gib = std::uint64_t{1} << 32;

/// `wide`: to an address that takes more than 32 bits.
flow::PacketPtr tlp(TlpType type, bool wide = true) {
  flow::PacketPtr p = pool.make();
  p->header<Tlp>().type = type;
  p->address = wide ? four_gib : four_gib - 4;
  return p;
}

Bytes total(TlpType type, bool wide, Bytes payload, pcie::Overheads o = {}) {
  return PcieFraming(o).size(*tlp(type, wide), payload).total();
}

}  // namespace

TEST_CASE("a TLP weighs payload, header of 3 or 4 DW and 8 bytes of framing") {
  CHECK(total(TlpType::memory_write, true, 256_B) == 280_B);
  CHECK(total(TlpType::memory_write, false, 256_B) == 276_B);
  CHECK(total(TlpType::memory_read, true, 0_B) == 24_B);
  CHECK(total(TlpType::memory_read, false, 0_B) == 20_B);
  CHECK(total(TlpType::completion_with_data, true, 256_B) == 276_B);  // completions carry no address
  CHECK(total(TlpType::completion, false, 0_B) == 20_B);
  CHECK(total(TlpType::memory_write, true, 8_B) == 32_B);
}

TEST_CASE("of a train that crosses 4 GiB only the packets below it have the short header") {
  const PcieFraming f;
  const auto p = tlp(TlpType::memory_write);
  p->set_train(10, 256_B, 8_B);
  CHECK(f.alike(*p) == 10);  // all above
  p->address = four_gib - 3 * 256;
  CHECK(f.alike(*p) == 3);
  p->address = four_gib - 3 * 256 + 4;
  CHECK(f.alike(*p) == 3);  // the last one begins below
  p->address = four_gib - 3 * 256 - 4;
  CHECK(f.alike(*p) == 4);
  p->address = 0;
  CHECK(f.alike(*p) == 10);
  p->header<Tlp>().type = TlpType::completion_with_data;
  p->address = four_gib - 256;
  CHECK(f.alike(*p) == 10);
}

TEST_CASE("payload travels in whole double words") {
  const flow::WireSize s = PcieFraming().size(*tlp(TlpType::memory_write), 5_B);
  CHECK(s.payload == 5_B);
  CHECK(s.header == 16_B);
  CHECK(s.total() == 8_B + 16_B + 8_B);
}

TEST_CASE("each overhead can be switched off") {
  CHECK(total(TlpType::memory_write, true, 256_B, {false, true}) == 264_B);
  CHECK(total(TlpType::memory_write, true, 256_B, {true, false}) == 272_B);
  CHECK(total(TlpType::memory_write, true, 256_B, {false, false}) == 256_B);
}

TEST_CASE("in flits nothing is around a TLP but its header, of 3 or 4 DW") {
  const pcie::Overheads flits{true, true, true};
  CHECK(total(TlpType::memory_write, true, 256_B, flits) == 272_B);
  CHECK(total(TlpType::memory_write, false, 5_B, flits) == 12_B + 8_B);
  CHECK(total(TlpType::memory_read, true, 0_B, flits) == 16_B);
  CHECK(total(TlpType::completion_with_data, true, 128_B, flits) == 140_B);
  CHECK(PcieFraming(flits).smallest() == 12_B);
}

TEST_CASE("a TLP takes one header credit and a data credit each 16 bytes") {
  const PcieFraming f;
  const auto p = tlp(TlpType::memory_write);
  CHECK(f.cost(*p, 256_B) == flow::Credits{1, 16});
  CHECK(f.cost(*p, 17_B) == flow::Credits{1, 2});
  CHECK(f.cost(*p, 8_B) == flow::Credits{1, 1});
  CHECK(f.cost(*p, 0_B) == flow::Credits{1, 0});
}

TEST_CASE("each transaction type has its credit class") {
  const PcieFraming f;
  CHECK(f.flow_class(*tlp(TlpType::memory_write)) == pcie::posted);
  CHECK(f.flow_class(*tlp(TlpType::memory_read)) == pcie::non_posted);
  CHECK(f.flow_class(*tlp(TlpType::completion_with_data)) == pcie::completion);
  CHECK(f.flow_class(*tlp(TlpType::completion)) == pcie::completion);
}

TEST_CASE("the ordering table holds row by row") {
  using namespace pcie;
  // Base Specification 2.4.1, table 2-37: may the row pass the column?
  CHECK(!tlp_may_pass(posted, posted));
  CHECK(tlp_may_pass(posted, non_posted));  // must: else deadlock
  CHECK(tlp_may_pass(posted, completion));
  CHECK(!tlp_may_pass(non_posted, posted));
  CHECK(!tlp_may_pass(non_posted, non_posted));
  CHECK(tlp_may_pass(non_posted, completion));
  CHECK(!tlp_may_pass(completion, posted));
  CHECK(tlp_may_pass(completion, non_posted));  // must: else deadlock
  CHECK(!tlp_may_pass(completion, completion));
}

TEST_CASE("the ordering table holds with relaxed and ID-based ordering") {
  using namespace pcie;
  // Base Specification 2.4.1, table 2-40: the row with its attributes, of the same requester as the column or another.
  struct Row {
    TlpClass later;
    bool relaxed, by_id, same_requester;
    bool posted_too;  // may it pass a posted write?
  };
  const Row rows[] = {
      {posted, false, false, true, false},      {posted, false, false, false, false},
      {posted, true, false, true, true},        {posted, false, true, true, false},
      {posted, false, true, false, true},       {posted, true, true, true, true},
      {non_posted, false, false, false, false}, {non_posted, true, false, false, false},  // B2a: not by this attribute
      {non_posted, false, true, true, false},   {non_posted, false, true, false, true},
      {completion, false, false, true, false},  {completion, true, false, true, true},
      {completion, false, true, true, false},   {completion, false, true, false, true},
  };
  for (const Row& row : rows) {
    CAPTURE(static_cast<int>(row.later), row.relaxed, row.by_id, row.same_requester);
    const Ordered later{row.later, {row.relaxed, row.by_id}, 7};
    const auto earlier = [&](TlpClass of) { return Ordered{of, {}, row.same_requester ? 7U : 8U}; };
    CHECK(tlp_may_pass(later, earlier(posted)) == row.posted_too);
    // Attributes change nothing beside that.
    for (const TlpClass of : {non_posted, completion})
      CHECK(tlp_may_pass(later, earlier(of)) == tlp_may_pass(row.later, of));
  }
  // Those of the earlier one count for nothing.
  CHECK_FALSE(tlp_may_pass(Ordered{posted, {}, 7}, Ordered{posted, {true, true}, 8}));
}

}  // namespace pcie_framing_test
