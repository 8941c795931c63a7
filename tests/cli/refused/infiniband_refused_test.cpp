// SPDX-License-Identifier: Apache-2.0
// InfiniBand parts that there are none of, told by the reader.
#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace infiniband_refused_test {

using namespace tsunagi::test;

namespace {

/// What `validate` says of a part of that kind with such fields.
void expect(const std::string& kind, const std::string& fields, int exit_code, const std::string& says) {
  const TemporaryFolder folder;
  const auto file = folder.write("part.json", R"({"kind": ")" + kind + "\", " + fields + "}");
  const Ended end = run_program({"validate", file.string()});
  CAPTURE(fields, end.err, end.out);
  CHECK(end.exit_code == exit_code);
  CHECK_THAT(end.out + end.err, Catch::Contains(says));
}

}  // namespace

TEST_CASE("InfiniBand: links have the speeds, widths and MTUs of the standard, and its numbers of virtual lanes") {
  expect("infiniband", R"("speed": "fdr10", "width": 12, "mtu": "4 KiB", "virtual_lanes": 15)", 0, "ok");
  expect("infiniband", R"("speed": "xdr")", 2, R"(unknown word "xdr")");
  expect("infiniband", R"("width": 2)", 2, "1, 4, 8, 12");
  expect("infiniband", R"("mtu": "3 KiB")", 2, "/mtu");
  expect("infiniband", R"("virtual_lanes": 3)", 2, "1, 2, 4, 8, 15");
}

TEST_CASE("InfiniBand: a switch arbitrates among the virtual lanes that it has") {
  expect("infiniband_switch", R"("virtual_lanes": 2, "weights": [255, 1], "high_priority": [1])", 0, "ok");
  expect("infiniband_switch", R"("virtual_lanes": 2, "weights": [4, 4, 4])", 2,
         R"("weights" are of more virtual lanes than there are)");
  expect("infiniband_switch", R"("virtual_lanes": 2, "high_priority": [2])", 2,
         R"("high_priority" names a virtual lane that there is none of)");
  expect("infiniband_switch", R"("virtual_lanes": 2, "weights": [0])", 2, "/weights/0");
  expect("infiniband_switch", R"("virtual_lanes": 2, "weights": [256])", 2, "/weights/0");
  expect("infiniband_switch", R"("vl_blocks": 2049)", 2, "/vl_blocks");
}

}  // namespace infiniband_refused_test
