// SPDX-License-Identifier: Apache-2.0
// Where requests and completions are cut, against the specification's rules byte by byte.
#include <functional>
#include <random>
#include <vector>

#include "models/pcie/segmentation.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace pcie_segmentation_test {

using namespace tsunagi;

namespace {

struct Tlp {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
  Bytes size() const { return Bytes(static_cast<std::int64_t>(end - first)); }
  bool crosses(std::uint64_t boundary) const { return first / boundary != (end - 1) / boundary; }
};

using Next = std::function<flow::Pieces(std::uint64_t, Bytes, std::int64_t)>;

/// All TLPs of `n` bytes from `address` on, up to `most` at a time. They follow each other without a gap.
std::vector<Tlp> cut(const Next& next, std::uint64_t address, Bytes n, std::int64_t most) {
  std::vector<Tlp> out;
  while (n > 0_B) {
    const flow::Pieces p = next(address, n, most);
    REQUIRE(p.count >= 1);
    REQUIRE(p.count <= most);
    REQUIRE(p.each > 0_B);
    REQUIRE(p.total() <= n);
    for (std::int64_t i = 0; i < p.count; ++i, address += unsigned_of(p.each))
      out.push_back({address, address + unsigned_of(p.each)});
    n -= p.total();
  }
  return out;
}

/// Multiples of `block` that bytes from `first` to before `end` lie in.
std::size_t blocks(std::uint64_t first, std::uint64_t end, std::uint64_t block) {
  return (end - 1) / block - first / block + 1;
}

/// The fewest pieces of up to `largest` of which none crosses a multiple of `boundary`.
std::size_t fewest(std::uint64_t first, std::uint64_t end, std::uint64_t largest, std::uint64_t boundary) {
  std::size_t n = 0;
  while (first < end) {
    const std::uint64_t stop = std::min(end, (first / boundary + 1) * boundary);
    n += (stop - first + largest - 1) / largest;
    first = stop;
  }
  return n;
}

struct Transfer {
  std::uint64_t address = 0;
  Bytes size;
  std::uint64_t end() const { return address + unsigned_of(size); }
};

/// Of any address and length, mostly near boundaries.
Transfer any_transfer(std::mt19937_64& random) {
  const std::uint64_t near = 128u << random() % 7;
  const std::uint64_t address = random() % 16 * near + random() % 3 * (random() % 200);
  return {address, Bytes(static_cast<std::int64_t>(1 + random() % (random() % 4 == 0 ? 40'000 : 1'000)))};
}

void for_many(const std::function<void(std::mt19937_64&, const Transfer&)>& f) {
  std::mt19937_64 random(9);
  for (int i = 0; i < 3'000; ++i) f(random, any_transfer(random));
}

}  // namespace

TEST_CASE("writes are as few as MPS and 4 KiB let them be") {
  for_many([](std::mt19937_64& random, const Transfer& t) {
    const pcie::WriteCut how{Bytes(128 << random() % 6)};
    const Next next = [&](std::uint64_t a, Bytes n, std::int64_t most) { return pcie::next_writes(how, a, n, most); };
    const std::vector<Tlp> tlps = cut(next, t.address, t.size, 1 + static_cast<std::int64_t>(random() % 64));
    bool good = tlps.size() == fewest(t.address, t.end(), unsigned_of(how.max_payload), 4096);
    for (const Tlp& p : tlps) good = good && p.size() <= how.max_payload && !p.crosses(4096);
    CAPTURE(t.address, t.size, how.max_payload);
    REQUIRE(good);
  });
}

TEST_CASE("aligned writes are one for each multiple of MPS that they touch") {
  for_many([](std::mt19937_64& random, const Transfer& t) {
    const pcie::WriteCut how{Bytes(128 << random() % 6), true};
    const Next next = [&](std::uint64_t a, Bytes n, std::int64_t most) { return pcie::next_writes(how, a, n, most); };
    const std::vector<Tlp> tlps = cut(next, t.address, t.size, 1 + static_cast<std::int64_t>(random() % 64));
    bool good = tlps.size() == blocks(t.address, t.end(), unsigned_of(how.max_payload));
    for (const Tlp& p : tlps) good = good && !p.crosses(unsigned_of(how.max_payload));
    CAPTURE(t.address, t.size, how.max_payload);
    REQUIRE(good);
  });
}

TEST_CASE("alike writes go together as far as they are alike") {
  const pcie::WriteCut how{256_B};
  for (const auto& [address, count] :
       {std::pair(0x0, 64), std::pair(0x40, 15), std::pair(0xf00, 64), std::pair(0xf01, 1)})
    CHECK(pcie::next_writes(how, static_cast<std::uint64_t>(address), 64_KiB, 64).count == count);
  CHECK(pcie::next_writes(how, 0, 700_B, 64).count == 2);
  CHECK(pcie::next_writes({256_B, true}, 0xc0, 64_KiB, 64).count == 1);
  CHECK(pcie::next_writes({256_B, true}, 0x100, 64_KiB, 64).count == 64);
}

TEST_CASE("reads are as few as MRRS and 4 KiB let them be") {
  for_many([](std::mt19937_64& random, const Transfer& t) {
    const Bytes most_read(128 << random() % 6);
    const Next next = [&](std::uint64_t a, Bytes n, std::int64_t) {
      return flow::Pieces{pcie::next_read(a, n, most_read)};
    };
    const std::vector<Tlp> tlps = cut(next, t.address, t.size, 1);
    bool good = tlps.size() == fewest(t.address, t.end(), unsigned_of(most_read), 4096);
    for (const Tlp& p : tlps) good = good && p.size() <= most_read && !p.crosses(4096);
    CAPTURE(t.address, t.size, most_read);
    REQUIRE(good);
  });
}

TEST_CASE("completions end at multiples of the read completion boundary, the last one as it comes") {
  for_many([](std::mt19937_64& random, const Transfer& t) {
    const Bytes max_payload(128 << random() % 6);
    const Bytes largest = random() % 2 == 0 ? pcie::largest_completion(max_payload) : 64_B;
    const Next next = [&](std::uint64_t a, Bytes n, std::int64_t most) {
      return pcie::next_completions(largest, a, n, most);
    };
    const std::vector<Tlp> tlps = cut(next, t.address, t.size, 1 + static_cast<std::int64_t>(random() % 64));
    bool good = tlps.size() == blocks(t.address, t.end(), unsigned_of(largest)) && tlps.back().end == t.end();
    for (const Tlp& p : tlps)
      good = good && p.size() <= max_payload && (p.end % unsigned_of(largest) == 0 || p.end == t.end());
    CAPTURE(t.address, t.size, largest);
    REQUIRE(good);
  });
}

TEST_CASE("the largest completion of a card is of whole 128 B") {
  for (const Bytes mps : {128_B, 256_B, 4_KiB}) CHECK(pcie::largest_completion(mps) == mps);
  CHECK(pcie::largest_completion(200_B) == 128_B);
}

}  // namespace pcie_segmentation_test
