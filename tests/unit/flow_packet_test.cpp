// SPDX-License-Identifier: Apache-2.0
#include "flow/packet.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace flow_packet_test {

using namespace tsunagi;
using flow::PacketPool;
using flow::PacketPtr;

TEST_CASE("packets go home by themselves and are counted meanwhile") {
  PacketPool pool;
  {
    const PacketPtr a = pool.make();
    PacketPtr b = pool.make();
    CHECK(pool.outstanding() == 2);
    const PacketPtr moved = std::move(b);
    CHECK(pool.outstanding() == 2);
    CHECK(a->id != moved->id);
  }
  CHECK(pool.outstanding() == 0);
}

TEST_CASE("a recycled packet is as new, with an id of its own") {
  PacketPool pool;
  std::uint64_t first = 0;
  {
    const PacketPtr p = pool.make();
    p->value = 7;
    p->address = 0xdead;
    p->header<std::uint64_t>() = 99;
    first = p->id;
  }
  const PacketPtr again = pool.make();
  CHECK(again->id != first);
  CHECK(again->value == 0);
  CHECK(again->address == 0);
  CHECK(again->header<std::uint64_t>() == 0);
}

TEST_CASE("a clone is a child of its original") {
  PacketPool pool;
  const PacketPtr a = pool.make();
  a->value = 5;
  a->header<std::uint64_t>() = 42;
  const PacketPtr b = pool.clone(*a);
  CHECK(b->id != a->id);
  CHECK(b->parent == a->id);
  CHECK(b->value == 5);
  CHECK(b->header<std::uint64_t>() == 42);
  CHECK(pool.outstanding() == 2);
}

TEST_CASE("the first packets of a train end before what its last bytes say") {
  PacketPool pool;
  const PacketPtr train = pool.make();
  train->set_train(5, 256_B, 88_B);
  train->address = 0x1000;
  train->value = 7;
  const PacketPtr front = PacketPool::split_front(*train, 2);
  CHECK(front->id == train->id);
  CHECK(front->value == 0);
  CHECK(front->total_payload() == 512_B);
  CHECK(train->value == 7);
  CHECK(train->address == 0x1000 + 512);
  CHECK(train->origin_offset == 512);
  CHECK(train->total_payload() == 256_B * 2 + 88_B);
}

TEST_CASE("the last packet of a train may be shorter") {
  PacketPool pool;
  const PacketPtr p = pool.make();
  p->count = 3;
  p->payload = 256_B;
  p->last_payload = 88_B;
  CHECK(p->payload_of(0) == 256_B);
  CHECK(p->payload_of(2) == 88_B);
  CHECK(p->total_payload() == 600_B);
}

}  // namespace flow_packet_test
