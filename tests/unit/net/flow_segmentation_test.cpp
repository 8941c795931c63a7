// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "flow/segmentation.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace flow_segmentation_test {

using namespace tsunagi;

namespace {

/// The sizes of all pieces of a transfer.
std::vector<std::int64_t> pieces(std::uint64_t address, Bytes n, Bytes largest, Bytes boundary = 4_KiB) {
  std::vector<std::int64_t> out;
  while (n > 0_B) {
    const Bytes piece = flow::next_piece(address, n, largest, boundary);
    out.push_back(piece.count());
    address += static_cast<std::uint64_t>(piece.count());
    n -= piece;
  }
  return out;
}

using Sizes = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("an aligned transfer splits at the largest payload") {
  CHECK(pieces(0, 600_B, 256_B) == Sizes{256, 256, 88});
  CHECK(pieces(0x1000, 8_B, 256_B) == Sizes{8});
  CHECK(pieces(0, 4_KiB, 4_KiB) == Sizes{4096});
}

TEST_CASE("no piece crosses a 4 KiB boundary") {
  CHECK(pieces(4096 - 100, 300_B, 256_B) == Sizes{100, 200});
  CHECK(pieces(4095, 2_B, 256_B) == Sizes{1, 1});
  CHECK(pieces(4096, 256_B, 256_B) == Sizes{256});
  CHECK(pieces(100, 8_KiB, 4_KiB) == Sizes{3996, 4096, 100});
}

TEST_CASE("pieces of any transfer add up and stay on their page") {
  for (std::uint64_t address : {0ULL, 1ULL, 63ULL, 4000ULL, 0x7fffffff00ULL + 77}) {
    for (Bytes n : {1_B, 64_B, 5000_B, 20000_B}) {
      std::uint64_t at = address;
      for (const std::int64_t piece : pieces(address, n, 512_B)) {
        REQUIRE(piece > 0);
        REQUIRE(piece <= 512);
        REQUIRE(at / 4096 == (at + static_cast<std::uint64_t>(piece) - 1) / 4096);
        at += static_cast<std::uint64_t>(piece);
      }
      CHECK(at == address + static_cast<std::uint64_t>(n.count()));
    }
  }
}

}  // namespace flow_segmentation_test
