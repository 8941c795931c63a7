// SPDX-License-Identifier: Apache-2.0
// Buffers that are laid out for packets of a size, on wires of other ones.
#include "net/specs.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace net_buffers_test {

using namespace tsunagi;

TEST_CASE("on a wire of larger packets a buffer has more data space, in proportion, and as many headers") {
  net::RxSpec rx;
  rx.buffers = {{64, 256}, {flow::Credits::infinite, 33}, {7, flow::Credits::infinite}};
  const auto data = [&rx](Bytes max_payload) { return rx.buffers_for(max_payload)[0].data; };
  CHECK(data(4_KiB) == 256);
  rx.laid_out_for = 2_KiB;
  CHECK(data(4_KiB) == 512);
  CHECK(data(2_KiB) == 256);
  CHECK(data(256_B) == 256);
  CHECK(data(3_KiB) == 384);
  CHECK(rx.buffers_for(3_KiB)[1].data == 50);  // 49.5
  CHECK(rx.buffers_for(4_KiB)[2].data == flow::Credits::infinite);
  CHECK(rx.buffers_for(4_KiB)[0].headers == 64);
  CHECK(rx.buffers_for(4_KiB)[1].headers == flow::Credits::infinite);
}

}  // namespace net_buffers_test
