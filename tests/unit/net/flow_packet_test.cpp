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
    p->set_payload(8_B);
    p->say_last(7);
    p->address = 0xdead;
    p->header<std::uint64_t>() = 99;
    first = p->id;
  }
  const PacketPtr again = pool.make();
  CHECK(again->id != first);
  CHECK_FALSE(again->contents);
  CHECK(again->address == 0);
  CHECK(again->header<std::uint64_t>() == 0);
}

TEST_CASE("a clone is a child of its original") {
  PacketPool pool;
  const PacketPtr a = pool.make();
  a->set_payload(64_B);
  a->say_last(5);
  a->header<std::uint64_t>() = 42;
  const PacketPtr b = pool.clone(*a);
  CHECK(b->id != a->id);
  CHECK(b->parent == a->id);
  CHECK(b->last_word() == 5);
  CHECK(b->contents.bytes().data != a->contents.bytes().data);
  CHECK(b->header<std::uint64_t>() == 42);
  CHECK(pool.outstanding() == 2);
  CHECK(pool.contents().outstanding() == 2);
}

TEST_CASE("the first packets of a train end before what its last bytes say") {
  PacketPool pool;
  const PacketPtr train = pool.make();
  train->set_train(5, 256_B, 88_B);
  train->address = 0x1000;
  train->say_last(7);
  const PacketPtr front = PacketPool::split_front(*train, 2);
  CHECK(front->id == train->id);
  CHECK_FALSE(front->contents);
  CHECK(front->total_payload() == 512_B);
  CHECK(train->last_word() == 7);
  CHECK(train->address == 0x1000 + 512);
  CHECK(train->origin_offset == 512);
  CHECK(train->total_payload() == 256_B * 2 + 88_B);
}

TEST_CASE("what a train says stays with its bytes where it is cut") {
  for (const std::int64_t at : {0, 100, 255, 256, 300, 508, 511, 512, 700}) {
    PacketPool pool;
    const PacketPtr train = pool.make();
    train->set_train(4, 256_B, 256_B);
    train->say(Bytes(at), flow::WordBytes(0x1122334455667788));
    const PacketPtr front = PacketPool::split_front(*train, 2);
    std::uint64_t sum = 0;
    for (int i = 0; i < 8; ++i) {
      const std::int64_t byte = at + i;
      const std::uint64_t said =
          byte < 512 ? front->contents.word(Bytes(byte), 1_B) : train->contents.word(Bytes(byte - 512), 1_B);
      sum |= said << 8 * i;
    }
    CHECK(sum == 0x1122334455667788);
    CHECK(static_cast<bool>(front->contents) == (at < 512));
    CHECK(static_cast<bool>(train->contents) == (at + 8 > 512));
  }
}

TEST_CASE("pieces of a train join unless both say something") {
  PacketPool pool;
  const PacketPtr train = pool.make();
  train->set_train(3, 64_B, 64_B);
  train->say_last(7);
  PacketPtr first = PacketPool::split_front(*train, 1);
  CHECK(first->continues_with(*train));
  first->say_last(1);
  CHECK_FALSE(first->continues_with(*train));
  train->contents.reset();
  CHECK(first->continues_with(*train));
}

TEST_CASE("words that a packet says are cut at its ends") {
  PacketPool pool;
  const PacketPtr p = pool.make();
  p->set_payload(4_B);
  p->say(0_B - 4_B, flow::WordBytes(0x1122334455667788));
  CHECK(p->last_word() == 0x11223344);
  p->say(0_B, flow::WordBytes(0x1122334455667788));
  CHECK(p->last_word() == 0x55667788);
  p->contents.reset();
  p->say(4_B, flow::WordBytes(1));
  CHECK_FALSE(p->contents);
  p->say_last(0);
  CHECK(p->contents);  // a zero is something
}

TEST_CASE("each packet of a train has a last word") {
  PacketPool pool;
  const PacketPtr p = pool.make();
  p->set_train(3, 16_B, 4_B);
  p->say(8_B, flow::WordBytes(5));
  p->say(32_B, flow::WordBytes(6));
  CHECK(p->last_word_of(0) == 5);
  CHECK(p->last_word_of(1) == 0);
  CHECK(p->last_word_of(2) == 6);
}

TEST_CASE("blocks of contents go home with their packets and are counted meanwhile") {
  PacketPool pool;
  {
    const PacketPtr p = pool.make();
    p->set_payload(64_B);
    CHECK(pool.contents().outstanding() == 0);
    p->say_last(7);
    p->say_last(8);
    CHECK(pool.contents().outstanding() == 1);
    const PacketPtr copy = pool.clone(*p);
    CHECK(pool.contents().outstanding() == 2);
  }
  CHECK(pool.contents().outstanding() == 0);
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
