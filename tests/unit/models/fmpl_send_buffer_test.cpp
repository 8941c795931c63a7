// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/fmpl/fmpl_send_buffer.hpp"

#include "support/catch.hpp"
#include "support/print.hpp"

namespace fmpl_send_buffer_test {

using namespace tsunagi;
using libraries::FmplSendBuffer;

namespace {

Bytes taken(FmplSendBuffer& b, Bytes n) {
  const Bytes at = b.room(n).value();
  b.take(at, n);
  return at;
}

}  // namespace

TEST_CASE("a send buffer gives the first gap that holds a message, in words of eight bytes") {
  FmplSendBuffer b(64_B);
  CHECK(taken(b, 9_B) == 0_B);
  CHECK(taken(b, 8_B) == 16_B);
  CHECK(taken(b, 40_B) == 24_B);
  CHECK_FALSE(b.room(1_B));
  b.give_back(0_B);
  CHECK_FALSE(b.room(17_B));
  CHECK(taken(b, 16_B) == 0_B);
  b.give_back(16_B);
  b.give_back(24_B);
  CHECK_FALSE(b.room(49_B));
  CHECK(taken(b, 48_B) == 16_B);
}

TEST_CASE("a send buffer of no bytes has no room") {
  CHECK_FALSE(FmplSendBuffer().room(1_B));
  CHECK_FALSE(FmplSendBuffer(8_B).room(9_B));
  CHECK(FmplSendBuffer(8_B).room(8_B) == 0_B);
}

}  // namespace fmpl_send_buffer_test
