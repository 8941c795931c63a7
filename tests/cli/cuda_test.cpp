// SPDX-License-Identifier: Apache-2.0
// Copies between GPUs as a user meets them: what is explained of them, and what is refused.
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/explanation.hpp"
#include "support/program.hpp"

namespace cuda_test {

using namespace tsunagi::test;
using nlohmann::json;

namespace {

const std::string cuda = std::string(TSUNAGI_TEST_CONFIGS) + "/runs/cuda_peer_ping_pong.json";
const std::string staged = std::string(TSUNAGI_TEST_CONFIGS) + "/runs/tca_staged_ping_pong.json";

json explained(const std::string& run, const std::string& method, const std::string& size,
               const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments{"explain", run,    "--method", method, "--size", size,
                                     "--links", "1000", "--format", "json", "--set",  "/scenario/iterations=2"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Ended end = run_program(arguments);
  CAPTURE(run, method, size, end.err);
  REQUIRE(end.exit_code == 0);
  return json::parse(end.out);
}

void expect_refused(const std::string& run, const std::string& set, const std::string& says) {
  const Ended end = run_program({"run", run, "--set", set});
  CAPTURE(set, end.err);
  CHECK(end.exit_code == 2);
  CHECK(end.out.empty());
  CHECK_THAT(end.err, Catch::Contains(says));
}

}  // namespace

TEST_CASE("a copy by way of the host is bound by what leaves the one GPU and by what the other reads") {
  const Ended end = run_program({"run", cuda, "--set", "/scenario/methods=[\"no_uva\"]", "--set",
                                 "/scenario/sizes=[\"4 KiB\"]", "--set", "/scenario/iterations=2"});
  REQUIRE(end.exit_code == 0);
  // Gen2 x16 is 8 GB/s: 256 B a packet, with 24 B around it on the way out and 20 B on the way in.
  CHECK_THAT(end.out, Catch::Contains("7.31 GB/s  link payload, node0.gpu0.pcie\n"));
  CHECK_THAT(end.out, Catch::Contains("7.42 GB/s  completions, node0.rc\n"));
  CHECK_THAT(end.out, Catch::Contains("tags x MRRS over the round trip, node0.gpu1\n"));
}

TEST_CASE("every femtosecond of a copy between GPUs is explained") {
  for (const std::string size : {"8 B", "20 KiB"}) {
    expect_whole_message(explained(cuda, "uva", size));
    expect_whole_message(explained(cuda, "no_uva", size));
    expect_whole_message(explained(staged, "staged", size));
  }
}

TEST_CASE("chunks that overlap are explained") {
  expect_whole_message(explained(cuda, "no_uva", "75 KiB", {"--set", R"(/library/driver/chunk="32 KiB")"}));
}

TEST_CASE("copies between GPUs that cannot be are refused before they begin") {
  expect_refused(cuda, R"(/library/gpus=["gpu0", "gpu3"])", "crosses QPI");
  expect_refused(cuda, R"(/scenario/methods=["peer"])", "the library has no method \"peer\"; methods: uva, no_uva");
  expect_refused(cuda, R"(/library/gpus=["gpu0", "gpu0"])", "\"gpus\" names one twice");
  expect_refused(cuda, R"(/library/gpus=[])", "\"gpus\" is empty");
  expect_refused(cuda, R"(/library/gpus=["gpu0"])", "needs 2 ranks, the library has 1");
  expect_refused(
      cuda, R"(/library/gpus=["gpu0", "gpu7"])",
      "/library/gpus: \"gpu7\" is no such device of node0; did you mean \"gpu0\"? \"gpus\" names one of: gpu0, gpu1");
  expect_refused(cuda, R"(/scenario/sizes=["257 MiB"])", "its window shows 256 MiB");
  expect_refused(cuda, R"(/scenario/source="gpu0")", "\"gpu0\" is no place there");
  expect_refused(cuda, R"(/library/driver/chunk="1 KiB")", "chunk");
  expect_refused(cuda, R"(/library/driver/chunk="4 TiB")", "chunk");
}

TEST_CASE("staged messages that cannot be are refused before they begin") {
  expect_refused(staged, R"(/scenario/source="")", "method \"staged\" sends what is in a GPU's memory; sources: gpu0");
  expect_refused(staged, R"(/scenario/sizes=["17 MiB"])", "sends at most 16 MiB at a time");
  expect_refused(staged, R"(/library/cuda={"kind": "datagram"})", "is library datagram, not cuda");
}

}  // namespace cuda_test
