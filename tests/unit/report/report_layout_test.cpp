// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "report/formats/table_layout.hpp"
#include "support/catch.hpp"

namespace report_layout_test {

using namespace tsunagi;
using report::human_bytes;
using report::human_rate;

TEST_CASE("bytes take a binary prefix only where it divides exactly") {
  CHECK(human_bytes(0_B) == "0 B");
  CHECK(human_bytes(1023_B) == "1023 B");
  CHECK(human_bytes(1536_B) == "1536 B");
  CHECK(human_bytes(1_KiB) == "1 KiB");
  CHECK(human_bytes(1536_KiB) == "1536 KiB");
  CHECK(human_bytes(3_GiB) == "3 GiB");
}

TEST_CASE("rates take decimal prefixes") {
  CHECK(human_rate(0) == "-");
  CHECK(human_rate(12) == "12.00 B/s");
  CHECK(human_rate(3.53e9) == "3.53 GB/s");
  CHECK(human_rate(999.999e6) == "1.00 GB/s");
}

TEST_CASE("a derived rate is bytes over time and 0 where it has no meaning") {
  report::Row row;
  row.bytes("size", 256_B).time("time", 64_ns).time("zero", Time::zero()).count("n", 1);
  CHECK(report::rate_of({"r", "size", "time"}, row) == Approx(4e9));
  CHECK(report::rate_of({"r", "size", "zero"}, row) == 0);
  CHECK(report::rate_of({"r", "size", "missing"}, row) == 0);
  CHECK(report::rate_of({"r", "n", "time"}, row) == 0);
}

TEST_CASE("columns come in order of first appearance") {
  report::Rows rows;
  rows.rows.emplace_back().count("a", 1).count("b", 2);
  rows.rows.emplace_back().count("c", 3).count("a", 4);
  CHECK(report::column_names(rows) == std::vector<std::string>{"a", "b", "c"});
}

TEST_CASE("a text table counts characters, not bytes, and refuses ragged rows") {
  report::TextTable table;
  table.column("name", report::Align::left);
  table.column("n", report::Align::right);
  table.row({"繋ぎ", "1"});
  table.row({"abcde", "22"});
  CHECK(table.text() == "name    n\n繋ぎ      1\nabcde  22\n");
  CHECK_THROWS_AS(table.row({"one"}), std::logic_error);
}

}  // namespace report_layout_test
