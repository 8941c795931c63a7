// SPDX-License-Identifier: Apache-2.0
// Two libraries in one run: halo exchanges by one, reductions by the other.
#include <nlohmann/json.hpp>
#include <set>

#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace combined_test {

using namespace tsunagi::test;
using nlohmann::json;

namespace {

const std::string configs = TSUNAGI_TEST_CONFIGS;

std::string part(const std::string& name) { return R"({"$use": ")" + configs + "/parts/" + name + R"(.json"})"; }

std::string both(const std::string& halo, const std::string& rest) {
  return R"({"kind": "combined", "halo": )" + halo + R"(, "rest": )" + rest + "}";
}

/// A halo exchange of HA-PACS/TCA's nodes, with a reduction of so much behind each iteration.
Ended run(const std::string& library, const std::string& reduction, const std::string& more = "",
          const std::string& machine = "ha_pacs_tca", const std::string& grid = "[8, 2]",
          const std::string& face = "64 B") {
  const TemporaryFolder folder;
  const std::string file = folder
                               .write("r.json", R"({"name": "r", "title": "r", "machine": {"$use": ")" + configs +
                                                    "/machines/" + machine + R"(.json"}, "library": )" + library +
                                                    R"(, "scenario": {"kind": "halo_exchange", "faces": [")" + face +
                                                    R"("], "scales": [1, 128],
                                 "iterations": 2, "warm_up": 2, "reduction": ")" +
                                                    reduction + R"(", "grid": )" + grid + more + "}}")
                               .string();
  return run_program({"run", file, "--format", "json"});
}

json result(const std::string& library, const std::string& reduction, const std::string& more = "") {
  const Ended end = run(library, reduction, more);
  INFO(end.err);
  REQUIRE(end.exit_code == 0);
  return json::parse(end.out);
}

double time_of(const json& result, std::size_t row) { return result["rows"][row]["time_fs"]; }

std::set<std::string> steps_of(const json& result) {
  std::set<std::string> out;
  for (const json& step : result["accounts"]["steps"]) out.insert(step["step"].get<std::string>());
  return out;
}

std::string refusal(const std::string& library) {
  const Ended end = run(library, "8 B");
  CHECK(end.exit_code == 2);
  return end.err;
}

}  // namespace

TEST_CASE("halo exchanges by one of two libraries take what they take by it alone") {
  for (const char* more : {R"(, "packing": false)", R"(, "packing": true, "compute": "1 us")", R"(, "by": "window")",
                           R"(, "memory": "gpu0", "ranks": 16)"}) {
    CAPTURE(more);
    const json alone = result(part("tca"), "0 B", more);
    const json beside = result(both(part("tca"), part("mvapich2_1_9b")), "0 B", more);
    CHECK(beside["digest"] == alone["digest"]);
  }
}

TEST_CASE("what a rank has to send by one of two libraries leaves before it waits in the other one") {
  // In the dimension of two both faces come from one rank, which waits for two messages that say so; the second finds
  // no work request free.
  const std::string mpi =
      R"({"$use": ")" + configs + R"(/parts/mvapich2_1_9b.json", "rendezvous": "rget", "depth": 1})";
  const Ended end =
      run(both(mpi, part("tca")), "8 KiB", R"(, "packing": false, "ranks": 8)", "ha_pacs_tca", "[4, 2]", "512 B");
  CAPTURE(end.err);
  CHECK(end.exit_code == 0);
}

TEST_CASE("of two libraries one has the halo exchange, the other one the reduction, whichever is which") {
  const std::string tca = part("tca");
  const std::string mpi = part("mvapich2_1_9b");
  const json by_tca = result(tca, "8 B");
  const json halo_by_tca = result(both(tca, mpi), "8 B");
  const json halo_by_mpi = result(both(mpi, tca), "8 B");
  const json by_mpi = result(mpi, "8 B");
  // The rings are faster for the small reduction.
  CHECK(time_of(halo_by_tca, 0) > time_of(by_tca, 0));
  CHECK(time_of(halo_by_mpi, 0) < time_of(by_mpi, 0));
  CHECK(time_of(halo_by_tca, 0) != time_of(halo_by_mpi, 0));
  for (const json& r : {halo_by_tca, halo_by_mpi}) {
    const std::set<std::string> steps = steps_of(r);
    CHECK(steps.count("poll the rings") == 1);
    CHECK(steps.count("handle a header") == 1);
  }
}

TEST_CASE("two libraries that cannot be combined are refused, with the reason") {
  const std::string tca = part("tca");
  const std::string mpi = part("mvapich2_1_9b");
  CHECK_THAT(refusal(both(tca, tca)), Catch::Contains("node0.peach2 is another library's already"));
  CHECK_THAT(refusal(both(mpi, mpi)), Catch::Contains("node0.hca is another library's already"));
  CHECK_THAT(refusal(both(tca, part("mvapich2_1_9b_second_socket"))),
             Catch::Contains("rank 0 is on node0.core0 in library tca, on node0.core1 in mpi"));
  const Ended two_datagrams =
      run(both(R"({"kind": "datagram"})", R"({"kind": "datagram"})"), "8 B", "", "crossbar_16", "[4, 4]");
  CHECK(two_datagrams.exit_code == 2);
  CHECK_THAT(two_datagrams.err, Catch::Contains("is another library's already"));
  CHECK_THAT(refusal(both(both(tca, mpi), mpi)), Catch::Contains("/library/halo: library combined is of libraries"));
  CHECK_THAT(refusal(R"({"kind": "combined", "halo": )" + tca + "}"),
             Catch::Contains("/library/rest: library combined needs two others"));
  CHECK_THAT(refusal(R"({"kind": "blacs", "over": )" + both(tca, mpi) + "}"),
             Catch::Contains("library blacs does not run over combined"));
}

}  // namespace combined_test
