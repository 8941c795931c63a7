// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/fmpl/fmpl_config.hpp"

namespace tsunagi::libraries {

void describe(FmplConfig& c, config::Describer& d) {
  using namespace config;
  constexpr std::int64_t most = 1'000'000;
  describe(static_cast<ComBufNodeConfig&>(c), d);
  d.field("slots", c.slots, "matching slots of each pair of ranks: the lower half for tags, the upper for collectives",
          within(2, 65536));
  d.field("begin_cycles", c.begin_cycles, "core cycles in which a send or a receive begins",
          within(std::int64_t{0}, most), ideal(std::int64_t{0}));
  d.field("header_cycles", c.header_cycles, "core cycles in which a receive makes its header, beside the stores",
          within(std::int64_t{0}, most), ideal(std::int64_t{0}));
  d.field("post_cycles", c.post_cycles, "core cycles in which a receive is noted down behind that",
          within(std::int64_t{0}, most), ideal(std::int64_t{0}));
  d.field("broadcast_buffer", c.broadcast_buffer, "each of the two buffers of hardware broadcasts",
          within(4_KiB, 64_MiB));
  d.field("any_tag", c.any_tag, "receives may have any tag: each send of a program looks for their headers, too");
  d.field(
      "any_source", c.any_source,
      "send_any and recv_any are there: sends with method \"any\", and receives from any rank, which meet no others");
  d.field("send_buffer", c.send_buffer,
          "where a rank keeps the data of sends that nobody has received in time (one-copy communication); 0 B: sends "
          "wait for their receives",
          within(0_B, 64_GiB));
  d.field("timeout", c.timeout, "how long a send waits for its receive before it copies its data there",
          at_most(1000_s));
  d.require(c.send_buffer > Bytes::zero() || c.timeout == Time::zero(), "\"timeout\" needs a \"send_buffer\"");
}

}  // namespace tsunagi::libraries
