// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "report/formats/column_text.hpp"
#include "support/catch.hpp"

namespace report_column_text_test {

using namespace tsunagi;
using Texts = std::vector<std::string>;

namespace {

Texts times(const std::vector<Time>& values) { return report::times_in_one_unit({values.begin(), values.end()}); }

Texts rates(const std::vector<double>& values) { return report::rates_in_one_unit(values); }

}  // namespace

TEST_CASE("a column of times has one unit, in which its smallest keeps three digits") {
  CHECK(times({901_ns, 298'376_ns}) == Texts{"0.901 us", "298.376 us"});
  CHECK(times({900_ps, 50_ns}) == Texts{"0.900 ns", "50.000 ns"});
  CHECK(times({99_ns}) == Texts{"99.000 ns"});
  CHECK(times({100_ns}) == Texts{"0.100 us"});
  CHECK(times({9_ms}) == Texts{"9000.000 us"});
  CHECK(times({10_ms}) == Texts{"10.000 ms"});
  CHECK(times({Time::from_fs(58'993'000), Time::from_fs(55'040'910'000)}) == Texts{"0.0590 us", "55.0409 us"});
  CHECK(times({Time::from_fs(284'000), Time::from_fs(2'967'825'000)}) == Texts{"0.284 ns", "2967.825 ns"});
}

TEST_CASE("zeros at the end of all cells are not printed beyond the third decimal") {
  CHECK(times({80_ns, 278'588_ns}) == Texts{"0.080 us", "278.588 us"});
  CHECK(times({6_ns, 278'532_ns}) == Texts{"0.006 us", "278.532 us"});
}

TEST_CASE("zeros, no values and negative ones do not choose a unit") {
  CHECK(times({}) == Texts{});
  CHECK(times({Time::zero(), Time::zero()}) == Texts{"0.000 ns", "0.000 ns"});
  CHECK(report::times_in_one_unit({std::nullopt, 5_us, Time::zero()}) == Texts{"", "5.000 us", "0.000 us"});
  CHECK(times({Time::zero() - 5_us, 20_us}) == Texts{"-5.000 us", "20.000 us"});
  CHECK(rates({0, 3.3e6}) == Texts{"-", "3.30 MB/s"});
  CHECK(rates({0}) == Texts{"-"});
}

TEST_CASE("a column of rates has one unit") {
  CHECK(rates({3.338e6, 3.51428e9}) == Texts{"3.34 MB/s", "3514.28 MB/s"});
  CHECK(rates({3.54e9, 6.0e9}) == Texts{"3.54 GB/s", "6.00 GB/s"});
  CHECK(rates({2.1333e8, 1.35349e10}) == Texts{"0.213 GB/s", "13.535 GB/s"});
  CHECK(rates({3.34e6, 1.2e10}) == Texts{"3.34 MB/s", "12000.00 MB/s"});
  CHECK(rates({0.5, 12}) == Texts{"0.50 B/s", "12.00 B/s"});
}

TEST_CASE("however wide the range of a column is, no digits of the smallest vanish") {
  CHECK(times({1_ns, 1_s}) == Texts{"0.001 us", "1000000.000 us"});
  CHECK(times({1_fs, 1_s}) == Texts{"0.000001 ns", "1000000000.000000 ns"});
  CHECK(times({1234_ps, 1_s}) == Texts{"0.00123 us", "1000000.00000 us"});
  for (int small = 3; small <= 18; ++small)
    for (int large = small; large <= 18; ++large) {
      const auto fs = [](int power) { return Time::from_fs(static_cast<std::int64_t>(1.234 * std::pow(10, power))); };
      const Texts texts = times({fs(small), fs(large)});
      INFO(texts[0] << " " << texts[1]);
      const auto digits = [](std::string text) {
        text = text.substr(0, text.find(' '));
        text.erase(std::remove(text.begin(), text.end(), '.'), text.end());
        return text.size() - std::min(text.size(), text.find_first_not_of('0'));
      };
      CHECK(digits(texts[0]) >= 3);
      CHECK(texts[0].substr(texts[0].find(' ')) == texts[1].substr(texts[1].find(' ')));
      CHECK(texts[0].size() - texts[0].find('.') == texts[1].size() - texts[1].find('.'));
      CHECK(texts[1].size() <= 22);
    }
}

TEST_CASE("amounts share the largest prefix that divides all of them") {
  CHECK(report::bytes_in_one_unit({8000_B, 1000_KiB, std::nullopt}) == Texts{"8000 B", "1024000 B", ""});
  CHECK(report::bytes_in_one_unit({48_KiB, 0_B, 3_MiB}) == Texts{"48 KiB", "0 KiB", "3072 KiB"});
  CHECK(report::bytes_in_one_unit({0_B}) == Texts{"0 B"});
}

TEST_CASE("shares in a million are percentages, exact") {
  CHECK(report::shares_in_percent({200'000, 600'000}) == Texts{"20 %", "60 %"});
  CHECK(report::shares_in_percent({125'000, std::nullopt, 600'000}) == Texts{"12.5 %", "", "60.0 %"});
  CHECK(report::shares_in_percent({468'751, 1'000'000}) == Texts{"46.8751 %", "100.0000 %"});
  CHECK(report::shares_in_percent({1, 0}) == Texts{"0.0001 %", "0.0000 %"});
}

}  // namespace report_column_text_test
