// SPDX-License-Identifier: Apache-2.0
// Which bytes a transaction of somebody else's moves, against a walk over them one by one (IEEE 1666-2011, 14.12 ..
// 14.15).
#include <map>
#include <vector>

#include "models/tlm/enabled_bytes.hpp"
#include "support/catch.hpp"
#include "support/random/random_machine.hpp"

namespace tlm_bytes_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

/// A transaction with what it points to.
struct Payload {
  std::vector<unsigned char> data;
  std::vector<unsigned char> enables;
  tlm::tlm_generic_payload t;

  Payload(std::int64_t length, std::int64_t enables_length, std::int64_t streaming_width)
      : data(static_cast<std::size_t>(length)), enables(static_cast<std::size_t>(enables_length)) {
    t.set_command(tlm::TLM_WRITE_COMMAND);
    t.set_address(0x12345);
    t.set_data_ptr(data.data());
    t.set_data_length(static_cast<unsigned>(length));
    t.set_streaming_width(static_cast<unsigned>(streaming_width));
    if (enables_length == 0) return;
    t.set_byte_enable_ptr(enables.data());
    t.set_byte_enable_length(static_cast<unsigned>(enables_length));
  }
  Payload() : Payload(8, 0, 8) {}
};

struct Byte {
  std::uint64_t address;
  unsigned at;
  friend bool operator==(const Byte& a, const Byte& b) { return a.address == b.address && a.at == b.at; }
};

std::vector<Byte> one_by_one(const Payload& p) {
  std::vector<Byte> out;
  std::uint64_t address = p.t.get_address();
  for (unsigned i = 0; i < p.t.get_data_length(); ++i) {
    if (p.enables.empty() || p.enables[i % p.enables.size()] != 0) out.push_back({address, i});
    ++address;
    if ((i + 1) % p.t.get_streaming_width() == 0) address = p.t.get_address();
  }
  return out;
}

std::vector<Byte> bytes_of(const std::vector<card::EnabledBytes>& runs) {
  std::vector<Byte> out;
  for (const card::EnabledBytes& r : runs)
    for (unsigned i = 0; i < r.size; ++i) out.push_back({r.address + i, r.at + i});
  return out;
}

}  // namespace

TEST_CASE("byte enables and streaming widths: the bytes are those of a walk one by one, and no run could be longer") {
  Dice dice(1);
  for (int round = 0; round < 5000; ++round) {
    const std::int64_t length = dice.number(1, 70);
    const std::int64_t enables = dice.one_in(4) ? 0 : dice.number(1, 80);
    Payload p(length, enables, dice.one_in(3) ? length : dice.number(1, length + 10));
    for (unsigned char& e : p.enables) e = dice.one_in(3) ? 0x00 : 0xff;
    REQUIRE(card::refusal(p.t) == tlm::TLM_OK_RESPONSE);
    const std::vector<card::EnabledBytes> runs = card::enabled_bytes(p.t);
    const bool same = bytes_of(runs) == one_by_one(p);
    REQUIRE(same);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      REQUIRE(runs[i].size > 0);
      if (i == 0) continue;
      const card::EnabledBytes& before = runs[i - 1];
      const bool could_join = before.at + before.size == runs[i].at && before.address + before.size == runs[i].address;
      REQUIRE_FALSE(could_join);
    }
  }
}

TEST_CASE("a transaction of which no byte is enabled moves none") {
  Payload p(16, 3, 16);
  CHECK(card::refusal(p.t) == tlm::TLM_OK_RESPONSE);
  CHECK(card::enabled_bytes(p.t).empty());
}

TEST_CASE("a transaction whose bytes cannot be said is refused with the error of the attribute") {
  const Payload good;
  CHECK(card::refusal(good.t) == tlm::TLM_OK_RESPONSE);
  Payload read;
  read.t.set_read();
  CHECK(card::refusal(read.t) == tlm::TLM_OK_RESPONSE);
  Payload nothing;
  nothing.t.set_data_length(0);
  CHECK(card::refusal(nothing.t) == tlm::TLM_BURST_ERROR_RESPONSE);
  Payload nowhere;
  nowhere.t.set_data_ptr(nullptr);
  CHECK(card::refusal(nowhere.t) == tlm::TLM_BURST_ERROR_RESPONSE);
  Payload no_stream;
  no_stream.t.set_streaming_width(0);
  CHECK(card::refusal(no_stream.t) == tlm::TLM_BURST_ERROR_RESPONSE);
  Payload no_enables(8, 1, 8);
  no_enables.t.set_byte_enable_length(0);
  CHECK(card::refusal(no_enables.t) == tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  Payload unknown;
  unknown.t.set_command(static_cast<tlm::tlm_command>(3));
  CHECK(card::refusal(unknown.t) == tlm::TLM_COMMAND_ERROR_RESPONSE);
}

TEST_CASE("a transaction that is to be ignored is well, whatever its attributes") {
  tlm::tlm_generic_payload t;
  t.set_command(tlm::TLM_IGNORE_COMMAND);
  CHECK(card::refusal(t) == tlm::TLM_OK_RESPONSE);
}

}  // namespace tlm_bytes_test
