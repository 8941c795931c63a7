// SPDX-License-Identifier: Apache-2.0
// The matrix of servers whose GPUs NVLink joins, imported and shipped.
#include <nlohmann/json.hpp>

#include "cli/box/boxed.hpp"
#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace nvlink_box_test {

using namespace tsunagi::test;
using nlohmann::json;

namespace {

const std::string configs = TSUNAGI_TEST_CONFIGS;
const std::string four = configs + "/imports/four_v100_nvlink.xml";
constexpr double link_payload = 25.78125e9 * 16 / 17;

}  // namespace

TEST_CASE("box: GPUs that NVLink joins are measured over it, as many links as there are") {
  const json box = boxed({four});
  for (const auto& [to, links] : {std::pair{"gpu1", 1}, {"gpu2", 1}, {"gpu3", 2}})
    for (const char* what : {"one_way", "read", "all_at_once"}) {
      CAPTURE(to, what);
      CHECK(value(box, "gpu0", to, what) <= links * link_payload);
      CHECK(value(box, "gpu0", to, what) > 0.96 * links * link_payload);
      CHECK(cell(box, "gpu0", to, what).at("limit").at("kind") == "wire NVLink 2, gpu to gpu");
    }
  CHECK(value(box, "gpu0", "gpu3", "both_ways") > 0.96 * 4 * link_payload);
  CHECK(cell(box, "gpu0", "gpu3", "one_way").at("how") == "copy engine of gpu0, over 2 links of NVLink 2");
  CHECK(cell(box, "gpu0", "gpu3", "read").at("how") == "copy engine of gpu3, over 2 links of NVLink 2");
  CHECK(cell(box, "gpu0", "memory", "one_way").at("limit").at("kind") == "wire PCIe Gen3 x16, gpu to root_complex");
  // Each GPU has a slot of its own, so at once they have what each has alone; GPUs of the other socket are none of
  // them.
  for (const auto& [from, to] : {std::pair{"memory", "gpu0"}, {"gpu1", "memory"}}) {
    CAPTURE(from, to);
    CHECK(value(box, from, to, "all_at_once") == Approx(value(box, from, to, "one_way")).epsilon(0.01));
    CHECK_THAT(cell(box, from, to, "all_at_once").at("how").get<std::string>(), Catch::EndsWith(" at once"));
  }
}

TEST_CASE("box: pairs over one NVLink link and over two are not alike, and each is what it is by itself") {
  const json one = boxed({four, "--size", "256 KiB"});
  const json each = boxed({four, "--size", "256 KiB", "--each"});
  CHECK(one.at("cells") == each.at("cells"));
  CHECK(one.at("simulations") < each.at("simulations"));
}

TEST_CASE("box: over NVSwitches sockets do not matter, and pairs are alike") {
  const json box = boxed({"a100_nvswitch", "--size", "1 MiB"});
  // Memory and a GPU, near and far; two GPUs, there as back; their latencies below one switch, below two, and at two
  // sockets, where the process is at one of them; at once with memory, near and far; rings of eight, four and two.
  CHECK(box.at("simulations") == 2 * 5 + 3 + (1 + 1 + 2) + 4 + 3);
  CHECK(value(box, "gpu0", "gpu7", "one_way") == value(box, "gpu0", "gpu1", "one_way"));
  CHECK(cell(box, "gpu0", "gpu7", "one_way").at("socket") == "far");
  CHECK(cell(box, "gpu3", "gpu4", "one_way").at("how") == "copy engine of gpu3, over 12 links of NVLink 3");
  CHECK_FALSE(cell(box, "gpu0", "gpu7", "all_at_once").at("value").is_null());
}

TEST_CASE("box: what is low over NVLink is not explained by PCIe") {
  const TemporaryFolder folder;
  const auto own = folder.write("own.csv", "from,to,what,value\ngpu0,gpu1,one_way,12 GB/s\n");
  const json box = boxed({four, "--compare", own.string()});
  for (const json& c : box.at("compared").at(0).at("causes"))
    CHECK_THAT(c.at("cause").get<std::string>(), !Catch::Contains("pcie") && !Catch::Contains("payload") &&
                                                     !Catch::Contains("ACS") && !Catch::Contains("at a time"));
}

}  // namespace nvlink_box_test
