// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "whatif/text.hpp"

namespace whatif_text_test {

using namespace tsunagi;
using whatif::Comparison;
using whatif::Gain;

namespace {

Gain gain(const std::string& name, double result, double times, const std::string& problem = {}) {
  return {{name, "doc of " + name, "24", "0", {{"/machine/" + name, "0"}}}, result, times, problem};
}

/// A message of 901 ns, or a rate of 1 GB/s.
Comparison comparison(std::vector<Gain> gains, const std::string& column = "latency") {
  Comparison c;
  c.base.status = runner::Status::ok;
  c.base.rows.rows.emplace_back().text("method", "pio").bytes("size", 4_KiB).count("n", 5).time("latency", 901_ns);
  c.metric = {column, column == "bandwidth", 0};
  c.now = c.metric.is_rate ? 1e9 : 901e6;
  c.gains = std::move(gains);
  return c;
}

}  // namespace

TEST_CASE("whatif: the table lists gains, then what does not gain, and ends with the sentence") {
  const Comparison c = comparison({gain("cycles", 512e6, 901.0 / 512), gain("flight", 891e6, 901.0 / 891),
                                   gain("queue", 900.5e6, 901 / 900.5), gain("tags", 901e6, 1),
                                   gain("slower", 950e6, 901.0 / 950), gain("odd", 0, 1, "was refused")});
  CHECK(whatif::text(c) ==
        "latency is 901.0 ns at pio, size 4 KiB, n 5; with one limit at a time at its ideal value:\n"
        "\n"
        "limit   now  ideal   latency    gain\n"
        "cycles   24      0  512.0 ns  76.0 %\n"
        "flight   24      0  891.0 ns   1.1 %\n"
        "\n"
        "3 other limits: no gain\n"
        "worse: slower at 0: 950.0 ns (-5.2 %)\n"
        "no result: odd at 0: was refused\n"
        "\n"
        "The bottleneck is cycles, now 24, \"doc of cycles\": without it the message would take 512.0 ns instead of "
        "901.0 ns.\n");
}

TEST_CASE("whatif: a rate is told as a rate") {
  CHECK(
      whatif::sentence(comparison({gain("tags", 3.5e9, 3.5)}, "bandwidth")) ==
      "The bottleneck is tags, now 24, \"doc of tags\": without it bandwidth would be 3.50 GB/s instead of 1.00 GB/s.");
}

TEST_CASE("whatif: of a loop that limits a rate the amount that can be set is named") {
  const auto limit = [](const char* name, const char* now, const char* ideal, double times) {
    return Gain{{name, "doc", now, ideal, {}}, times * 1e9, times, {}};
  };
  const Gain latency = limit("read_latency", "200 ns", "0 ns", 1.5), tags = limit("tags", "16", "128", 1.2),
             size = limit("request_size", "256 B", "4 KiB", 1.1), few = limit("tags", "16", "128", 1.04);
  CHECK(
      whatif::sentence(comparison({latency, tags, size}, "bandwidth")) ==
      "The bottleneck is a loop that read_latency is part of; what can be set of it is tags, now 16, \"doc\": without "
      "it bandwidth would be 1.20 GB/s instead of 1.00 GB/s.");
  CHECK_THAT(whatif::sentence(comparison({latency, size}, "bandwidth")),
             Catch::Contains("what can be set of it is request_size"));
  for (const Comparison& c : {comparison({latency, few}, "bandwidth"), comparison({latency, tags})})
    CHECK_THAT(whatif::sentence(c), Catch::StartsWith("The bottleneck is read_latency, now 200 ns"));
  CHECK_THAT(whatif::sentence(comparison({tags, latency}, "bandwidth")),
             Catch::StartsWith("The bottleneck is tags, now 16"));
}

TEST_CASE("whatif: small gains make no bottleneck") {
  CHECK(whatif::sentence(comparison({gain("flight", 875e6, 901.0 / 875), gain("tags", 901e6, 1)})) ==
        "No single limit is the bottleneck: the largest gain is 3.0 %, without flight, now 24, \"doc of flight\".");
  const Comparison none = comparison({gain("tags", 901e6, 1)});
  CHECK(whatif::sentence(none) == "No single limit is the bottleneck: none gains anything.");
  CHECK_THAT(whatif::text(none), Catch::Contains(":\n\n1 limit: no gain\n\nNo single"));
}

TEST_CASE("whatif: without limits or without results there is a sentence too") {
  CHECK_THAT(whatif::sentence(comparison({})), Catch::StartsWith("Nothing in this run names an ideal value"));
  CHECK_THAT(whatif::sentence(comparison({gain("odd", 0, 1, "was refused")})), Catch::Contains("unknown"));
}

TEST_CASE("whatif: JSON holds every limit, in base units") {
  const auto json = whatif::to_json(comparison({gain("cycles", 512e6, 1.5), gain("odd", 0, 1, "was refused")}));
  CHECK(json["column"] == "latency");
  CHECK(json["row"] == 0);
  CHECK(json["unit"] == "fs");
  CHECK(json["now"] == 901'000'000);
  REQUIRE(json["limits"].size() == 2);
  CHECK(json["limits"][0].dump() ==
        R"({"limit":"cycles","doc":"doc of cycles","now":"24","ideal":"0","pointers":["/machine/cycles"],)"
        R"("result":512000000,"gain":1.5})");
  CHECK(json["limits"][1]["problem"] == "was refused");
  CHECK_FALSE(json["limits"][1].contains("gain"));
  CHECK_THAT(json["sentence"].get<std::string>(), Catch::StartsWith("The bottleneck is cycles"));
  CHECK(whatif::to_json(comparison({gain("tags", 2e9, 2)}, "bandwidth"))["unit"] == "B/s");
}

}  // namespace whatif_text_test
