// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "models/sr8000/tcw.hpp"
#include "support/catch.hpp"

namespace sr8000_tcw_test {

using namespace tsunagi;
using sr8000::Tcw;

TEST_CASE("tcw: what is encoded is decoded") {
  Tcw t;
  t.source = 0x1234'5678'9abc;
  t.length = Bytes(0x1'0000'0001);
  t.destination = 4095;
  t.last = 4097;
  t.field = 513;
  t.offset = 0xffff'ffff'ff;
  t.broadcast = true;
  t.flagged = true;
  t.flag_field = 515;
  t.flag_offset = 0x7fff'ffff'fff8;
  const Tcw d = sr8000::decode_tcw(encode(t).data());
  CHECK(d.source == t.source);
  CHECK(d.length == t.length);
  CHECK(d.destination == t.destination);
  CHECK(d.last == t.last);
  CHECK(d.field == t.field);
  CHECK(d.offset == t.offset);
  CHECK(d.broadcast);
  CHECK(d.flagged);
  CHECK(d.flag_field == t.flag_field);
  CHECK(d.flag_offset == t.flag_offset);
  t.broadcast = false;
  CHECK(!sr8000::decode_tcw(encode(t).data()).broadcast);
  CHECK(sr8000::decode_tcw(encode(t).data()).flagged);
  t.flagged = false;
  CHECK(!sr8000::decode_tcw(encode(t).data()).flagged);
}

TEST_CASE("tcw: memory that nobody wrote is none, nor is one without data") {
  CHECK_THROWS_AS(sr8000::decode_tcw(sr8000::TcwBytes{}.data()), std::runtime_error);
  CHECK_THROWS_AS(sr8000::decode_tcw(encode(Tcw{}).data()), std::runtime_error);
}

TEST_CASE("tcw: a barrier's colour and corners") {
  const sr8000::BarrierCall b = sr8000::decode_barrier(encode(sr8000::BarrierCall{7, 0xfffffe, 0xffffff}));
  CHECK(b.colour == 7);
  CHECK(b.first == 0xfffffe);
  CHECK(b.last == 0xffffff);
}

}  // namespace sr8000_tcw_test
