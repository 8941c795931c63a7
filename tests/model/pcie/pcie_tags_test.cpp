// SPDX-License-Identifier: Apache-2.0
#include "config/config.hpp"
#include "models/bench/exerciser.hpp"
#include "models/fpga/dma_config.hpp"
#include "models/gpu/copy_engine_config.hpp"
#include "models/infiniband/hca.hpp"
#include "models/pcie/tags.hpp"
#include "models/peach2/dma_config.hpp"
#include "support/catch.hpp"

namespace pcie_tags_test {

using namespace tsunagi;
using namespace tsunagi::literals;

namespace {

template <class C>
C read(const std::string& text) {
  return config::read<C>(config::parse(text, "t.json"), {});
}

}  // namespace

TEST_CASE("tags number as many reads as their bits, but for those that look like narrower ones") {
  CHECK(pcie::usable_tags(5) == 32);
  CHECK(pcie::usable_tags(8) == 256);
  CHECK(pcie::usable_tags(10) == 1024 - 256);
  CHECK(pcie::usable_tags(14) == 16384 - 1024);
}

TEST_CASE("a card with more reads under way than it has tags is refused") {
  CHECK(read<infiniband::HcaConfig>(R"({"read_tags": 768})").tag_bits == 10);
  CHECK_THROWS_WITH(read<infiniband::HcaConfig>(R"({"read_tags": 769})"),
                    Catch::Contains("\"read_tags\": the card has up to 769 reads under way, and tags of 10 bits "
                                    "number 768"));
  CHECK(read<infiniband::HcaConfig>(R"({"read_tags": 1024, "tag_bits": 14})").read_tags == 1024);
  CHECK_THROWS_WITH(read<bench::EngineConfig>(R"({"tags": 257, "tag_bits": 8})"), Catch::Contains("number 256"));
  CHECK(read<bench::EngineConfig>(R"({"tags": 256, "tag_bits": 8})").tags == 256);
  CHECK_THROWS_WITH(read<bench::EngineConfig>(R"({"tag_bits": 9})"), Catch::Contains("must be one of 5, 8, 10, 14"));
}

TEST_CASE("a GPU's copy engines share its tags") {
  CHECK(read<gpu::CopyEngineConfig>(R"({"count": 2, "tags": 383})").tags == 383);
  CHECK_THROWS_WITH(read<gpu::CopyEngineConfig>(R"({"count": 2, "tags": 384})"),
                    Catch::Contains("has up to 770 reads under way, and tags of 10 bits number 768"));
  CHECK(read<gpu::CopyEngineConfig>(R"({"count": 2, "tags": 15, "tag_bits": 5})").tags == 15);
  CHECK_THROWS_WITH(read<gpu::CopyEngineConfig>(R"({"count": 2, "tags": 16, "tag_bits": 5})"),
                    Catch::Contains("number 32"));
  CHECK(read<gpu::CopyEngineConfig>(R"({"count": 0, "tags": 767})").count == 0);
}

TEST_CASE("every card may ask for 4 KiB at a time") {
  CHECK(read<infiniband::HcaConfig>(R"({"max_read_request": "4 KiB"})").max_read_request == 4_KiB);
  CHECK(read<bench::EngineConfig>(R"({"max_read_request": "4 KiB"})").max_read_request == 4_KiB);
  CHECK(read<gpu::CopyEngineConfig>(R"({"max_read_request": "4 KiB"})").max_read_request == 4_KiB);
  CHECK(read<fpga::ReadMoverConfig>(R"({"max_read_request": "4 KiB"})").max_read_request == 4_KiB);
  CHECK(read<peach2::DmaConfig>(R"({"max_read_request": "4 KiB"})").max_read_request == 4_KiB);
}

}  // namespace pcie_tags_test
