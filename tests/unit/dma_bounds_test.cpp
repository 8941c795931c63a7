// SPDX-License-Identifier: Apache-2.0
#include "models/bench/dma_bounds.hpp"

#include "models/pcie/link.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace dma_bounds_test {

using namespace tsunagi;
using namespace tsunagi::bench;
using Kind = comm::DmaOperation::Kind;

namespace {

constexpr std::uint64_t far = std::uint64_t{1} << 32;

/// A Gen2 x8 link, 250 ps a byte, of 1 ns; reads of up to 512 B.
struct Way {
  net::WireSpec link;
  DmaWay way;
  explicit Way(Bytes completions = 256_B, Bytes payload = 256_B) {
    auto holder = std::make_shared<config::ConfigHolder<pcie::LinkConfig>>();
    holder->value.max_payload_size = payload;
    link = pcie::link_spec({"pcie", std::move(holder)});
    way = {&link, far, 512_B, completions, 70_ns};
  }
};

}  // namespace

TEST_CASE("a write has as many headers as its bytes have max payloads") {
  const Way w;
  CHECK(load(w.way, Kind::write, 1_B).out == 4_B + 24_B);  // a whole DW
  CHECK(load(w.way, Kind::write, 256_B).out == 280_B);
  CHECK(load(w.way, Kind::write, 257_B).out == 280_B + 28_B);
  CHECK(load(w.way, Kind::write, 2_KiB).out == 8 * 280_B);
  CHECK(load(w.way, Kind::write, 2_KiB).back == 0_B);
}

TEST_CASE("a read has a request each MRRS and a header each completion") {
  const Way w;
  CHECK(load(w.way, Kind::read, 64_B).out == 24_B);
  CHECK(load(w.way, Kind::read, 64_B).back == 84_B);
  CHECK(load(w.way, Kind::read, 512_B).out == 24_B);
  CHECK(load(w.way, Kind::read, 513_B).out == 48_B);
  CHECK(load(w.way, Kind::read, 513_B).back == 2 * 276_B + 24_B);
}

TEST_CASE("completions are as large as the memory's side builds them and no larger than the link carries") {
  CHECK(load(Way(64_B).way, Kind::read, 256_B).back == 4 * 84_B);
  CHECK(load(Way(256_B, 128_B).way, Kind::read, 256_B).back == 2 * 148_B);
}

TEST_CASE("headers below 4 GiB are shorter") {
  Way w;
  w.way.address = 0;
  CHECK(load(w.way, Kind::write, 64_B).out == 84_B);
  CHECK(load(w.way, Kind::read, 64_B).out == 20_B);
}

TEST_CASE("an operation takes at least its cycles and its bytes and a read also both ways") {
  const Way w;
  EngineConfig e;
  e.clock = Frequency(500'000'000);
  e.start_cycles = 10;
  e.end_cycles = 20;
  e.command = {64_B, 1, 2};
  constexpr Time byte = 250_ps, rounding = 4_fs;
  CHECK(least(w.way, e, EngineMethod::dma, Kind::write, 256_B) == 60_ns + 70_ns + byte * 280 - rounding);
  CHECK(least(w.way, e, EngineMethod::dma, Kind::read, 256_B) == 60_ns + 140_ns + 2_ns + byte * (24 + 276) - rounding);
  CHECK(least(w.way, e, EngineMethod::command, Kind::read, 64_B) == 6_ns + 140_ns + 2_ns + byte * (24 + 84) - rounding);
  // The second request is under way while the first one's bytes come.
  CHECK(least(w.way, e, EngineMethod::dma, Kind::read, 1_KiB) ==
        60_ns + 140_ns + 2_ns + byte * (24 + 4 * 276) - rounding);
}

}  // namespace dma_bounds_test
