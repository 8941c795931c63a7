// SPDX-License-Identifier: Apache-2.0
// What a rank's part of a lattice has to send and to compute.
#include "scenarios/lattice_qcd/lattice.hpp"

#include <stdexcept>

#include "support/catch.hpp"
#include "support/print.hpp"

namespace lattice_test {

using namespace tsunagi;
using scenarios::Lattice;

namespace {

constexpr auto single = Precision::single;

std::string why(std::vector<std::int64_t> sites, std::vector<std::int64_t> ranks) {
  try {
    Lattice(std::move(sites), std::move(ranks), single);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("faces have the bytes of paper 001: 12 KB and 96 KB over the ranks of the other dimension") {
  for (const std::int64_t nx : {1, 2, 4})
    for (const std::int64_t ny : {1, 2, 4}) {
      const Lattice small({8, 8, 8, 8}, {nx, ny, 1, 1}, single);
      CHECK(small.face(0) == Bytes(12288 / ny));
      CHECK(small.face(1) == Bytes(12288 / nx));
      const Lattice large({16, 16, 16, 16}, {nx, ny, 1, 1}, single);
      CHECK(large.face(0) == Bytes(98304 / ny));
      CHECK(large.face(1) == Bytes(98304 / nx));
      CHECK(Lattice({16, 16, 16, 16}, {nx, ny, 1, 1}, Precision::double_precision).face(0) == large.face(0) * 2);
      CHECK(large.ranks() == nx * ny);
    }
}

TEST_CASE("kernels of a dslash do what QUDA counts") {
  const Lattice l({8, 8, 8, 8}, {2, 1, 1, 1}, single);
  CHECK(l.sites() == 1024);
  const Lattice whole({8, 8, 8, 8}, {1, 1, 1, 1}, single);
  CHECK(whole.interior(0_B, false).flops == 1320 * 2048);
  CHECK(whole.interior(0_B, false).touched == 1440_B * 2048);
  CHECK(l.interior(0_B, false).flops == 1320 * 1024 - 165 * 512);  // the boundary has both faces of x
  CHECK(l.interior(0_B, false).touched == 1440_B * 1024 - 168_B * 512);
  CHECK(l.interior(0_B, false).precision == single);
  CHECK(l.interior(0_B, true).flops == l.interior(0_B, false).flops + 48 * 1024);
  CHECK(l.interior(0_B, true).touched == l.interior(0_B, false).touched + 96_B * 1024);
  CHECK(l.face_sites(0) == 256);
  CHECK(l.face_sites(3) == 128);
  CHECK(l.partitioned(0));
  CHECK_FALSE(l.partitioned(1));
  CHECK(l.pack().touched == 144_B * 512);  // both faces of x alone
  CHECK(l.boundary(0).touched == 312_B * 512);
  CHECK(l.vectors(2).touched == 96_B * 2048);
  // Links of both parities, six vectors, faces of x to send and twice to get.
  CHECK(l.memory() == 288_B * 2 * 1024 + 6 * 96_B * 1024 + 3 * 48_B * 512);
}

TEST_CASE("a spinor is read once more a way wherever the slice between its uses does not fit into the cache") {
  // A slice of t has 8 * 8 * 8 / 2 sites of a parity, each with 768 B: links, a spinor, a result.
  const Lattice whole({8, 8, 8, 8}, {1, 1, 1, 1}, single);
  const auto bytes = [&](Bytes cache) { return whole.interior(cache, false).touched; };
  CHECK(bytes(768_B * 256) == 768_B * 2048);
  CHECK(bytes(768_B * 256 - 1_B) == (768_B + 2 * 96_B) * 2048);
  CHECK(bytes(768_B * 32) == (768_B + 2 * 96_B) * 2048);
  CHECK(bytes(768_B * 32 - 1_B) == (768_B + 4 * 96_B) * 2048);
  CHECK(bytes(768_B * 4 - 1_B) == (768_B + 6 * 96_B) * 2048);
  CHECK(bytes(1_B) == 1440_B * 2048);
  // What another rank has is the boundary's, of which the link alone would have been read from memory.
  const Lattice half({8, 8, 8, 8}, {2, 1, 1, 1}, single);
  CHECK(half.interior(1_MiB, false).touched == 768_B * 1024 - 72_B * 512);
  CHECK(half.interior(1_B, false).touched == half.interior(0_B, false).touched);
  CHECK(half.interior(1_MiB, false).flops == half.interior(0_B, false).flops);
}

TEST_CASE("lattices that cannot be cut so are refused, by dimension and numbers") {
  CHECK(why({8, 8, 8, 8}, {3, 1, 1, 1}) == "8 sites in x over 3 ranks are not equally many each");
  CHECK(why({8, 8, 8, 8}, {1, 8, 1, 1}) == "8 sites in y over 8 ranks are fewer than two each");
  CHECK(why({8, 8, 12, 8}, {1, 1, 4, 1}) ==
        "12 sites in z over 4 ranks are an odd number each: both parities have to be as large");
  CHECK(why({8, 8, 8, 8}, {1, 1, 1, 0}) == "8 sites in t over 0 ranks are not equally many each");
  CHECK(why({8, 8, 8}, {1, 1, 1}) == "a lattice and its grid have four dimensions, x, y, z and t");
  CHECK(why({8, 8, 8, 8}, {2, 2, 2, 2}).empty());
}

}  // namespace lattice_test
