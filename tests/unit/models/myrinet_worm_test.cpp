// SPDX-License-Identifier: Apache-2.0
// A Myrinet packet as pieces: whatever its size, the pieces are the packet.
#include <memory>

#include "models/myrinet/worm.hpp"
#include "support/catch.hpp"

namespace myrinet_worm_test {

using namespace tsunagi;
using namespace tsunagi::myrinet;

namespace {

SourceRoute route_of(int bytes) {
  SourceRoute r;
  for (int i = 0; i < bytes; ++i) r.add(i);
  return r;
}

}  // namespace

TEST_CASE("Myrinet: pieces weigh what the packet does, begin with its head and end with its tail") {
  for (const int piece : {8, 16, 17, 64, 256})
    for (const int route : {0, 1, 3, 8, 16})
      for (const int n : {0, 1, 2, 3, 10, 11, 15, 16, 17, 250, 251, 252, 1000, 8192})
        for (const int most : {1, 3, 64}) {
          CAPTURE(piece, route, n, most);
          const LinkFraming framing(Bytes(piece), route);
          flow::PacketPool pool;
          Worm worm(route_of(route), 7, Bytes(n), framing, most);
          Bytes all, data;
          std::int64_t room = 0;
          bool first = true, last = false;
          while (!worm.done()) {
            const flow::PacketPtr p = pool.make();
            worm.next(*p);
            const Header& h = p->header<Header>();
            REQUIRE((h.head != 0) == first);
            REQUIRE(!last);
            last = h.tail != 0;
            REQUIRE(framing.more_follow(*p, 0) == !last);
            REQUIRE(p->count <= most);
            REQUIRE((p->count == 1 || (h.head == 0 && h.tail == 0)));
            for (std::int32_t i = 0; i < p->count; ++i) {
              const Bytes size = framing.size(*p, p->payload_of(i)).total();
              const std::int64_t cost = framing.cost(*p, p->payload_of(i)).data;
              REQUIRE(size > 0_B);
              REQUIRE(Bytes(cost) <= framing.largest_piece());
              REQUIRE(p->payload_of(i) <= framing.most_payload(0, 64_KiB));
              all += size;
              room += cost;
            }
            data += p->total_payload();
            first = false;
          }
          CHECK(last);
          CHECK(data == Bytes(n));
          CHECK(all == packet_size(route, Bytes(n)));
          CHECK(Bytes(room) == all - gap_size);
        }
}

TEST_CASE("Myrinet: 2 Gb/s are 4 ns a byte, and the gap lies in no buffer") {
  const LinkFraming framing(16_B, 8);
  flow::Packet p;
  Header& h = p.header<Header>();
  h.route = route_of(3);
  h.head = h.tail = 1;
  CHECK(framing.size(p, 2_B).total() == 3_B + 4_B + 2_B + 1_B + 1_B);
  CHECK(framing.cost(p, 2_B).data == 10);
  h.taken = 2;
  CHECK(framing.size(p, 2_B).total() == 1_B + 4_B + 2_B + 1_B + 1_B);
  CHECK(LinkConfig{}.bandwidth.time(1_B) == 4_ns);
  CHECK(h.route.bytes[2] == (0x80 | 2));
}

}  // namespace myrinet_worm_test
