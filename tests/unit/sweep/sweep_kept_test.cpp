// SPDX-License-Identifier: Apache-2.0
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "sweep/results/kept.hpp"
#include "sweep/results/store.hpp"

namespace sweep_kept_test {

using namespace tsunagi;
using sweep::Kept;
using sweep::Result;

namespace {

/// A folder of results made by another version.
struct Folder {
  explicit Folder(const std::vector<std::string>& values) {
    sweep::Store store =
        sweep::Store::open(path(), {"0.0.1", "s", "h", {"flight"}, [](const std::string&) { return true; }});
    for (std::size_t i = 0; i < values.size(); ++i) {
      Result result;
      result.id = std::string(31, '0') + static_cast<char>('a' + i);
      result.ok = values[i] != "fails";
      if (!result.ok) result.messages = {"why"};
      result.coordinates = {{"flight", values[i]}};
      if (result.ok) result.rows.rows.emplace_back().time("latency", Time::from_fs(5));
      store.keep(result);
    }
  }
  std::filesystem::path path() const { return folder.path() / "r"; }
  std::filesystem::path result(char last) const {
    return path() / "points" / "00" / (std::string(31, '0') + last + ".json");
  }
  test::TemporaryFolder folder;
};

}  // namespace

TEST_CASE("results of any version are read, in the order of their axes' values") {
  const Folder folder({"100 ns", "9 ns", "none", "fails", "1 us"});
  const Kept kept = sweep::read_kept(folder.path());
  CHECK(kept.version == "0.0.1");
  CHECK(kept.axes == std::vector<std::string>{"flight"});
  std::vector<std::string> order;
  for (const Result& r : kept.results) order.push_back(r.coordinates.at(0).value);
  CHECK(order == std::vector<std::string>{"9 ns", "100 ns", "1 us", "none"});
  CHECK(kept.failed == 1);
  CHECK(kept.damaged.empty());
}

TEST_CASE("a damaged result is told, the others are read") {
  const Folder folder({"1 ns", "2 ns"});
  folder.folder.write("r/points/00/" + folder.result('a').filename().string(), "{");
  const Kept kept = sweep::read_kept(folder.path());
  CHECK(kept.results.size() == 1);
  REQUIRE(kept.damaged.size() == 1);
  CHECK_THAT(kept.damaged[0], Catch::Contains("is damaged: it is cut or no JSON"));
}

TEST_CASE("a folder without results of a sweep is refused") {
  const test::TemporaryFolder folder;
  CHECK_THROWS_AS(sweep::read_kept(folder.path()), sweep::ForeignFolder);
  CHECK_THROWS_WITH(sweep::read_kept(folder.path()), Catch::Contains("it has no sweep.json"));
  for (const char* text : {"", "[]", "{}", R"({"tsunagi": 1, "sweep": "s", "axes": []})"}) {
    folder.write("sweep.json", text);
    CHECK_THROWS_WITH(sweep::read_kept(folder.path()), Catch::Contains("is not tsunagi's"));
  }
}

}  // namespace sweep_kept_test
