// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <nlohmann/json.hpp>

#include "config/config.hpp"
#include "models/pcie/link.hpp"
#include "models/pcie/tlp.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace pcie_link_test {

using namespace tsunagi;
using pcie::Coding;
using pcie::LinkConfig;

namespace {

LinkConfig link(std::int64_t mega_transfers, int lanes, Bytes payload = 256_B) {
  LinkConfig c;
  c.rate = TransferRate(mega_transfers * 1'000'000);
  c.coding = mega_transfers > 5000 ? Coding::c128b130b : Coding::c8b10b;
  c.lanes = lanes;
  c.max_payload_size = payload;
  // Base Specification 5.0, tables 3-7 to 3-9: 19, 70, 115 symbol times of internal delay.
  c.internal_delay = mega_transfers == 2500 ? 19 : mega_transfers == 5000 ? 70 : 115;
  return c;
}

/// One byte on one lane.
Time symbol(std::int64_t mega_transfers) {
  if (mega_transfers == 2500) return 4_ns;
  if (mega_transfers == 5000) return 2_ns;
  return Time::from_fs(1'015'625);  // 8 bits at 8 GT/s and 130/128
}

std::int64_t limit_in_symbols(std::int64_t mega_transfers, int lanes, Bytes payload) {
  const Time t = pcie::ack_latency_limit(link(mega_transfers, lanes, payload));
  CHECK(t.fs() % symbol(mega_transfers).fs() == 0);
  return t / symbol(mega_transfers);
}

}  // namespace

namespace {

/// A link as read from `text`, with what is odd about it.
struct Read {
  LinkConfig link;
  std::string warnings;
};

Read read(const std::string& text, const std::vector<config::Override>& overrides = {}) {
  std::vector<config::Message> warnings;
  Read out{config::read<LinkConfig>(config::parse(text, "w.json", overrides), {}, &warnings), ""};
  for (const config::Message& m : warnings) out.warnings += m.line() + "\n";
  return out;
}

/// "2: 5 GT/s 8b/10b 70 1538 4".
std::string shown(LinkConfig c) {
  const auto json = config::resolved(c);
  return json["generation"].dump() + ": " + json["rate"].get<std::string>() + " " + json["coding"].get<std::string>() +
         " " + json["internal_delay"].dump() + " " + json["skip_interval"].dump() + " " + json["skip_symbols"].dump();
}

}  // namespace

TEST_CASE("rate, coding, delays and ordered sets follow from the generation") {
  CHECK(shown(read("{}").link) == "2: 5 GT/s 8b/10b 70 1538 4");
  CHECK(shown(read(R"({"generation": 1})").link) == "1: 2.5 GT/s 8b/10b 19 1538 4");
  CHECK(shown(read(R"({"generation": 2})").link) == shown(LinkConfig{}));
  CHECK(shown(read(R"({"generation": 3})").link) == "3: 8 GT/s 128b/130b 115 5920 16");
  CHECK(shown(read(R"({"generation": 4})").link) == "4: 16 GT/s 128b/130b 115 5920 16");
  CHECK(shown(read(R"({"generation": 5})").link) == "5: 32 GT/s 128b/130b 115 5920 16");
  CHECK(shown(read(R"({"generation": 6})").link) == "6: 64 GT/s 1b/1b 115 11840 40");
  CHECK(shown(read(R"({"generation": 3, "internal_delay": 7})").link) == "3: 8 GT/s 128b/130b 7 5920 16");
  CHECK_THROWS_WITH(read(R"({"generation": 7})"), "w.json:1:16: /generation: must be one of 1, 2, 3, 4, 5, 6, not 7");
  CHECK_THROWS_WITH(read(R"({"generation": 0})"), "w.json:1:16: /generation: must be one of 1, 2, 3, 4, 5, 6, not 0");
}

TEST_CASE("a generation on the command line replaces rate and coding of the file, but not that nothing is coded") {
  const std::string old = R"({"rate": "5 GT/s", "coding": "8b/10b", "internal_delay": 70, "skip_interval": 1538})";
  CHECK(shown(read(old, {{"/generation", "3"}}).link) == "3: 8 GT/s 128b/130b 115 5920 16");
  CHECK(read(old, {{"/generation", "3"}}).warnings.empty());
  CHECK(shown(read(R"({"generation": 3, "coding": "none"})", {{"/generation", "2"}}).link) ==
        "2: 5 GT/s none 70 1538 4");
  LinkConfig whole = read(R"({"generation": 3})").link;
  CHECK(shown(read(config::resolved(whole).dump(), {{"/generation", "1"}}).link) == "1: 2.5 GT/s 8b/10b 19 1538 4");
}

TEST_CASE("a link that says rate and coding is of their generation, and keeps what it had without") {
  const Read gen3 = read(R"({"rate": "8 GT/s", "coding": "128b/130b"})");
  CHECK(shown(gen3.link) == "3: 8 GT/s 128b/130b 70 1538 4");
  CHECK(gen3.warnings.empty());
}

TEST_CASE("a rate that does not fit its coding warns") {
  const Read late = read(R"({"generation": 2})", {{"/rate", "8 GT/s"}});
  CHECK(shown(late.link) == "2: 8 GT/s 8b/10b 70 1538 4");
  CHECK(late.warnings ==
        "--set /rate: 8 GT/s does not fit the coding 8b/10b, which is for 2.5, 5 GT/s; generation 3 has this "
        "rate, with its coding\n");
  CHECK(read(R"({"rate": "6.5 GT/s"})").warnings ==
        "w.json:1:10: /rate: 6.5 GT/s does not fit the coding 8b/10b, which is for 2.5, 5 GT/s\n");
  CHECK(read(R"({"coding": "128b/130b"})").warnings ==
        "w.json:1:1: /rate: 5 GT/s does not fit the coding 128b/130b, which is for 8, 16, 32 GT/s; generation 2 has "
        "this rate, with its coding\n");
  CHECK(read(R"({"generation": 3, "rate": "16 GT/s"})").warnings ==
        "w.json:1:27: /rate: with its coding it is of generation 4, not 3\n");
  CHECK(read(R"({"rate": "6.5 GT/s", "coding": "none"})").warnings.empty());
}

TEST_CASE("link rates are exact in every generation") {
  CHECK(link_rate(link(2500, 1)) == Rate::bytes_per_second(250'000'000));
  CHECK(link_rate(link(2500, 8)) == Rate::bytes_per_second(2'000'000'000));
  CHECK(link_rate(link(5000, 8)) == Rate::bytes_per_second(4'000'000'000));
  CHECK(link_rate(link(5000, 16)) == Rate::bytes_per_second(8'000'000'000));
  CHECK(link_rate(link(8000, 8)) == Rate::bytes_in(8, 1'015'625));
  CHECK(link_rate(link(8000, 1)) == Rate::bytes_in(1, 1'015'625));
  CHECK(link_rate(link(16000, 8)) == Rate::bytes_in(16, 1'015'625));
  CHECK(link_rate(link(32000, 8)) == Rate::bytes_in(32, 1'015'625));
  CHECK(link_rate(link(32000, 16)) == Rate::bytes_in(64, 1'015'625));
}

TEST_CASE("flit mode follows from the generation, leaves TLPs 236 bytes of 256, and can be of an older one") {
  CHECK(link_rate(read(R"({"generation": 6, "lanes": 16})").link) == Rate::bytes_in(236, 2'000'000));
  CHECK(link_rate(read(R"({"generation": 6, "lanes": 1})").link) == Rate::bytes_in(236, 32'000'000));
  CHECK(!read(R"({"generation": 5})").link.flit_mode);
  const LinkConfig old = read(R"({"generation": 5, "lanes": 16, "flit_mode": true})").link;
  CHECK(link_rate(old) == Rate::bytes_in(236, 4'062'500));  // 256 B at 32 GT/s and 128/130
  CHECK(link_rate(read(R"({"generation": 6})", {{"/generation", "3"}}).link) == link_rate(link(8000, 8)));
  CHECK_THROWS_WITH(read(R"({"generation": 6, "flit_mode": false})"), Catch::Contains("1b/1b is of flit mode alone"));
}

TEST_CASE("a flit is wrong if two bytes of one of its three codes are") {
  CHECK(pcie::flit_error_rate(0) == 0);
  const double byte = 1 - std::pow(1 - 1e-4, 8);
  double good = 1;
  for (const int n : {86, 85, 85}) good *= std::pow(1 - byte, n) + n * byte * std::pow(1 - byte, n - 1);
  CHECK(pcie::flit_error_rate(1e-4) == Approx(1 - good).epsilon(1e-9));
  // Pairs of bytes: (86 x 85 + 2 x 85 x 84) / 2, each wrong with 8e-6.
  CHECK(pcie::flit_error_rate(1e-6) == Approx(10795 * 64e-12).epsilon(0.01));
}

TEST_CASE("payloads of 128 B to 4 KiB are legal in every generation, and hold an update at once of their size") {
  for (const int generation : {1, 2, 3, 4, 5, 6})
    for (const int payload : {128, 256, 512, 1024, 2048, 4096}) {
      auto holder = std::make_shared<config::ConfigHolder<LinkConfig>>();
      holder->value = read("{\"generation\": " + std::to_string(generation) + ", \"max_payload_size\": \"" +
                           std::to_string(payload) + " B\"}")
                          .link;
      const net::WireSpec w = pcie::link_spec({"pcie", holder});
      CHECK(w.max_payload == Bytes(payload));
      CHECK(w.link_layer.update_at_once[pcie::posted].data == payload / 16);
    }
}

TEST_CASE("in flit mode the next flit tells, ordered sets lie between flits, and nothing frames a TLP") {
  auto holder = std::make_shared<config::ConfigHolder<LinkConfig>>();
  holder->value = read(R"({"generation": 6, "lanes": 16, "retimers": 1, "flight": "3 ns"})").link;
  const net::WireSpec w = pcie::link_spec({"pcie", holder});
  CHECK(w.flits.size == 256_B);
  CHECK(w.flits.packets == 236_B);
  CHECK(w.coding_data == 8 * 236);
  CHECK(w.coding_line == 8 * 256);
  CHECK(w.link_layer.ack_delay == Time::from_fs(115 * 125'000));
  CHECK(w.skip.length == 5_ns);
  CHECK(w.skip.interval == 740 * 2_ns + 5_ns);
  CHECK(w.flight == 13_ns);
  CHECK(w.repeaters == 10_ns);
  CHECK(w.link_layer.update_repeat == 2 * (13_ns + 2_ns));
  holder->value.lanes = 2;
  CHECK(pcie::link_spec({"pcie", holder}).skip.interval == 92 * 16_ns + 5_ns);
}

TEST_CASE("a rate that is no round number is not rounded") {
  // 8.001 GT/s, one lane: 8.001e9 * 128/130 / 8 bytes a second.
  CHECK(link_rate(link(8001, 1)) == Rate::bytes_in(8'001'000'000LL * 16, 130'000'000'000'000'000));
}

TEST_CASE("coding can be switched off") {
  LinkConfig c = link(5000, 8);
  c.coding = Coding::none;
  CHECK(link_rate(c) == Rate::bytes_per_second(5'000'000'000));
}

TEST_CASE("ACK latency limits are those of the specification") {
  // Base Specification 5.0, tables 3-7 (Gen1), 3-8 (Gen2), 3-9 (Gen3), in symbol times.
  struct Row {
    std::int64_t rate;
    int lanes;
    std::int64_t at_128, at_256;
  };
  const Row table[] = {
      {2500, 1, 237, 416}, {2500, 2, 128, 217}, {2500, 4, 73, 118},  {2500, 8, 67, 107},  {2500, 16, 48, 72},
      {5000, 1, 288, 467}, {5000, 2, 179, 268}, {5000, 4, 124, 169}, {5000, 8, 118, 158}, {5000, 16, 99, 123},
      {8000, 1, 333, 512}, {8000, 2, 224, 313}, {8000, 4, 169, 214}, {8000, 8, 163, 203}, {8000, 16, 144, 168},
  };
  for (const Row& r : table) {
    CAPTURE(r.rate, r.lanes);
    CHECK(limit_in_symbols(r.rate, r.lanes, 128_B) == r.at_128);
    CHECK(limit_in_symbols(r.rate, r.lanes, 256_B) == r.at_256);
  }
}

TEST_CASE("ACK latency limits of large payloads are those of the specification") {
  // Gen1, table 3-7: 512 B and 1024 B.
  CHECK(limit_in_symbols(2500, 1, 512_B) == 559);
  CHECK(limit_in_symbols(2500, 4, 512_B) == 154);
  CHECK(limit_in_symbols(2500, 8, 512_B) == 86);
  CHECK(limit_in_symbols(2500, 16, 512_B) == 86);
  CHECK(limit_in_symbols(2500, 8, 1024_B) == 150);
  CHECK(limit_in_symbols(2500, 16, 1024_B) == 150);
}

TEST_CASE("a link's specification follows its config") {
  auto holder = std::make_shared<config::ConfigHolder<LinkConfig>>();
  holder->value = link(5000, 8);
  const net::WireSpec w = pcie::link_spec({"pcie", holder});
  CHECK(w.protocol == "pcie");
  CHECK(w.max_payload == 256_B);
  CHECK(w.link_layer.acks);
  CHECK(w.link_layer.dllp == 8_B);
  CHECK(w.link_layer.ack_delay == 158 * 2_ns);
  CHECK(w.skip.interval == 1538 * 2_ns);  // 8 lanes, a symbol each in 2 ns
  CHECK(w.skip.length == 4 * 2_ns);
  holder->value.skip_ordered_sets = holder->value.acks = holder->value.credit_updates = false;
  const net::WireSpec bare = pcie::link_spec({"pcie", holder});
  CHECK(bare.skip.interval == 0_ns);
  CHECK(!bare.link_layer.acks);
  CHECK(!bare.link_layer.credit_updates);
}

}  // namespace pcie_link_test
