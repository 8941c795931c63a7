// SPDX-License-Identifier: Apache-2.0
#include "support/explanation.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "support/catch.hpp"

namespace tsunagi::test {
namespace {

using nlohmann::json;

std::int64_t number(const json& value) { return value.get<std::int64_t>(); }

/// Pieces with a length each, one behind the other from `begin` on; returns where the last one ends.
std::int64_t end_of_tiles(const json& pieces, std::int64_t begin) {
  for (const json& piece : pieces) {
    CAPTURE(piece.dump());
    REQUIRE(number(piece["start_fs"]) == begin);
    REQUIRE(number(piece["duration_fs"]) > 0);
    begin += number(piece["duration_fs"]);
  }
  return begin;
}

void expect_segments(const json& message) {
  CHECK(number(message["latency_fs"]) > 0);
  CHECK(end_of_tiles(message["segments"], 0) == number(message["latency_fs"]));
  std::int64_t sum = 0;
  for (const auto& [kind, time] : message["by_kind_fs"].items()) {
    CHECK(kind != "unexplained");
    sum += number(time);
  }
  CHECK(sum == number(message["latency_fs"]));
  for (const json& segment : message["segments"]) {
    CAPTURE(segment.dump());
    REQUIRE(message["by_kind_fs"].contains(segment["kind"].get<std::string>()));
    REQUIRE(!segment["device"].get<std::string>().empty());
    REQUIRE(!segment["stage"].get<std::string>().empty());
  }
}

void expect_call(const json& call) {
  CAPTURE(call.dump());
  const std::int64_t begin = number(call["start_fs"]);
  CHECK(end_of_tiles(call["steps"], begin) == begin + number(call["duration_fs"]));
  std::int64_t in_the_library = 0;
  for (const json& step : call["steps"]) {
    if (step["step"] == "in the library") in_the_library += number(step["duration_fs"]);
    for (const json& wait : step.value("waits", json::array())) {
      CHECK(number(wait["start_fs"]) >= number(step["start_fs"]));
      CHECK(number(wait["start_fs"]) + number(wait["duration_fs"]) <=
            number(step["start_fs"]) + number(step["duration_fs"]));
    }
  }
  CHECK(in_the_library == number(call["in_the_library_fs"]));
}

/// A call of that kind which begins, or ends, at that time.
bool has_call(const json& rank, const std::string& kind, bool begins, std::int64_t t) {
  for (const json& call : rank["calls"]) {
    const std::int64_t end = number(call["start_fs"]) + number(call["duration_fs"]);
    if (call["call"] == kind && (begins ? number(call["start_fs"]) : end) == t) return true;
  }
  return false;
}

std::int64_t sum_of(const json& uses) {
  std::int64_t sum = 0;
  for (const auto& [use, time] : uses.items()) {
    CAPTURE(use);
    CHECK(number(time) >= 0);
    sum += number(time);
  }
  return sum;
}

}  // namespace

void expect_whole_message(const json& message) {
  expect_segments(message);
  const json& sender = message["ranks"].front();
  const json& receiver = message["ranks"].back();
  CHECK(message["ranks"].size() == (message["from"] == message["to"] ? 1 : 2));  // to itself: one rank's view
  CHECK(sender["rank"] == message["from"]);
  CHECK(receiver["rank"] == message["to"]);
  for (const json& rank : message["ranks"])
    for (const json& call : rank["calls"]) expect_call(call);
  CHECK(has_call(sender, "send", true, 0));
  CHECK(has_call(receiver, "receive", false, number(message["latency_fs"])));
  expect_whole_wires(message);
  for (const json& wire : message["wires"])
    CHECK(number(wire["to_fs"]) - number(wire["from_fs"]) == number(message["latency_fs"]));
}

void expect_whole_wires(const json& explanation) {
  REQUIRE(!explanation["wires"].empty());
  for (const json& wire : explanation["wires"]) {
    CAPTURE(wire.dump());
    CHECK(sum_of(wire["busy"]) == number(wire["busy_fs"]));
    CHECK(number(wire["busy_fs"]) + sum_of(wire["idle"]) == number(wire["to_fs"]) - number(wire["from_fs"]));
    const double seconds = 1e-15 * static_cast<double>(number(wire["to_fs"]) - number(wire["from_fs"]));
    const auto ceiling = wire["payload_ceiling_bytes_per_second"].get<double>();
    constexpr double one_packet = 4096;  // begun before the window
    if (ceiling > 0) CHECK(wire["payload_bytes"].get<double>() <= ceiling * seconds + one_packet);
  }
}

void expect_whole_path(const nlohmann::json& path) {
  std::int64_t at = 0;
  for (const json& leg : path["critical_path"]) {
    CHECK(leg["start_fs"] == at);
    at += leg["duration_fs"].get<std::int64_t>();
    std::int64_t sum = 0;
    for (const auto& [name, time] : leg["parts_fs"].items()) {
      sum += time.get<std::int64_t>();
      CHECK(name != "unexplained");
    }
    if (leg["kind"] == "message" || leg["kind"] == "work") CHECK(sum == leg["duration_fs"]);
  }
  CHECK(path["duration_fs"] == at);
  expect_whole_wires(path);
}

}  // namespace tsunagi::test
