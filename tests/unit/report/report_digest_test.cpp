// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <xxhash.h>

#include "report/digest.hpp"
#include "support/catch.hpp"
#include "unit/report/report_fixture.hpp"

namespace report_digest_test {

using namespace tsunagi;

namespace {

std::string xxh3_128(const std::string& text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

report::Rows one(const std::string& name, const std::string& text) {
  report::Rows rows;
  rows.rows.emplace_back().text(name, text);
  return rows;
}

}  // namespace

TEST_CASE("a digest is XXH3-128 of the rows' canonical text") {
  report::Rows rows;
  rows.rows.emplace_back().bytes("size", 8_B).time("latency", 912_ns).count("n", -3).text("mode", "pio");
  CHECK(report::digest(rows) == xxh3_128("4:size bytes 8,7:latency fs 912000000,1:n count -3,4:mode text 3:pio,\n"));
  CHECK(report::digest(report::Rows{}) == xxh3_128(""));
}

TEST_CASE("a digest sees every part of a row, and no derived rate") {
  const std::string reference = report::digest(test::ping_pong_rows());
  report::Rows without_rates = test::ping_pong_rows();
  without_rates.rates.clear();
  CHECK(report::digest(without_rates) == reference);

  report::Rows swapped = test::ping_pong_rows();
  std::swap(swapped.rows[0], swapped.rows[1]);
  CHECK(report::digest(swapped) != reference);

  report::Rows later = test::ping_pong_rows();
  later.rows[0].count("more", 1);
  CHECK(report::digest(later) != reference);
}

TEST_CASE("no two tables share a canonical text") {
  CHECK(report::digest(one("a", "b,1:c text 1:d")) != report::digest([] {
          report::Rows rows;
          rows.rows.emplace_back().text("a", "b").text("c", "d");
          return rows;
        }()));
  report::Rows as_time, as_bytes;
  as_time.rows.emplace_back().time("x", 5_fs);
  as_bytes.rows.emplace_back().bytes("x", 5_B);
  CHECK(report::digest(as_time) != report::digest(as_bytes));
}

}  // namespace report_digest_test
