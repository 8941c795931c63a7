// SPDX-License-Identifier: Apache-2.0
// BLACS that packs everything, over an MPI on InfiniBand.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "comm/rank.hpp"
#include "support/child.hpp"
#include "system/areas.hpp"
#include "system/sr8000/blacs_heard.hpp"

namespace blacs_mpi_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::Buffer;
using comm::Rank;

namespace {

const std::string mpi = "mpi_latency";

/// MPIBLACS over an MPI, on cores of 2.6 GHz.
Overrides whole(int call, int type) {
  return {{"/library", fmt::format(R"({{"kind": "blacs", "packing": "whole", "pack_buffer": "256 KiB",
                                        "call_cycles": {}, "type_cycles": {}, "over": {{"kind": "mpi"}}}})",
                                   call, type)}};
}
const Overrides plain_mpi = {{"/library", R"({"kind": "mpi"})"}};

Time one_way(const Overrides& overrides, const Buffer& from, const Buffer& to) {
  return test::one_way(mpi, overrides, from, to);
}

}  // namespace

// 64 KiB are copied within 128 KiB of cache and more at 2 B a 0.1 ns and less: two copies, two calls of which the
// receiver's is over before, and nothing overlaps.
TEST_CASE("blacs over mpi: everything is packed, sent and unpacked, one after the other") {
  for (const Bytes n : {64_B, 64_KiB}) {
    const Buffer b = at({}, n);
    const Time plain = one_way(plain_mpi, b, b);
    const Time packed = one_way(whole(0, 0), b, b);
    const Time poll = 20_ns;
    const Time called = one_way(whole(2600, 5200), b, b);
    CHECK(packed > plain);
    CHECK(packed + 3_us <= called + poll);  // 1 us and 2 us
    CHECK(called <= packed + 3_us + poll);
  }
}

TEST_CASE("blacs over mpi: both sides copy every message once, contiguous or not") {
  constexpr int messages = 6;
  ProgramBench b(mpi, whole(100, 100));
  b.world().check_data();
  BlacsHeard heard;
  b.library().set_listener(heard);
  b.world().set_listener(heard);
  const Buffer sizes[] = {at({}, 8_B),
                          columns(64_KiB, 40'000_B, 400_B, 1000_B),
                          at(1_MiB, 200_KiB),
                          columns(2_MiB, 64_B, 8_B, 16_B),
                          columns(3_MiB, 100'000_B, 50'000_B, 50'001_B),
                          at({}, 0_B)};
  b.program(0, [&](Rank& r) {
    for (int i = 0; i < messages; ++i) {
      r.ledger()->fill(0, sizes[i], std::to_string(i));
      r.world().send(1, i, sizes[i]);
    }
  });
  b.program(1, [&](Rank& r) {
    for (int i = 0; i < messages; ++i) {
      Buffer into = columns(8_MiB, sizes[i].size + 800_B, 8_B, 24_B);  // room for more
      r.ledger()->fill(1, into, "before");
      CHECK(r.world().recv(0, i, into).size == sizes[i].size);
      into.size = sizes[i].size;
      r.ledger()->expect(1, into, std::to_string(i), {}, "received");
      r.ledger()->expect(1, at(into.offset + into.every * (into.size / 8_B), 8_B), "before", into.size, "received");
    }
  });
  b.run();
  for (const int rank : {0, 1})
    for (const char* step : {"BLACS call", "make a data type", rank == 0 ? "pack" : "unpack"})
      CHECK(heard.count(rank, step) == messages);
  CHECK(heard.count(0, "unpack") == 0);
  REQUIRE(!heard.waits.empty());  // of messages below, which are not those that it sends and receives
  for (const comm::Wait& w : heard.waits)
    CHECK(std::none_of(heard.calls.begin(), heard.calls.end(),
                       [&](const comm::Call& c) { return c.message == w.message; }));
}

}  // namespace blacs_mpi_test
