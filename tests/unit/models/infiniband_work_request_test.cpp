// SPDX-License-Identifier: Apache-2.0
// Work requests, posted receives and completions as they lie in memory (linux-rdma, providers/mlx4), and numbers of
// packets.
#include <algorithm>

#include "models/infiniband/header.hpp"
#include "models/infiniband/work_request.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace infiniband_work_request_test {

using namespace tsunagi;
using namespace tsunagi::infiniband;

namespace {

constexpr Operation operations[] = {Operation::send, Operation::write, Operation::read, Operation::compare_and_swap,
                                    Operation::fetch_and_add};

WorkRequest request(Operation o, Bytes n, bool inlined = false, bool datagram = false) {
  WorkRequest r;
  r.operation = o;
  r.length = n;
  r.inlined = inlined;
  r.datagram = datagram;
  return r;
}

/// Of inline data behind `head` bytes: a header of 4 B before the first byte of each 64 B of the ring.
Bytes inlined_size(Bytes head, Bytes n) {
  std::int64_t at = head.count();
  for (std::int64_t i = 0; i < n.count(); ++i) {
    if (i == 0 || at % 64 == 0) at += 4;
    ++at;
  }
  return Bytes((at + 15) / 16 * 16);
}

void expect_same(const WorkRequest& a, const WorkRequest& b) {
  CHECK(a.operation == b.operation);
  CHECK(a.signalled == b.signalled);
  CHECK(a.inlined == b.inlined);
  CHECK(a.has_immediate == b.has_immediate);
  CHECK(a.immediate == b.immediate);
  CHECK(a.length == b.length);
  CHECK(a.local == b.local);
  CHECK(a.remote == b.remote);
  CHECK(a.operand == b.operand);
  CHECK(a.compare == b.compare);
  CHECK(a.datagram == b.datagram);
  CHECK(a.lid == b.lid);
  CHECK(a.queue_pair == b.queue_pair);
}

}  // namespace

TEST_CASE("a work request of a pointer takes its segments") {
  CHECK(size_of(request(Operation::send, 1_MiB)) == 32_B);
  CHECK(size_of(request(Operation::write, 1_MiB)) == 48_B);
  CHECK(size_of(request(Operation::read, 1_MiB)) == 48_B);
  CHECK(size_of(request(Operation::compare_and_swap, 8_B)) == 64_B);
  CHECK(size_of(request(Operation::fetch_and_add, 8_B)) == 64_B);
  CHECK(size_of(request(Operation::send, 2_KiB, false, true)) == 80_B);
}

TEST_CASE("inline data have a header at the start and in each 64 B") {
  for (const bool datagram : {false, true})
    for (const Operation o : {Operation::send, Operation::write}) {
      if (datagram && o == Operation::write) continue;
      const Bytes head = 16_B + (datagram ? 48_B : 0_B) + (o == Operation::write ? 16_B : 0_B);
      CHECK(inline_offset(request(o, 1_B, true, datagram)) == head + 4_B);
      for (Bytes n = 1_B; n <= 900_B; n += 1_B)
        REQUIRE(size_of(request(o, n, true, datagram)) == inlined_size(head, n));
    }
  // What just fits half of the BlueFlame register.
  CHECK(size_of(request(Operation::write, 208_B, true)) == 256_B);
  CHECK(size_of(request(Operation::write, 209_B, true)) == 272_B);
  CHECK(size_of(request(Operation::send, 224_B, true)) == 256_B);
  CHECK(size_of(request(Operation::send, 225_B, true)) == 272_B);
}

TEST_CASE("what is read of a work request is what was written") {
  for (const Operation o : operations)
    for (const bool odd : {false, true})
      for (int flags = 0; flags < 16; ++flags) {
        PlacedRequest p;
        WorkRequest& r = p.what;
        r = request(o, Bytes(0x12345678), (flags & 1) != 0, (flags & 2) != 0);
        if (r.inlined && is_answered(o)) continue;
        r.signalled = (flags & 4) != 0;
        r.has_immediate = (flags & 8) != 0;
        r.immediate = 0x89abcdef;
        if (!r.inlined) r.local = 0xfedcba9876543210;
        if (o != Operation::send) r.remote = 0x123456789abcdef0;
        if (is_atomic(o)) {
          r.operand = 0xffffffff00000001;
          r.compare = 0x8000000000000000;
        }
        if (r.datagram) {
          r.lid = 0xbfff;
          r.queue_pair = 0xffffff;
        }
        p.index = 0xfffe;
        p.queue_pair = 0xabcdef;
        p.odd = odd;
        const auto bytes = encode(p);
        CHECK(Bytes(static_cast<std::int64_t>(bytes.size())) == (r.inlined ? inline_offset(r) : size_of(r)));
        const PlacedRequest q = decode(bytes.data());
        expect_same(q.what, r);
        CHECK(q.index == p.index);
        CHECK(q.queue_pair == p.queue_pair);
        CHECK(q.odd == odd);
        CHECK(q.valid);
      }
}

TEST_CASE("memory that nobody has written holds no request, no receive and no completion") {
  const std::uint8_t nothing[128] = {};
  CHECK_FALSE(decode(nothing).valid);
  ReceiveRequest r;
  CHECK_FALSE(decode(nothing, false, r));
  CHECK_FALSE(decode(nothing, true, r));
  CHECK_FALSE(is_owned(0, false));
  CHECK_FALSE(is_owned(0, true));
}

TEST_CASE("a posted receive is valid in its round") {
  for (const bool odd : {false, true}) {
    const auto bytes = encode(ReceiveRequest{0xfedcba9876543210, Bytes(0x76543210)}, odd);
    ReceiveRequest r;
    CHECK(decode(bytes.data(), odd, r));
    CHECK(r.address == 0xfedcba9876543210);
    CHECK(r.length == Bytes(0x76543210));
    CHECK_FALSE(decode(bytes.data(), !odd, r));
  }
}

TEST_CASE("the last byte of a completion says in which round it is valid") {
  for (const bool odd : {false, true})
    for (const bool receive : {false, true}) {
      Completion c;
      c.queue_pair = 0xffffff;
      c.index = 0xffff;
      c.receive = receive;
      c.syndrome = 4;
      c.has_immediate = receive;
      c.immediate = 0x87654321;
      c.length = 1_GiB;
      const auto bytes = encode(c, odd);
      const std::uint64_t last = flow::read_word(&bytes[24], 8);
      CHECK(is_owned(last, odd));
      CHECK_FALSE(is_owned(last, !odd));
      const Completion d = decode_completion(bytes.data());
      CHECK(d.queue_pair == c.queue_pair);
      CHECK(d.index == c.index);
      CHECK(d.receive == c.receive);
      CHECK(d.syndrome == c.syndrome);
      CHECK(d.has_immediate == c.has_immediate);
      CHECK(d.immediate == c.immediate);
      CHECK(d.length == c.length);
    }
}

TEST_CASE("a packet number is ahead by less than half of all, round the end of 24 bits") {
  constexpr std::uint32_t half = 0x800000;
  for (const std::uint32_t at : {0u, 1u, 0x7fffffu, 0x800000u, 0xfffffeu, 0xffffffu}) {
    CHECK(ahead(at, at) == 0);
    for (const std::uint32_t by : {1u, 2u, 1000u, half - 1}) {
      CHECK(ahead((at + by) & number_mask, at) == static_cast<std::int32_t>(by));
      CHECK(ahead(at, (at + by) & number_mask) == -static_cast<std::int32_t>(by));
    }
    CHECK(ahead((at + half) & number_mask, at) == -static_cast<std::int32_t>(half));
  }
}

}  // namespace infiniband_work_request_test
