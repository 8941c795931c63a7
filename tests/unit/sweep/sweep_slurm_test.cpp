// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "sweep/slurm/command.hpp"
#include "sweep/slurm/queue.hpp"
#include "sweep/slurm/script.hpp"
#include "unit/sweep/sweep_fixture.hpp"

namespace sweep_slurm_test {

using namespace tsunagi::sweep;
using namespace tsunagi::sweep::slurm;
using namespace tsunagi::test;

namespace {

std::vector<std::uint64_t> up_to(std::uint64_t last) {
  std::vector<std::uint64_t> out;
  for (std::uint64_t i = 1; i <= last; ++i) out.push_back(i);
  return out;
}

Submission some_submission() {
  Submission out;
  out.program = "/opt/tsunagi";
  out.here = "/home/me/my sweeps";
  out.folder = "/shared/it's 5%/slurm/1";
  out.name = "cable lengths";
  out.sweep = {"s.json", "--set", R"(/scenario/sizes=["8 B"])"};
  out.run = {"--limit-time", "60"};
  out.format = "csv";
  out.table = "/shared/it's 5%/results.csv";
  out.shards = 12;
  out.arrays = {{0, "1-9", 9}, {10, "2", 1}};
  return out;
}

Job array_job(std::uint64_t id, std::uint64_t offset, std::size_t tasks, std::uint64_t shards) {
  return {id, false, offset, tasks, shards};
}

}  // namespace

TEST_CASE("shards become arrays of task numbers that the site allows") {
  CHECK(ranges({1, 2, 3, 7, 9, 10}) == "1-3,7,9-10");
  CHECK(ranges({4}) == "4");
  CHECK(ranges({}).empty());
  const auto whole = arrays_of(up_to(1000), 1001);
  REQUIRE(whole.size() == 1);
  CHECK(whole[0].offset == 0);
  CHECK(whole[0].tasks == "1-1000");
  CHECK(whole[0].count == 1000);
  const auto split = arrays_of(up_to(25), 11);
  REQUIRE(split.size() == 3);
  CHECK(split[1].offset == 10);
  CHECK(split[1].tasks == "1-10");
  CHECK(split[2].offset == 20);
  CHECK(split[2].tasks == "1-5");
  const auto sparse = arrays_of({3, 30, 31}, 11);  // those between are not missing anything
  REQUIRE(sparse.size() == 3);
  CHECK(sparse[1].offset == 20);
  CHECK(sparse[1].tasks == "10");
  CHECK(sparse[2].offset == 30);
  CHECK(sparse[2].tasks == "1");
  CHECK(arrays_of({}, 1001).empty());
  CHECK(arrays_of({1, 2}, 2).size() == 2);
  CHECK_THROWS_WITH(arrays_of({1}, 1), Catch::Contains("no job arrays"));
}

TEST_CASE("every shard is in one array, as the task that the scripts count back from") {
  for (const std::uint64_t limit : {2u, 3u, 7u, 11u, 1001u}) {
    std::vector<std::uint64_t> seen;
    for (const Array& array : arrays_of(up_to(40), limit)) {
      const auto dash = array.tasks.find('-');
      const std::uint64_t first = std::stoul(array.tasks);
      const std::uint64_t last = dash == std::string::npos ? first : std::stoul(array.tasks.substr(dash + 1));
      CHECK(last < limit);
      CHECK(array.count == last - first + 1);
      for (std::uint64_t task = first; task <= last; ++task) seen.push_back(array.offset + task);
    }
    CHECK(seen == up_to(40));
  }
}

TEST_CASE("words survive a shell") {
  CHECK(quoted(std::string("--out=/a/b_c.json")) == "--out=/a/b_c.json");
  CHECK(quoted(std::string()) == "''");
  const std::vector<std::string> words{"printf", "%s|", "it's", "$HOME `id` \\", "a\nb", "*", "~root",
                                       "\"q\"",  "#",   ""};
  std::string expected;
  for (std::size_t i = 2; i < words.size(); ++i) expected += words[i] + "|";
  CHECK(ask(words).text == expected);
}

TEST_CASE("a command tells how it ended and all that it said") {
  CHECK(ask({"sh", "-c", "echo out; echo err >&2; exit 3"}).code == 3);
  CHECK(ask({"sh", "-c", "echo out; echo err >&2; exit 3"}).text == "out\nerr\n");
  CHECK(ask({"sh", "-c", "kill -9 $$"}).code == 128 + 9);
  CHECK(ask({"no-such-command"}).code == 127);
  CHECK(ask({"cat"}).text.empty());  // it has no input to wait for
}

TEST_CASE("a task runs the shard that its array and its number say") {
  const std::string script = shard_script(some_submission());
  CHECK_THAT(script, Catch::StartsWith("#!/bin/sh\n") && Catch::Contains("\ncd '/home/me/my sweeps' || exit 1\n") &&
                         Catch::Contains("exec /opt/tsunagi sweep run s.json --set '/scenario/sizes=[\"8 B\"]' "
                                         "--limit-time 60 --jobs \"${SLURM_CPUS_PER_TASK:-1}\" "
                                         "--shard \"$(($1 + SLURM_ARRAY_TASK_ID))/12\"\n"));
}

TEST_CASE("the collector begins whatever became of the tasks, and our words count behind the user's") {
  Submission s = some_submission();
  s.before = {5, 6};
  s.own = {"--cpus-per-task=2"};
  s.options = {"-p", "short", "--cpus-per-task=4"};
  const std::string script = submit_script(s);
  const std::string folder = R"('--output=/shared/it'\''s 5%%/slurm/1/)";
  const std::string begin = "job=$(sbatch --parsable '--job-name=cable lengths' --requeue --open-mode=append ";
  CHECK_THAT(script, Catch::Contains("\nafter=:5:6\n"));
  CHECK_THAT(script, Catch::Contains(begin + folder +
                                     "%A_%a.log' --cpus-per-task=2 -p short --cpus-per-task=4 "
                                     "--array=1-9 \"$folder/shard.sh\" 0)\nsubmitted 'array 0 9 12'"));
  CHECK_THAT(script, Catch::Contains("--array=2 \"$folder/shard.sh\" 10)\nsubmitted 'array 10 1 12'"));
  CHECK_THAT(script, Catch::Contains(begin + folder +
                                     "collect-%j.log' -p short --cpus-per-task=4 --cpus-per-task=1 "
                                     "--dependency=\"afterany$after\" \"$folder/collect.sh\")\n"
                                     "submitted collector "));
}

TEST_CASE("options that a sweep's jobs cannot have are told before they are submitted") {
  CHECK(fault_of({}).empty());
  CHECK(fault_of({"-p", "short", "--time=1:00:00", "--mem", "4G", "--exclusive", "-c4", "--account=a"}).empty());
  CHECK_THAT(fault_of({"--time=5", "--array=1-4"}), Catch::Contains("--array") && Catch::Contains("--shards"));
  CHECK_THAT(fault_of({"-a1-4"}), Catch::Contains("--shards"));
  CHECK_THAT(fault_of({"-a", "1-4"}), Catch::Contains("--shards"));
  CHECK_THAT(fault_of({"--wait"}), Catch::Contains("status"));
  CHECK_THAT(fault_of({"--test-only"}), Catch::Contains("--dry-run"));
  CHECK_THAT(fault_of({"--wrap=id"}), Catch::Contains("--wrap"));
  CHECK_THAT(fault_of({"-M", "other"}), Catch::Contains("--clusters"));
  CHECK_THAT(fault_of({"short"}), Catch::Contains("\"short\""));
}

TEST_CASE("jobs are found again as they were submitted, other lines are told") {
  std::vector<std::size_t> odd;
  const auto jobs =
      parse_jobs("12 array 0 9 12\n13 array 10 1 12\n14 collector\n15 arr\n\n0 collector\n16 array 0 x 1\n",
                 [&odd](std::size_t line) { odd.push_back(line); });
  REQUIRE(jobs.size() == 3);
  CHECK(jobs[0].id == 12);
  CHECK_FALSE(jobs[0].collects);
  CHECK(jobs[0].tasks == 9);
  CHECK(jobs[1].offset == 10);
  CHECK(jobs[1].shards == 12);
  CHECK(jobs[2].collects);
  CHECK(odd == std::vector<std::size_t>{4, 5, 6, 7});
  CHECK(record_of(jobs[1]) == "array 10 1 12");
}

TEST_CASE("submissions have folders of their own, in order") {
  const TemporaryFolder folder;
  const auto none = [](const std::string& line) { FAIL(line); };
  CHECK(jobs_of(folder.path(), none).empty());
  CHECK(new_submission(folder.path()) == folder.path() / "slurm/1");
  for (int i = 2; i <= 10; ++i) new_submission(folder.path());
  folder.write("slurm/2/jobs", "7 array 0 1 1\n8 collector\n");
  folder.write("slurm/10/jobs", "9 array 0 1 1\n");
  folder.write("slurm/notes.txt", "of the user's");
  const auto jobs = jobs_of(folder.path(), none);
  REQUIRE(jobs.size() == 3);
  CHECK(jobs[2].id == 9);
  const auto second = jobs_in(folder.path() / "slurm/2", none);
  REQUIRE(second.size() == 2);
  CHECK(second[0].id == 7);
  CHECK(jobs_in(folder.path() / "slurm/3", none).empty());
  for (int i = 5; i <= 9; ++i) std::filesystem::remove(folder.path() / "slurm" / std::to_string(i));
  CHECK(new_submission(folder.path()) == folder.path() / "slurm/11");
  folder.write("slurm/11/jobs", "7 arr");
  std::vector<std::string> complaints;
  jobs_of(folder.path(), [&complaints](const std::string& line) { complaints.push_back(line); });
  REQUIRE(complaints.size() == 1);
  CHECK(complaints[0] == (folder.path() / "slurm/11/jobs").string() + ":1: is no job");
}

TEST_CASE("squeue's lines say who waits for what, and who runs") {
  const auto tasks = parse_queue(
      "squeue: warning: the "
      "weather\n12|1|RUNNING|None\n12|2|PENDING|Resources\n12|3|COMPLETED|None\n12|4|NODE_FAIL|None\n"
      "12|5|COMPLETING|None\n12|6|REQUEUE_HOLD|job_requeued_in_held_state\n14|N/A|PENDING|Dependency\n12|7\n");
  REQUIRE(tasks.size() == 5);
  CHECK(tasks[0].hand == Hand::running);
  CHECK(tasks[0].index == 1u);
  CHECK(tasks[0].reason.empty());
  CHECK(tasks[1].hand == Hand::queued);
  CHECK(tasks[1].reason == "Resources");
  CHECK(tasks[2].hand == Hand::running);
  CHECK(tasks[3].hand == Hand::queued);
  CHECK(tasks[4].job == 14);
  CHECK_FALSE(tasks[4].index);
  CHECK(queue_words({array_job(12, 0, 6, 6), {14, true}}) ==
        std::vector<std::string>{"squeue", "--noheader", "--array", "--jobs=12,14", "--format=%F|%K|%T|%r"});
  CHECK(knows_no_job("slurm_load_jobs error: Invalid job id specified\n"));
  CHECK_FALSE(knows_no_job("slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n"));
}

TEST_CASE("MaxArraySize is read from what scontrol shows") {
  CHECK(parse_max_array_size("Configuration data as of 2024\nMaxArraySize            = 1001\nMaxDBDMsgs = 1\n") ==
        1001u);
  CHECK_FALSE(parse_max_array_size("MaxJobCount = 10000\n"));
  CHECK_FALSE(parse_max_array_size("MaxArraySize = many\n"));
}

TEST_CASE("a point is in the hands of the shards that have it, of any submission") {
  // Ids that begin with their own number: point i is of shard i % count + 1.
  const auto id = [](int i) { return fmt::format("{:016x}{:016x}", i, 0); };
  const std::vector<Job> jobs{
      array_job(12, 0, 2, 4), array_job(13, 2, 1, 4), array_job(20, 0, 1, 3), {21, true}, array_job(22, 0, 3, 4)};
  const Hands hands(jobs, {{12, 1, Hand::queued, ""},
                           {13, 1, Hand::running, ""},
                           {20, 1, Hand::running, ""},
                           {21, std::nullopt, Hand::queued, "Dependency"},
                           {99, 2, Hand::running, ""},
                           {22, 3, Hand::queued, ""}});
  CHECK(hands.of(id(4)) == Hand::queued);   // shard 1 of 4
  CHECK(hands.of(id(0)) == Hand::running);  // also shard 1 of 3
  CHECK(hands.of(id(1)) == Hand::nobody);   // shard 2 of 4: its task has ended
  CHECK(hands.of(id(2)) == Hand::running);  // shard 3 of 4: first of the second array, and queued again
  CHECK(hands.of(id(7)) == Hand::nobody);
  const auto standings = job_standings(
      jobs, {{12, 1, Hand::queued, "Priority"}, {12, 2, Hand::queued, "Priority"}, {13, 1, Hand::running, ""}});
  REQUIRE(standings.size() == 5);
  CHECK(standings[0].queued == 2);
  CHECK(standings[0].reasons == std::vector<std::string>{"Priority"});
  CHECK(standings[1].running == 1);
  CHECK(standings[2].ended() == 1);
  CHECK(standings[3].ended() == 1);
}

TEST_CASE("a sweep stands where its results and its jobs say") {
  MemoryResults results;
  const auto keep = [&results](const std::string& what, bool ok) {
    Result result;
    result.id = id_of(what);
    result.ok = ok;
    results.keep(result);
  };
  keep("a", true);
  keep("b", false);
  const Points points = fake_points({"a", "a", "b", "c", "d", "e"});
  const auto hand = [](const std::string& id) {
    return id == id_of("c") ? Hand::running : id == id_of("d") ? Hand::queued : Hand::nobody;
  };
  int failures = 0;
  const Standing stands = standing(
      points, results, hand, {[](const std::string&) {}, [&failures](const Point&, const Result&) { ++failures; }});
  CHECK(stands.done == 2);
  CHECK(stands.failed == 1);
  CHECK(failures == 1);
  CHECK(stands.running == 1);
  CHECK(stands.queued == 1);
  CHECK(stands.missing == 1);
  CHECK(stands.total() == 6);
  const Missing left = missing(points, results, hand, 4, false);
  CHECK(left.points == 1);
  CHECK(left.in_hand == 2);
  CHECK(left.shards == std::vector<std::uint64_t>{Shard::number_of(id_of("e"), 4)});
  CHECK(missing(points, results, hand, 4, true).points == 2);
}

}  // namespace sweep_slurm_test
