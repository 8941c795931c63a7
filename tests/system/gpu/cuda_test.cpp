// SPDX-License-Identifier: Apache-2.0
// cudaMemcpyPeer between GPUs of a node, and messages between nodes by way of host memory, as shipped.
#include <map>

#include "report/digest.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"
#include "system/simulated.hpp"

namespace cuda_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

/// Latencies by size in bytes.
std::map<std::int64_t, Time> latencies(const std::string& run, const std::string& method, const std::string& sizes,
                                       Overrides more = {}) {
  more.push_back({"/scenario/methods", "[\"" + method + "\"]"});
  more.push_back({"/scenario/sizes", sizes});
  more.push_back({"/scenario/iterations", "4"});
  std::map<std::int64_t, Time> out;
  for (const report::Row& row : rows_of(run, more).rows)
    out[std::get<Bytes>(*row.find("size")).count()] = std::get<Time>(*row.find("latency"));
  return out;
}

constexpr const char* cuda = "cuda_peer_ping_pong";
constexpr std::int64_t KiB = 1024;
constexpr std::int64_t MiB = 1024 * KiB;

/// Time of the payload on a Gen2 x16 link in packets of 256 B, as writes (24 B more) or completions (20 B more).
Time written(std::int64_t n) { return 125_ps * (n / 256 * 280); }
Time completed(std::int64_t n) { return 125_ps * (n / 256 * 276); }

/// The driver's instructions: 6500 + 2600 cycles a call, 1300 a command, at 2.6 GHz.
constexpr Time call = 3500_ns;
constexpr Time push = 500_ns;

}  // namespace

TEST_CASE("with peer access a copy takes one command, without it two") {
  const std::string sizes = R"(["8 B", "4 KiB", "1 MiB"])";
  const auto uva = latencies(cuda, "uva", sizes);
  const auto no_uva = latencies(cuda, "no_uva", sizes);
  for (const auto& [size, t] : uva) {
    CAPTURE(size);
    CHECK(t < no_uva.at(size));
    CHECK(t > call + push + written(size));
    CHECK(no_uva.at(size) > call + push * 2 + written(size) + completed(size));
  }
  // Of the rest one doorbell, two reads of host memory and a semaphore are most: some 2 us.
  CHECK(uva.at(8) < call + push + 3500_ns);
  CHECK(no_uva.at(8) < call + push * 2 + 5500_ns);
}

TEST_CASE("the bandwidth of copies between GPUs is their links'") {
  const std::string sizes = R"(["1 MiB", "4 MiB"])";
  const auto uva = latencies(cuda, "uva", sizes);
  const Time more = uva.at(4 * MiB) - uva.at(1 * MiB);
  CHECK(more >= written(3 * MiB));
  // Acknowledgements, credits and ordered sets take their share.
  CHECK(more < written(3 * MiB) + Time::from_fs(written(3 * MiB).fs() / 50));
}

TEST_CASE("without peer access chunks overlap: each one more costs the slower half alone") {
  const auto t = latencies(cuda, "no_uva", R"(["1 MiB", "2 MiB", "4 MiB"])");
  const Time one_chunk = t.at(2 * MiB) - t.at(1 * MiB);
  CHECK(one_chunk > written(1 * MiB));
  CHECK(one_chunk < written(1 * MiB) + 5_us);
  // From the third on the source waits for a buffer, and for the command that the driver pushes then.
  CHECK(t.at(4 * MiB) - t.at(2 * MiB) > one_chunk * 2);
  CHECK(t.at(4 * MiB) - t.at(2 * MiB) < (written(1 * MiB) + 5_us) * 2);
  // A single one does not overlap with anything.
  CHECK(t.at(1 * MiB) > written(1 * MiB) + completed(1 * MiB));
}

TEST_CASE("smaller chunks overlap more of a copy that goes by way of the host") {
  const auto small = latencies(cuda, "no_uva", R"(["1 MiB"])", {{"/library/driver/chunk", "\"64 KiB\""}});
  const auto large = latencies(cuda, "no_uva", R"(["1 MiB"])");
  CHECK(small.at(MiB) < large.at(MiB));
  CHECK(small.at(MiB) > written(MiB) + completed(64 * KiB));
}

TEST_CASE("each half of a chunk that waits for another GPU begins a hand-over behind that") {
  const Overrides later = {{"/library/driver/hand_over", "\"20 us\""}, {"/library/driver/chunk", "\"64 KiB\""}};
  const Overrides at_once = {{"/library/driver/chunk", "\"64 KiB\""}};
  const std::string sizes = R"(["64 KiB", "1 MiB"])";
  const auto slow = latencies(cuda, "no_uva", sizes, later);
  const auto fast = latencies(cuda, "no_uva", sizes, at_once);
  // From the semaphore on, not from when the thread has seen it.
  CHECK(slow.at(64 * KiB) - fast.at(64 * KiB) < 20_us);
  CHECK(slow.at(64 * KiB) - fast.at(64 * KiB) > 19500_ns);
  // Both GPUs' hand-overs run side by side: one a chunk.
  CHECK(slow.at(MiB) - fast.at(MiB) <= 20_us * 16);
  CHECK(slow.at(MiB) - fast.at(MiB) > 18_us * 16);
}

TEST_CASE("peer access across QPI is refused, without it the copy goes over both sockets") {
  const Overrides across = {{"/library/gpus", R"(["gpu0", "gpu2"])"}};
  CHECK_THROWS_WITH(
      latencies(cuda, "uva", R"(["8 B"])", across),
      Catch::Contains("no peer access (method \"no_uva\" needs none): the way from node0.gpu0 to the card "
                      "at address 0x4080000000 crosses QPI"));
  const auto far = latencies(cuda, "no_uva", R"(["8 B", "64 KiB"])", across);
  const auto near = latencies(cuda, "no_uva", R"(["8 B", "64 KiB"])");
  CHECK(far.at(8) > near.at(8));
  CHECK(far.at(64 * KiB) > near.at(64 * KiB));
}

TEST_CASE("copies between GPUs are the same with trains and without") {
  const auto digest = [](const std::string& max_train) {
    return report::digest(rows_of(cuda, {{"/options/max_train", max_train},
                                         {"/scenario/sizes", R"(["8 B", "1000 B", "100 KiB", "3 MiB"])"},
                                         {"/scenario/iterations", "2"}}));
  };
  CHECK(digest("1") == digest("64"));
}

TEST_CASE("a staged message takes a copy to the host and a DMA transfer from there") {
  const std::string sizes = R"(["4 KiB", "64 KiB", "256 KiB"])";
  const auto staged = latencies("tca_staged_ping_pong", "staged", sizes);
  const auto dma = latencies("tca_cpu_gpu_dma_ping_pong", "dma", sizes);
  std::map<std::int64_t, Time> copies;
  for (const auto& [size, t] : staged) {
    CAPTURE(size);
    REQUIRE(t > dma.at(size));
    copies[size] = t - dma.at(size);
    CHECK(copies[size] > call + push + written(size));
    CHECK(copies[size] < call + push + written(size) + Time::from_fs(written(size).fs() / 50) + 3_us);
  }
  const Time more = copies[256 * KiB] - copies[4 * KiB];
  CHECK(more >= written(252 * KiB));
  CHECK(more < written(252 * KiB) + Time::from_fs(written(252 * KiB).fs() / 50));
}

TEST_CASE("staged messages are the same with trains and without") {
  const auto digest = [](const std::string& max_train) {
    return report::digest(
        rows_of("tca_staged_ping_pong", {{"/options/max_train", max_train}, {"/scenario/iterations", "3"}}));
  };
  CHECK(digest("1") == digest("64"));
}

}  // namespace cuda_test
