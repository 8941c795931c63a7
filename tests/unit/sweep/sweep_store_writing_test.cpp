// SPDX-License-Identifier: Apache-2.0
// How results get to their files: half-written ones, those that cannot be written, places that are taken.
#include <unistd.h>

#include <chrono>
#include <fstream>

#include "report/whole_file.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "sweep/collect/collect.hpp"
#include "sweep/results/store.hpp"
#include "unit/sweep/sweep_fixture.hpp"

namespace sweep_store_writing_test {

using namespace tsunagi;
using namespace tsunagi::test;
using sweep::Manifest;
using sweep::Result;
using sweep::Store;
namespace fs = std::filesystem;

namespace {

const Manifest mine{"1.0", "sizes", "00ff", {"what"}};

Result some_result(const std::string& what) {
  Result out;
  out.id = id_of(what);
  out.ok = true;
  return out;
}

fs::path file_of(const TemporaryFolder& folder, const std::string& id) {
  return folder.path() / "r" / "points" / id.substr(0, 2) / (id + ".json");
}

}  // namespace

TEST_CASE("half-written files have names of their own, wherever they are written") {
  const fs::path a = report::part_of("x/r.json");
  CHECK(a != report::part_of("x/r.json"));
  CHECK(a.string().rfind("x/r.json.part.", 0) == 0);
  CHECK(report::is_part(a));
  CHECK_FALSE(report::is_leftover(a));
  for (const char* other : {"movie.part.avi", "r.json.part.", "r.json.part.17", "r.json"})
    CHECK_FALSE(report::is_part(other));
}

TEST_CASE("half-written files of dead programs are cleaned, those of living ones and other shards are not") {
  const TemporaryFolder folder;
  const Store store = Store::open(folder.path() / "r", mine);
  const std::string id = id_of("a");
  const auto part_by = [](const std::string& file, const std::string& process, const std::string& computer = "") {
    std::string name = report::part_of(file).string();
    const std::string own = "-" + std::to_string(::getpid()) + "-";
    name.replace(name.rfind(own), own.size(), "-" + process + "-");
    return computer.empty() ? name : name.replace(name.rfind(".part.") + 6, computer.size(), computer);
  };
  const std::string nobody = "999999999";  // beyond the largest process number
  const std::string dead = part_by(id + ".json", nobody);
  const std::string alive = part_by(id + ".json", std::to_string(::getppid()));
  const std::string elsewhere = part_by(id + ".json", nobody, "0123456789abcdef");
  const std::string old = part_by(id + ".json", nobody, "fedcba9876543210");
  for (const std::string& name : {dead, alive, elsewhere, old})
    folder.write("r/points/" + id.substr(0, 2) + "/" + name, "{");
  fs::last_write_time(folder.path() / "r" / "points" / id.substr(0, 2) / old,
                      fs::file_time_type::clock::now() - std::chrono::hours(2));
  const std::string manifest = folder.write("r/" + part_by("sweep.json", nobody), "{").string();
  const auto there = [&](const std::string& name) {
    return fs::exists(folder.path() / "r" / "points" / id.substr(0, 2) / name);
  };
  const bool first = sweep::Shard{1, 2}.owns(id);
  store.clean({first ? 2u : 1u, 2});
  CHECK(there(dead));
  store.clean({first ? 1u : 2u, 2});
  CHECK_FALSE(there(dead));
  CHECK_FALSE(there(old));
  CHECK(there(alive));
  CHECK(there(elsewhere));
  CHECK_FALSE(fs::exists(manifest));
}

TEST_CASE("a result that cannot be written is a system error that names the file, and leaves nothing") {
  const TemporaryFolder folder;
  Store store = Store::open(folder.path() / "r", mine);
  const std::string id = id_of("a");
  folder.write("r/points/" + id.substr(0, 2), "a file where a folder belongs");
  CHECK_THROWS_AS(store.keep(some_result("a")), std::system_error);
  const std::string other = id_of("b");
  fs::create_directories(file_of(folder, other));  // a folder where the file belongs
  CHECK_THROWS_WITH(store.keep(some_result("b")), Catch::Contains("cannot write") && Catch::Contains(other));
  CHECK(std::distance(fs::directory_iterator(file_of(folder, other).parent_path()), {}) == 1);
}

TEST_CASE("a result whose place is taken is told, left alone, and the others go on") {
  const TemporaryFolder folder;
  Store store = Store::open(folder.path() / "r", mine);
  fs::create_directories(file_of(folder, id_of("a")));
  folder.write("r/points/" + id_of("b").substr(0, 2), "a file where a folder belongs");
  REQUIRE(id_of("b").substr(0, 2) != id_of("c").substr(0, 2));
  std::vector<std::string> complaints;
  sweep::Orders orders;
  orders.complaint = [&complaints](const std::string& line) { complaints.push_back(line); };
  const sweep::Points points = fake_points({"a", "b", "c"});
  const sweep::Tally tally = run(points, store, fake_sweep_simulate, orders);
  CHECK(tally.failed == 2);
  CHECK(tally.done == 1);
  REQUIRE(complaints.size() == 2);
  CHECK(complaints[0] == "cannot read " + file_of(folder, id_of("a")).string() + ": Is a directory");
  CHECK_THAT(complaints[1], Catch::Contains(file_of(folder, id_of("b")).string()));
  sweep::TableCollector table(points.axes);
  complaints.clear();
  const auto summary = collect(points, store, table, orders.complaint);
  CHECK(summary.ok == 1);
  CHECK(summary.missing == 2);
  CHECK(complaints.size() == 2);
}

}  // namespace sweep_store_writing_test
