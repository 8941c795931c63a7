// SPDX-License-Identifier: Apache-2.0
// Copies between GPU and FPGA as a user runs them.
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/program.hpp"

namespace gpu_fpga_test {

using namespace tsunagi::test;

namespace {

const std::string configs = TSUNAGI_TEST_CONFIGS;
const std::string node = "/machine/topology/devices/node0";

/// Bandwidth of copies of one size in bytes a second.
double bandwidth(const std::string& run, std::vector<std::string> settings, const std::string& size = "1048572 B") {
  std::vector<std::string> args{
      "run", configs + "/runs/" + run, "--format", "csv", "--set", "/scenario/sizes=[\"" + size + "\"]"};
  for (std::string& s : settings) {
    args.push_back("--set");
    args.push_back(node + std::move(s));
  }
  const Ended end = run_program(args);
  CAPTURE(end.err);
  REQUIRE(end.exit_code == 0);
  return std::stod(end.out.substr(end.out.rfind(',') + 1));
}

// 256 B with a header of 16 B in words of 32 B, 250 million a second.
constexpr double path_bound = 256.0 / 9 * 250e6;

}  // namespace

TEST_CASE("an FPGA card is no faster on a faster link than its data path") {
  const double gen3 = bandwidth("fpga_dma_write.json", {});
  CHECK(gen3 > 0.99 * path_bound);
  CHECK(gen3 <= path_bound);
  for (const char* rate : {"16 GT/s", "32 GT/s"})
    CHECK(bandwidth("fpga_dma_write.json",
                    {std::string("/links/2/wire/rate=\"") + rate + "\"", "/links/3/wire/rate=\"32 GT/s\""}) == gen3);
}

TEST_CASE("with a wider data path an FPGA card follows its link up to that path's bound") {
  const std::string wide = "/devices/fpga0/datapath_width=\"64 B\"";
  const double gen3 = bandwidth("fpga_dma_write.json", {wide});
  const double gen4 =
      bandwidth("fpga_dma_write.json", {wide, "/links/2/wire/rate=\"16 GT/s\"", "/links/3/wire/rate=\"16 GT/s\""});
  CHECK(gen3 > path_bound);
  CHECK(gen3 < 7.877e9 * 256 / 280);  // the link's payload
  CHECK(gen4 > 0.99 * 256.0 / 5 * 250e6);
  CHECK(gen4 <= 256.0 / 5 * 250e6);  // five words of 64 B
}

TEST_CASE("by way of the host a copy takes the sum of both links' times if nothing else takes any") {
  const auto rate = [](const char* source, const char* target, const char* size) {
    const Ended end = run_program({"run", configs + "/runs/store_and_forward_ideal.json", "--format", "csv", "--set",
                                   std::string(R"(/scenario/source=")") + source + '"', "--set",
                                   std::string(R"(/scenario/target=")") + target + '"', "--set",
                                   std::string("/scenario/sizes=[\"192 KiB\",\"") + size + "\"]"});
    CAPTURE(end.err);
    REQUIRE(end.exit_code == 0);  // a rate above its ceiling ends with 1
    return std::stod(end.out.substr(end.out.rfind(',') + 1));
  };
  constexpr double sum = 16e9 / 3;  // 1/(1/8 + 1/16)
  for (const char* size : {"1 MiB", "16 MiB"}) {
    const double from_gpu = rate("gpu0", "fpga0", size);
    CHECK(from_gpu < sum);
    CHECK(from_gpu > 0.99 * sum);
  }
  // To the GPU the last two staging buffers of 64 KiB are still on their way.
  const double to_gpu = rate("fpga0", "gpu0", "1 MiB");
  CHECK(to_gpu > 0.98 * 16e9 / (3 - 0.125));
  CHECK(to_gpu < 16e9 / (3 - 0.125));
}

TEST_CASE("writes are done before they have passed a slow link, and beat it by no more than the way to it holds") {
  // Two lanes of 8 GT/s behind a data path of 7.11 GB/s.
  const std::vector<std::string> slow{"/links/2/wire/lanes=2"};
  const double link = 2 * 8e9 / 8 * 128 / 130 * 256 / 280;
  CHECK(bandwidth("fpga_dma_write.json", slow, "1 KiB") > link);
  const double whole = bandwidth("fpga_dma_write.json", slow);
  CHECK(whole > 0.98 * link);
  CHECK(whole < 1.002 * link);
}

TEST_CASE("a copy to a GPU by way of the host returns while its last pieces pass a slow link") {
  const std::vector<std::string> slow{"/links/3/wire/lanes=1"};
  const double link = 8e9 / 8 * 128 / 130 * 128 / 148;  // a P100 reads lines of 128 B
  const double card = 8 * 8e9 / 8 * 128 / 130 * 256 / 280;
  const double both = 1 / (1 / link + 1 / card);
  // One pinned buffer of 64 KiB: the call returns when it is full, not when the GPU has read it.
  CHECK(bandwidth("opencl_cuda_to_gpu.json", slow, "64 KiB") > both);
  // Two of sixteen.
  CHECK(bandwidth("opencl_cuda_to_gpu.json", slow) < both * 16 / 14);
}

TEST_CASE("a host's driver makes tables that the card's FIFO holds") {
  for (const char* run : {"opencl_cuda_to_gpu.json", "opencl_cuda_from_gpu.json"}) {
    const double whole = bandwidth(run, {});
    double last = whole;
    for (const int fifo : {127, 32, 1}) {
      const double now = bandwidth(run, {"/devices/fpga0/controller/host_fifo=" + std::to_string(fifo)});
      CHECK(now < last);
      last = now;
    }
  }
}

TEST_CASE("a card reads a GPU whose link has smaller packets, but does not write to it") {
  const std::string narrow = "/links/3/wire/max_payload_size=\"128 B\"";
  CHECK(bandwidth("fpga_dma_read.json", {narrow}) == bandwidth("fpga_dma_read.json", {}));
  const Ended end = run_program({"run", configs + "/runs/fpga_dma_write.json", "--set", node + narrow});
  CHECK(end.exit_code == 2);
  CHECK(end.err.find("packets of up to 256 B") != std::string::npos);
}

TEST_CASE("a kernel's ids begin again behind 255") {
  const std::string many = "/scenario/iterations=300";
  const Ended end =
      run_program({"run", configs + "/runs/fpga_dma_write.json", "--set", many, "--set", R"(/scenario/sizes=["4 B"])"});
  CHECK(end.err == "");
  CHECK(end.exit_code == 0);
}

TEST_CASE("pageable pieces of a GPU's bytes are copied when they have come, while the next one comes") {
  // On one lane the GPU's link takes its time beside everything else.
  const std::string slow = "/links/3/wire/lanes=1";
  const double link = 8e9 / 8 * 128 / 130 * 256 / 280;
  const double card = 8 * 8e9 / 8 * 128 / 130 * 256 / 276;
  const double size = 1048572;
  const double whole = size / bandwidth("opencl_cuda_from_gpu.json", {slow});
  CHECK(whole > size / link + size / card);
  // A core that copies in no time spares the last of sixteen pieces only: 64 KiB at 9 GB/s at least.
  const double quick =
      size / bandwidth("opencl_cuda_from_gpu.json", {slow, "/devices/core0/copy/levels/0/rate=\"1000 GB/s\"",
                                                     "/devices/core0/copy/levels/1/rate=\"1000 GB/s\"",
                                                     "/devices/core0/copy/levels/2/rate=\"1000 GB/s\"",
                                                     "/devices/core0/copy/memory_rate=\"1000 GB/s\""});
  CHECK(whole > quick);
  CHECK(whole - quick < 2 * 65536 / 9e9);
}

TEST_CASE("a write through the window returns while its stores pass a slow link") {
  const Ended end =
      run_program({"run", configs + "/runs/opencl_cuda_from_gpu.json", "--set", R"(/scenario/sizes=["64 KiB"])",
                   "--set", R"(/library/opencl/dma_threshold="1 MiB")", "--set", node + "/links/2/wire/lanes=1"});
  CHECK(end.err == "");
  CHECK(end.exit_code == 0);
}

TEST_CASE("copies that the card or the driver cannot make are refused before the run") {
  const auto refusal = [](const std::string& run, const std::string& set) {
    const Ended end = run_program({"run", configs + "/runs/" + run, "--set", set});
    CHECK(end.exit_code == 2);
    CHECK(end.out == "");
    return end.err;
  };
  const auto has = [](const std::string& text, const std::string& part) {
    CAPTURE(text);
    CHECK(text.find(part) != std::string::npos);
  };
  has(refusal("fpga_dma_write.json", R"(/scenario/sizes=["1 MiB"])"),
      "the card takes no descriptor with a length of 1 MiB, but its field holds 1048572 B at most");
  has(refusal("fpga_dma_write.json", R"(/scenario/sizes=["6 B"])"), "no multiple of 4 B");
  has(refusal("fpga_dma_write.json", R"(/scenario/target="fpga0")"), "copies between \"fpga0\" and a GPU");
  has(refusal("fpga_dma_read.json", R"(/scenario/source="gpu1")"), "node0.gpu1");
  has(refusal("opencl_cuda_to_gpu.json", R"(/scenario/sizes=["6 B"])"), "whole words of 4 B");
  has(refusal("opencl_cuda_to_gpu.json", R"(/scenario/sizes=["5 GiB"])"), "5 GiB of fpga0, whose memory has 4 GiB");
  has(refusal("opencl_cuda_to_gpu.json", R"(/scenario/sizes=["100 GiB"])"), "the host has room for");
  has(refusal("opencl_cuda_to_gpu.json", R"(/scenario/target="core0")"), "copies between \"fpga0\" and \"gpu0\"");
  has(refusal("fpga_dma_write.json", R"(/library={"kind":"datagram"})"), "terminal");
  const Ended end =
      run_program({"run", configs + "/runs/opencl_cuda_to_gpu.json", "--set", R"(/scenario/sizes=["17 GiB"])", "--set",
                   node + R"(/devices/fpga0/memory_size="64 GiB")"});
  CHECK(end.exit_code == 2);
  has(end.err, "17 GiB of gpu0, whose memory has 16 GiB");
  const Ended narrow =
      run_program({"run", configs + "/runs/fpga_dma_read.json", "--set", node + R"(/devices/rc/peer_read_size="256 B")",
                   "--set", node + R"(/links/2/wire/max_payload_size="128 B")"});
  CHECK(narrow.exit_code == 2);
  has(narrow.err, "completions of 256 B from node0.gpu0");
  has(refusal("fpga_dma_write.json", node + R"(/devices/fpga0/window_size="128 KiB")"), "its registers and window are");
}

}  // namespace gpu_fpga_test
