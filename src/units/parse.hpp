// SPDX-License-Identifier: Apache-2.0
// Quantities as people write them: "120 ns", "4 KiB", "3.5 GB/s", "250 MHz".
// Both directions are exact: decimal digits in, with an exponent if need be ("1e9 B"), decimal digits out, no floating
// point.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "units/bytes.hpp"
#include "units/clock.hpp"
#include "units/length.hpp"
#include "units/rate.hpp"
#include "units/time.hpp"
#include "units/transfer_rate.hpp"

namespace tsunagi {

/// A text that is not the quantity it should be; what() names the text and the known units.
class UnitError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// "<number> <unit>" with fs ps ns us ms s; whole femtoseconds, >= 0. Throws UnitError.
Time parse_time(std::string_view text);
/// "<number> <unit>" with B, kB MB GB TB (decimal), KiB MiB GiB TiB (binary); whole bytes, >= 0. Throws UnitError.
Bytes parse_bytes(std::string_view text);
/// "<number> <unit>" with B/s kB/s … TiB/s or b/s kb/s Mb/s Gb/s Tb/s (8 bits a byte), > 0; also "infinite",
/// and the exact ratio "8 B/1015625 fs" for rates without a finite decimal. Throws UnitError.
Rate parse_rate(std::string_view text);
/// "<number> <unit>" with Hz kHz MHz GHz or T/s kT/s MT/s GT/s (transfers a second); whole hertz, > 0. Throws too.
Frequency parse_frequency(std::string_view text);
/// "<number> <unit>" with T/s kT/s MT/s GT/s, or Hz kHz MHz GHz; whole transfers a second, > 0. Throws UnitError.
TransferRate parse_transfer_rate(std::string_view text);
/// "<number> <unit>" with um mm cm m km; whole micrometres, >= 0. Throws UnitError.
Length parse_length(std::string_view text);

/// Exact text in the largest unit of which there is at least one: "1.2 ns", "900 ns". parse_time reads it back.
std::string to_string(Time t);
/// Exact text, the shortest there is: "256 B", "4 KiB", "1.5 MB". parse_bytes reads it back.
std::string to_string(Bytes b);
/// Exact text, the shortest there is: "3.5 GB/s", "1 GiB/s", "infinite", "8 B/1015625 fs". parse_rate reads it back.
std::string to_string(Rate r);
/// Exact text in the largest unit of which there is at least one: "250 MHz", "2.6 GHz". parse_frequency reads it back.
std::string to_string(Frequency f);
/// Exact text in the largest unit of which there is at least one: "5 GT/s". parse_transfer_rate reads it back.
std::string to_string(TransferRate r);
/// Exact text in the largest unit of which there is at least one: "50 cm", "1.5 m". parse_length reads it back.
std::string to_string(Length l);

/// Regular expressions (ECMA 262) of the texts that the parse functions take, without "infinite".
std::string time_pattern();
std::string bytes_pattern();
std::string rate_pattern();
std::string frequency_pattern();
std::string transfer_rate_pattern();
std::string length_pattern();

}  // namespace tsunagi
