// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <fstream>

#include "report/digest.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "sweep/collect/collect.hpp"
#include "sweep/results/store.hpp"
#include "unit/report/report_fixture.hpp"
#include "unit/sweep/sweep_fixture.hpp"

namespace sweep_store_test {

using namespace tsunagi;
using namespace tsunagi::test;
using sweep::ForeignFolder;
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
  out.coordinates = {{"what", what}, {"payload", "256 B"}};
  out.rows = ping_pong_rows();
  out.rows.accounts = report::Accounts{{{"poll", 3, 7_ns}}, 2, 64_B, {1, 32_B}, {4, 96_B}};
  out.cost.wall_s = 0.5;
  out.cost.wakeups = 7;
  out.cost.simulated = Time::from_fs(1'234'567'891);
  return out;
}

fs::path file_of(const TemporaryFolder& folder, const std::string& id) {
  return folder.path() / "r" / "points" / id.substr(0, 2) / (id + ".json");
}

}  // namespace

TEST_CASE("a result survives the way through its file") {
  const TemporaryFolder folder;
  Store store = Store::open(folder.path() / "r", mine);
  const Result sent = some_result("a");
  CHECK_FALSE(store.find(sent.id));
  store.keep(sent);
  const auto got = Store::existing(folder.path() / "r", mine).find(sent.id);
  REQUIRE(got);
  CHECK(got->ok);
  CHECK(got->coordinates.at(1).axis == "payload");
  CHECK(got->coordinates.at(1).value == "256 B");
  CHECK(report::digest(got->rows) == report::digest(sent.rows));
  REQUIRE(got->rows.accounts);
  CHECK(got->rows.accounts->find("poll")->calls == 3);
  CHECK(got->rows.accounts->by_dma.bytes == 96_B);
  CHECK(got->rows.rates.at(0).name == "bandwidth");
  CHECK(got->cost.wall_s == 0.5);
  CHECK(got->cost.wakeups == 7);
  CHECK(got->cost.simulated == sent.cost.simulated);
}

TEST_CASE("a failed point keeps its messages, and a newer result replaces it") {
  const TemporaryFolder folder;
  Store store = Store::open(folder.path() / "r", mine);
  Result failed;
  failed.id = id_of("a");
  failed.messages = {"one", "two\nlines"};
  store.keep(failed);
  CHECK(store.find(failed.id)->messages == failed.messages);
  CHECK_FALSE(store.find(failed.id)->ok);
  store.keep(some_result("a"));
  CHECK(store.find(failed.id)->ok);
}

TEST_CASE("of two writers of one point the first good result stays, to the byte") {
  const TemporaryFolder folder;
  Store one = Store::open(folder.path() / "r", mine);
  Store other = Store::open(folder.path() / "r", mine);
  Result slower = some_result("a");
  slower.cost.wall_s = 9;
  Result failed;
  failed.id = id_of("a");
  failed.messages = {"the system may have run out of memory"};
  CHECK(other.keep(failed));
  CHECK(one.keep(some_result("a")));
  const std::string first = content(file_of(folder, failed.id));
  CHECK_FALSE(other.keep(slower));
  CHECK_FALSE(other.keep(failed));
  CHECK(content(file_of(folder, failed.id)) == first);
  CHECK(one.find(failed.id)->ok);
  const auto beside = fs::directory_iterator(file_of(folder, failed.id).parent_path());
  CHECK(std::distance(beside, {}) == 1);
}

TEST_CASE("a point that fails here while another writer had success counts as done") {
  const TemporaryFolder folder;
  Store other = Store::open(folder.path() / "r", mine);
  class Raced final : public sweep::Results {
   public:
    explicit Raced(Store& store) : store_(store) {}
    std::optional<Result> find(const std::string&) const override { return std::nullopt; }  // not yet there
    bool keep(const Result& result) override { return store_.keep(result); }

   private:
    Store& store_;
  };
  Result good = some_result("throw");
  other.keep(good);
  Raced raced(other);
  sweep::Orders orders;
  int failures = 0;
  orders.failure = [&failures](const sweep::Point&, const Result&) { ++failures; };
  const sweep::Tally tally = run(fake_points({"throw"}), raced, fake_sweep_simulate, orders);
  CHECK(tally.done == 1);
  CHECK(tally.failed == 0);
  CHECK(failures == 0);
  CHECK(other.find(good.id)->ok);
}

TEST_CASE("damaged result files are told apart from missing ones") {
  const TemporaryFolder folder;
  Store store = Store::open(folder.path() / "r", mine);
  const Result result = some_result("a");
  store.keep(result);
  const fs::path file = file_of(folder, result.id);
  const std::string whole = content(file);
  std::string forged = whole;
  forged.replace(forged.find("912000000"), 9, "911000000");
  const auto with = [&whole](const std::string& from, const std::string& to) {
    std::string text = whole;
    REQUIRE(text.find(from) != std::string::npos);
    return text.replace(text.find(from), from.size(), to);
  };
  const std::string failed = with("\"status\": \"ok\"", "\"status\": \"failed\"");
  const std::string cheaper = with("\"wall_s\": 0.5", "\"wall_s\": 0.4");
  const std::string shapeless = with("\"messages\": []", "\"messages\": {\"a\": [1]}");
  const std::string typeless = with("\"time\"", "\"tim\"");
  const std::vector<std::pair<std::string, std::string>> damages{{whole.substr(0, whole.size() / 2), "cut or no JSON"},
                                                                 {"", "cut or no JSON"},
                                                                 {"[]", "is damaged: it is no object"},
                                                                 {"{\"point\": 3}", "is damaged"},
                                                                 {forged, "do not fit its digest"},
                                                                 {failed, "does not fit its seal"},
                                                                 {cheaper, "does not fit its seal"},
                                                                 {shapeless, "another shape than a result"},
                                                                 {typeless, "a cell cannot be of type"},
                                                                 {to_text(some_result("b")), "result of point"}};
  for (const auto& [text, why] : damages) {
    std::ofstream(file) << text;
    CHECK_THROWS_WITH(store.find(result.id), Catch::Contains(why) && Catch::Contains(file.string()));
  }
  std::vector<std::string> complaints;
  sweep::Orders orders;
  orders.complaint = [&complaints](const std::string& line) { complaints.push_back(line); };
  CHECK(run(fake_points({"a"}), store, fake_sweep_simulate, orders).done == 1);
  REQUIRE(complaints.size() == 1);
  CHECK_THAT(complaints.front(), Catch::Contains("simulated again"));
  CHECK(store.find(result.id)->ok);
}

TEST_CASE("a folder that is not this sweep's is refused and left alone") {
  const TemporaryFolder folder;
  const auto at = [&folder](const char* name) { return folder.path() / name; };
  folder.write("other/holiday.jpg", "x");
  CHECK_THROWS_WITH(Store::open(at("other"), mine), Catch::Contains("holds other files") && Catch::Contains("--out"));
  CHECK_FALSE(fs::exists(at("other") / "points"));
  folder.write("odd/sweep.json", "{\"name\": 1}");
  CHECK_THROWS_WITH(Store::open(at("odd"), mine), Catch::Contains("not tsunagi's"));
  Store::open(at("r"), mine);
  Manifest theirs = mine;
  theirs.hash = "11";
  CHECK_THROWS_WITH(Store::open(at("r"), theirs), Catch::Contains("another sweep"));
  theirs = mine;
  theirs.version = "2.0";
  CHECK_THROWS_WITH(Store::open(at("r"), theirs), Catch::Contains("of tsunagi \"1.0\", this is 2.0"));
  CHECK_THROWS_AS(Store::open(folder.write("file", "x"), mine), ForeignFolder);
  CHECK_THROWS_AS(Store::existing(at("nowhere"), mine), ForeignFolder);
  CHECK_NOTHROW(Store::open(at("r"), mine));
  CHECK_NOTHROW(Store::open((fs::create_directory(at("empty")), at("empty")), mine));
}

TEST_CASE("no link in a folder of results is followed, and what is no file is not read") {
  const TemporaryFolder folder;
  const fs::path r = folder.path() / "r";
  const Result result = some_result("a");
  Store store = Store::open(r, mine);
  store.keep(result);
  const fs::path file = file_of(folder, result.id);
  fs::rename(file, folder.path() / "elsewhere");
  for (const char* to : {"../../../elsewhere", "/dev/zero"}) {
    fs::create_symlink(to, file);
    CHECK_THROWS_WITH(store.find(result.id), Catch::Contains(file.string() + ": is a symbolic link"));
    fs::remove(file);
  }
  REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
  CHECK_THROWS_AS(store.find(result.id), sweep::BlockedResult);
  fs::remove_all(file.parent_path());
  fs::create_directory_symlink(folder.path(), file.parent_path());
  CHECK_THROWS_WITH(store.find(result.id), Catch::Contains("is a symbolic link, which is not followed"));
  CHECK_THROWS_WITH(store.keep(result), Catch::Contains("is a symbolic link, which is not followed"));
  fs::rename(r / "points", folder.path() / "points");
  fs::create_directory_symlink(folder.path() / "points", r / "points");
  CHECK_THROWS_AS(Store::open(r, mine), ForeignFolder);
  CHECK_THROWS_AS(Store::existing(r, mine), ForeignFolder);
  fs::remove(r / "sweep.json");
  CHECK_THROWS_AS(Store::open(r, mine), ForeignFolder);
}

TEST_CASE("a sweep.json that was lost is made again from results of the sweep, sealed ones among them") {
  const TemporaryFolder folder;
  const fs::path r = folder.path() / "r";
  const fs::path manifest = r / "sweep.json";
  Manifest sweep = mine;
  sweep.has = [](const std::string& id) { return id == id_of("a") || id == id_of("b"); };
  {
    Store store = Store::open(r, sweep);
    CHECK(store.restored_by() == 0);
    store.keep(some_result("a"));
    store.keep(some_result("b"));
  }
  const std::string before = content(manifest);
  fs::remove(manifest);
  CHECK(Store::existing(r, sweep).restored_by() == 2);
  CHECK_FALSE(fs::exists(manifest));  // who reads writes nothing
  folder.write("r/points/" + id_of("b").substr(0, 2) + "/" + id_of("b") + ".json", "{}");
  CHECK(Store::open(r, sweep).restored_by() == 2);  // a damaged one is made again as elsewhere
  CHECK(content(manifest) == before);

  const auto expect_refused = [&] {
    fs::remove(manifest);
    CHECK_THROWS_AS(Store::open(r, sweep), ForeignFolder);
    CHECK_THROWS_AS(Store::existing(r, sweep), ForeignFolder);
    CHECK_FALSE(fs::exists(manifest));
  };
  folder.write("r/points/" + id_of("a").substr(0, 2) + "/" + id_of("a") + ".json", "{}");
  expect_refused();  // nothing is sealed
  Store::open(folder.path() / "other", mine).keep(some_result("a"));
  fs::remove_all(r);
  fs::rename(folder.path() / "other", r);
  sweep.has = [](const std::string& id) { return id == id_of("b"); };
  expect_refused();  // of another sweep
  sweep.has = [](const std::string&) { return true; };
  CHECK(Store::open(r, sweep).restored_by() == 1);
  folder.write("r/points/file", "");
  expect_refused();
}

TEST_CASE("result files that nest without end are damaged like others") {
  const TemporaryFolder folder;
  Store store = Store::open(folder.path() / "r", mine);
  const Result result = some_result("a");
  store.keep(result);
  const fs::path file = file_of(folder, result.id);
  const std::string whole = content(file);
  std::string deep = whole;
  deep.insert(1, "\"deep\": " + std::string(100'000, '[') + std::string(100'000, ']') + ",");
  std::ofstream(file) << deep;
  CHECK_THROWS_WITH(store.find(result.id), Catch::Contains("is damaged: it is nested too deep"));
  folder.write("r/sweep.json",
               "{\"hash\": \"00ff\", \"tsunagi\": " + std::string(100'000, '[') + std::string(100'000, ']') + "}");
  CHECK_THROWS_WITH(Store::open(folder.path() / "r", mine), Catch::Contains("a sweep.json that is not tsunagi's"));
  std::ofstream(file) << "{\"point\": 3}";
  CHECK_THROWS_WITH(store.find(result.id), Catch::Contains("another shape than a result: type must be string"));
}

}  // namespace sweep_store_test
