// SPDX-License-Identifier: Apache-2.0
#include <regex>
#include <string>

#include "support/catch.hpp"
#include "units/parse.hpp"

namespace units_parse_test {

using namespace tsunagi;

namespace {

template <class Parse>
std::string error_of(Parse parse, const char* text) {
  try {
    parse(text);
  } catch (const UnitError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("times are read exactly") {
  CHECK(parse_time("120 ns") == 120_ns);
  CHECK(parse_time("0.9 us") == 900_ns);
  CHECK(parse_time("1.5 ms").fs() == 1'500'000'000'000);
  CHECK(parse_time("5 fs") == 5_fs);
  CHECK(parse_time("100 s") == 100_s);
  CHECK(parse_time("126.953125 ns").fs() == 126'953'125);
  CHECK(parse_time("007 ps") == 7_ps);
  CHECK(parse_time("1.50000000000000000000000000 ps") == Time::from_fs(1500));
  CHECK(parse_time("120ns") == 120_ns);
  CHECK(parse_time("0 ns") == Time::zero());
  CHECK(parse_time("0.0 ns") == Time::zero());
  CHECK(parse_time("9223.372036854775807 s") == Time::max());
}

TEST_CASE("a text that is no time says why") {
  CHECK(error_of(parse_time, "120") == "\"120\" needs a unit, for example \"120 ns\"");
  CHECK(error_of(parse_time, "120 xs") ==
        "unknown unit \"xs\" in \"120 xs\"; a time takes one of: s, ms, us, ns, ps, fs");
  CHECK(error_of(parse_time, "4 KiB") ==
        "unknown unit \"KiB\" in \"4 KiB\"; a time takes one of: s, ms, us, ns, ps, fs");
  CHECK(error_of(parse_time, "0.5 fs") == "\"0.5 fs\" is not a whole multiple of 1 fs");
  CHECK(error_of(parse_time, "1.0001 ps") == "\"1.0001 ps\" is not a whole multiple of 1 fs");
  CHECK(error_of(parse_time, "-5 ns") == "\"-5 ns\" is negative; a time is not");
  CHECK(error_of(parse_time, "9223.372036854775808 s") == "\"9223.372036854775808 s\" is too large");
  CHECK(error_of(parse_time, "99999999999999999999999 fs") == "\"99999999999999999999999 fs\" has too many digits");
  for (const char* text : {"", " ", "ns", "1e ns", "1e+ ns", "1e3.5 ns", "e3 ns", "1 e3 ns", "1,5 ns", ".5 ns", "5. ns",
                           "120  ns", " 120 ns", "120 ns ", "+5 ns", "0x10 ns", "nan ns", "120 NS", "1 2 ns"}) {
    INFO("text: \"" << text << "\"");
    CHECK_THROWS_AS(parse_time(text), UnitError);
  }
}

TEST_CASE("exponents are read exactly") {
  CHECK(parse_bytes("1e9 B") == 1'000'000'000_B);
  CHECK(parse_bytes("2.5E+3 B") == 2500_B);
  CHECK(parse_bytes("2.50e1B") == 25_B);
  CHECK(parse_bytes("1500e-2 B") == 15_B);
  CHECK(parse_bytes("0e999999999999999999999 B") == 0_B);
  CHECK(parse_time("1e-15 s") == 1_fs);
  CHECK(parse_time("12.5e-1 ns") == 1250_ps);
  CHECK(parse_rate("3.5e9 B/s") == Rate::bytes_per_second(3'500'000'000));
  CHECK(parse_frequency("8e9 T/s") == Frequency(8'000'000'000));
  CHECK(error_of(parse_bytes, "1e-1 B") == "\"1e-1 B\" is not a whole multiple of 1 B");
  CHECK(error_of(parse_bytes, "1e19 B") == "\"1e19 B\" is too large");
  CHECK(error_of(parse_bytes, "1e30 B") == "\"1e30 B\" has too many digits");
  CHECK(error_of(parse_bytes, "1e99999999999999999999 B") == "\"1e99999999999999999999 B\" has too many digits");
  CHECK(error_of(parse_time, "1e-99999999999999999999 s") == "\"1e-99999999999999999999 s\" has too many digits");
  CHECK(std::regex_match("1e9 B", std::regex(bytes_pattern())));
  CHECK(std::regex_match("1.5E-3 s", std::regex(time_pattern())));
  CHECK(!std::regex_match("1e B", std::regex(bytes_pattern())));
}

TEST_CASE("sizes tell decimal from binary") {
  CHECK(parse_bytes("256 B") == 256_B);
  CHECK(parse_bytes("4 KiB") == 4_KiB);
  CHECK(parse_bytes("1 MiB") == 1_MiB);
  CHECK(parse_bytes("512 GiB") == 512_GiB);
  CHECK(parse_bytes("8 kB") == 8000_B);
  CHECK(parse_bytes("1 MB") == 1'000'000_B);
  CHECK(parse_bytes("1.5 KiB") == 1536_B);
  CHECK(parse_bytes("0 B") == 0_B);
  CHECK(error_of(parse_bytes, "0.3 B") == "\"0.3 B\" is not a whole multiple of 1 B");
  CHECK(error_of(parse_bytes, "0.3 KiB") == "\"0.3 KiB\" is not a whole multiple of 1 B");
  CHECK(error_of(parse_bytes, "4 KB") ==
        "unknown unit \"KB\" in \"4 KB\"; a size takes one of: TiB, TB, GiB, GB, MiB, MB, KiB, kB, B");
  CHECK(error_of(parse_bytes, "8388608 TiB") == "\"8388608 TiB\" is too large");
}

TEST_CASE("rates are exact ratios") {
  CHECK(parse_rate("1000 MB/s") == Rate::bytes_per_second(1'000'000'000));
  CHECK(parse_rate("3.5 GB/s") == Rate::bytes_per_second(3'500'000'000));
  CHECK(parse_rate("32 Gb/s") == Rate::bytes_per_second(4'000'000'000));
  CHECK(parse_rate("32 Gbps") == parse_rate("32 Gb/s"));
  CHECK(parse_rate("1 GiB/s") == Rate::bytes_per_second(1 << 30));
  CHECK(parse_rate("1 b/s") == Rate::bytes_in(1, 8'000'000'000'000'000));
  CHECK(parse_rate("infinite").is_infinite());
  CHECK(parse_rate("8 B/1015625 fs") == Rate::bytes_in(8, 1'015'625));
  CHECK(error_of(parse_rate, "0 GB/s") == "\"0 GB/s\" is no rate; a rate is more than 0");
  CHECK(
      error_of(parse_rate, "5 GB") ==
      "unknown unit \"GB\" in \"5 GB\"; a rate takes one of: TiB/s, TB/s, GiB/s, GB/s, MiB/s, MB/s, KiB/s, kB/s, B/s, "
      "Tb/s, Gb/s, Mb/s, kb/s, b/s, Tbps, Gbps, Mbps, kbps, bps");
  CHECK(error_of(parse_rate, "0.0001 b/s") == "\"0.0001 b/s\" is beyond what a rate can hold exactly");
  for (const char* text : {"0 B/5 fs", "5 B/0 fs", "5 B/5 ns", "Infinite", "inf", "5"}) {
    INFO("text: \"" << text << "\"");
    CHECK_THROWS_AS(parse_rate(text), UnitError);
  }
}

TEST_CASE("frequencies take hertz and transfers") {
  CHECK(parse_frequency("250 MHz") == Frequency(250'000'000));
  CHECK(parse_frequency("2.6 GHz") == Frequency(2'600'000'000));
  CHECK(parse_frequency("5 GT/s") == Frequency(5'000'000'000));
  CHECK(error_of(parse_frequency, "0.5 Hz") == "\"0.5 Hz\" is not a whole multiple of 1 Hz");
  CHECK(error_of(parse_frequency, "0 Hz") == "\"0 Hz\" is no frequency; a frequency is more than 0");
}

TEST_CASE("rates of transfers take transfers and hertz, and are told in transfers") {
  CHECK(parse_transfer_rate("5 GT/s") == TransferRate(5'000'000'000));
  CHECK(parse_transfer_rate("2500 MHz") == TransferRate(2'500'000'000));
  CHECK(to_string(TransferRate(2'500'000'000)) == "2.5 GT/s");
  CHECK(to_string(TransferRate(1)) == "1 T/s");
  CHECK(parse_transfer_rate(to_string(TransferRate(7'654'321'001))) == TransferRate(7'654'321'001));
  CHECK(std::regex_match(to_string(TransferRate(8'000'000'000)), std::regex(transfer_rate_pattern())));
  CHECK(error_of(parse_transfer_rate, "0.5 T/s") == "\"0.5 T/s\" is not a whole multiple of 1 T/s");
  CHECK(error_of(parse_transfer_rate, "0 GT/s") == "\"0 GT/s\" transfers nothing; a rate of transfers is more than 0");
}

TEST_CASE("lengths are whole micrometres and become 5 ns a metre") {
  CHECK(parse_length("3 m") == 3_m);
  CHECK(parse_length("50cm") == Length(500'000));
  CHECK(parse_length("0.25 mm") == 250_um);
  CHECK(parse_length("1.5 km") == 1500_m);
  CHECK(error_of(parse_length, "0.5 um") == "\"0.5 um\" is not a whole multiple of 1 um");
  CHECK(error_of(parse_length, "3 ft") == "unknown unit \"ft\" in \"3 ft\"; a length takes one of: km, m, cm, mm, um");
  CHECK(error_of(parse_length, "3") == "\"3\" needs a unit, for example \"3 m\"");
  CHECK(signal_time(3_m) == 15_ns);
  CHECK(signal_time(1_um) == 5_fs);
}

TEST_CASE("quantities are printed as people write them") {
  CHECK(to_string(120_ns) == "120 ns");
  CHECK(to_string(1200_ps) == "1.2 ns");
  CHECK(to_string(900_ns) == "900 ns");
  CHECK(to_string(100_s) == "100 s");
  CHECK(to_string(Time::zero()) == "0 ns");
  CHECK(to_string(Time::from_fs(-1500)) == "-1.5 ps");
  CHECK(to_string(Time::from_fs(INT64_MIN)) == "-9223.372036854775808 s");
  CHECK(to_string(256_B) == "256 B");
  CHECK(to_string(4_KiB) == "4 KiB");
  CHECK(to_string(1000_B) == "1 kB");
  CHECK(to_string(1_MiB) == "1 MiB");
  CHECK(to_string(1536_B) == "1536 B");
  CHECK(to_string(1'500'000_B) == "1.5 MB");
  CHECK(to_string(0_B) == "0 B");
  CHECK(to_string(Rate::bytes_per_second(1'000'000'000)) == "1 GB/s");
  CHECK(to_string(Rate::bytes_per_second(3'500'000'000)) == "3.5 GB/s");
  CHECK(to_string(Rate::bytes_per_second(1 << 30)) == "1 GiB/s");
  CHECK(to_string(Rate::bytes_in(1, 8'000'000'000'000'000)) == "0.125 B/s");
  CHECK(to_string(Rate::bytes_in(8, 1'015'625)) == "8 B/1015625 fs");
  CHECK(to_string(Rate::infinite()) == "infinite");
  CHECK(to_string(Frequency(250'000'000)) == "250 MHz");
  CHECK(to_string(Frequency(2'600'000'000)) == "2.6 GHz");
  CHECK(to_string(Frequency(1)) == "1 Hz");
  CHECK(to_string(Length(500'000)) == "50 cm");
  CHECK(to_string(1500_m) == "1.5 km");
  CHECK(to_string(Length::zero()) == "0 m");
}

TEST_CASE("what is printed reads back the same, and matches its pattern") {
  const std::regex time(time_pattern()), bytes(bytes_pattern()), rate(rate_pattern()), frequency(frequency_pattern()),
      length(length_pattern());
  std::uint64_t x = 88172645463325252u;
  for (int i = 0; i < 3000; ++i) {
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    const auto n = static_cast<std::int64_t>((x >> 1) >> (i % 62));
    const auto m = static_cast<std::int64_t>(((x * 7919) >> 1) >> (i % 53)) + 1;
    CAPTURE(n, m);
    CHECK(parse_time(to_string(Time::from_fs(n))).fs() == n);
    CHECK(parse_bytes(to_string(Bytes(n))).count() == n);
    CHECK(parse_frequency(to_string(Frequency(n + 1))).hz() == n + 1);
    CHECK(parse_rate(to_string(Rate::bytes_in(n + 1, m))) == Rate::bytes_in(n + 1, m));
    CHECK(parse_rate(to_string(Rate::bytes_per_second(m))) == Rate::bytes_per_second(m));
    CHECK(std::regex_match(to_string(Time::from_fs(n)), time));
    CHECK(std::regex_match(to_string(Bytes(n)), bytes));
    CHECK(std::regex_match(to_string(Rate::bytes_in(n + 1, m)), rate));
    CHECK(std::regex_match(to_string(Frequency(n + 1)), frequency));
    CHECK(parse_length(to_string(Length(n))).um() == n);
    CHECK(std::regex_match(to_string(Length(n)), length));
  }
}

}  // namespace units_parse_test
