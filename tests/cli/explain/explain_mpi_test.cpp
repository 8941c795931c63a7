// SPDX-License-Identifier: Apache-2.0
// `tsunagi explain` of MPI's messages: every step from the call to the matched receive has a name.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/explanation.hpp"
#include "support/program.hpp"

namespace explain_mpi_test {

using namespace tsunagi::test;
using nlohmann::json;

namespace {

/// All calls of a rank, and that no time in them is without a name.
std::vector<std::string> steps_of(const json& message, int rank) {
  std::vector<std::string> out;
  for (const json& view : message["ranks"]) {
    if (view["rank"] != rank) continue;
    for (const json& call : view["calls"]) {
      CAPTURE(call["call"]);
      CHECK(call["in_the_library_fs"] == 0);
      for (const json& step : call["steps"]) out.push_back(step["step"]);
    }
  }
  return out;
}

std::string text_of(const std::vector<std::string>& arguments) {
  const Ended end = run_program(arguments);
  CAPTURE(arguments, end.err);
  REQUIRE(end.exit_code == 0);
  return end.out;
}

bool has(const std::vector<std::string>& steps, const std::string& name) {
  return std::find(steps.begin(), steps.end(), name) != steps.end();
}

/// Steps of the sender, rank 1, and of the receiver.
std::pair<std::vector<std::string>, std::vector<std::string>> explained(const std::string& run,
                                                                        const std::string& size) {
  std::vector<std::string> call{"explain", std::string(TSUNAGI_TEST_CONFIGS "/runs/") + run + ".json", "--set",
                                "/scenario/sizes=[\"" + size + "\"]"};
  CHECK(text_of(call).find("unexplained") == std::string::npos);
  call.insert(call.end(), {"--format", "json"});
  const json message = json::parse(text_of(call));
  expect_whole_message(message);
  return {steps_of(message, message["from"]), steps_of(message, message["to"])};
}

}  // namespace

TEST_CASE("explain names every step of a short MPI message between host memories") {
  const auto [sender, receiver] = explained("mpi_latency", "8 B");
  for (const char* step : {"build the header", "copy into a slot", "store the envelope", "post the send"})
    CHECK(has(sender, step));
  // Its slot is one line, which the loop has fetched.
  for (const char* step :
       {"poll the completion queues", "handle a header", "look through the receives", "copy the message"})
    CHECK(has(receiver, step));
}

TEST_CASE("explain names every step of a long MPI message between host memories") {
  const auto [sender, receiver] = explained("mpi_latency", "64 KiB");
  for (const char* step : {"build the header", "post the send", "handle a header", "post the write"})
    CHECK(has(sender, step));
  for (const char* step :
       {"handle a header", "look through the receives", "post the send", "poll the completion queues"})
    CHECK(has(receiver, step));
}

TEST_CASE("explain names every step of a short MPI message between GPUs") {
  const auto [sender, receiver] = explained("mpi_gpu_ping_pong", "8 B");
  for (const char* step : {"test for GPU pointers", "cudaMemcpy from the GPU", "post the send"})
    CHECK(has(sender, step));
  for (const char* step : {"handle a header", "test for GPU pointers", "cudaMemcpy to the GPU"})
    CHECK(has(receiver, step));
}

TEST_CASE("explain names every step of a long MPI message between GPUs") {
  const auto [sender, receiver] = explained("mpi_gpu_ping_pong", "64 KiB");
  for (const char* step : {"cudaMemcpyAsync from the GPU", "cudaEventRecord", "cudaEventQuery", "post the write"})
    CHECK(has(sender, step));
  for (const char* step :
       {"cudaEventCreate and Destroy", "cudaMemcpyAsync to the GPU", "cudaEventRecord", "cudaEventQuery"})
    CHECK(has(receiver, step));
}

}  // namespace explain_mpi_test
