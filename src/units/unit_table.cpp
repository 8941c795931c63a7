// SPDX-License-Identifier: Apache-2.0
#include "units/unit_table.hpp"

#include "units/parse.hpp"

namespace tsunagi::units {

namespace {

constexpr std::int64_t kilo = 1000, mega = kilo * 1000, giga = mega * 1000, tera = giga * 1000;
constexpr std::int64_t kibi = 1024, mebi = kibi * 1024, gibi = mebi * 1024, tebi = gibi * 1024;

std::string pattern(const UnitTable& table) {
  std::string names;
  for (const Unit& unit : table.units) names += (names.empty() ? "" : "|") + std::string(unit.name);
  return "[0-9]+(\\.[0-9]+)?([eE][-+]?[0-9]+)? ?(" + names + ")";
}

}  // namespace

const UnitTable& time_units() {
  static const UnitTable table{"time",
                               "120 ns",
                               "1 fs",
                               {{"s", tera * kilo}, {"ms", tera}, {"us", giga}, {"ns", mega}, {"ps", kilo}, {"fs", 1}},
                               6};
  return table;
}

const UnitTable& bytes_units() {
  static const UnitTable table{"size",
                               "256 B",
                               "1 B",
                               {{"TiB", tebi},
                                {"TB", tera},
                                {"GiB", gibi},
                                {"GB", giga},
                                {"MiB", mebi},
                                {"MB", mega},
                                {"KiB", kibi},
                                {"kB", kilo},
                                {"B", 1}},
                               9};
  return table;
}

const UnitTable& rate_units() {
  static const UnitTable table{"rate",
                               "3.5 GB/s",
                               "what a rate can hold",
                               {{"TiB/s", 8 * tebi},
                                {"TB/s", 8 * tera},
                                {"GiB/s", 8 * gibi},
                                {"GB/s", 8 * giga},
                                {"MiB/s", 8 * mebi},
                                {"MB/s", 8 * mega},
                                {"KiB/s", 8 * kibi},
                                {"kB/s", 8 * kilo},
                                {"B/s", 8},
                                {"Tb/s", tera},
                                {"Gb/s", giga},
                                {"Mb/s", mega},
                                {"kb/s", kilo},
                                {"b/s", 1},
                                {"Tbps", tera},
                                {"Gbps", giga},
                                {"Mbps", mega},
                                {"kbps", kilo},
                                {"bps", 1}},
                               9};
  return table;
}

const UnitTable& frequency_units() {
  static const UnitTable table{"frequency",
                               "250 MHz",
                               "1 Hz",
                               {{"GHz", giga},
                                {"MHz", mega},
                                {"kHz", kilo},
                                {"Hz", 1},
                                {"GT/s", giga},
                                {"MT/s", mega},
                                {"kT/s", kilo},
                                {"T/s", 1}},
                               4};
  return table;
}

const UnitTable& transfer_rate_units() {
  static const UnitTable table{"rate of transfers",
                               "5 GT/s",
                               "1 T/s",
                               {{"GT/s", giga},
                                {"MT/s", mega},
                                {"kT/s", kilo},
                                {"T/s", 1},
                                {"GHz", giga},
                                {"MHz", mega},
                                {"kHz", kilo},
                                {"Hz", 1}},
                               4};
  return table;
}

const UnitTable& length_units() {
  static const UnitTable table{
      "length", "3 m", "1 um", {{"km", giga}, {"m", mega}, {"cm", kilo * 10}, {"mm", kilo}, {"um", 1}}, 5};
  return table;
}

}  // namespace tsunagi::units

namespace tsunagi {

std::string time_pattern() { return "^" + units::pattern(units::time_units()) + "$"; }
std::string bytes_pattern() { return "^" + units::pattern(units::bytes_units()) + "$"; }
std::string rate_pattern() { return "^(" + units::pattern(units::rate_units()) + "|[0-9]+ B/[0-9]+ fs)$"; }
std::string frequency_pattern() { return "^" + units::pattern(units::frequency_units()) + "$"; }
std::string transfer_rate_pattern() { return "^" + units::pattern(units::transfer_rate_units()) + "$"; }
std::string length_pattern() { return "^" + units::pattern(units::length_units()) + "$"; }

}  // namespace tsunagi
