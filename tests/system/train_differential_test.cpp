// SPDX-License-Identifier: Apache-2.0
// Trains against the reference: random small machines, each run packet by packet and in trains, in some
// of them with what happens at one time in the other order.
// TSUNAGI_MACHINES=n runs n of a kind; TSUNAGI_SEED=s runs only that one, as a failure prints it.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "support/child.hpp"
#include "support/environment.hpp"
#include "support/random/random_machine.hpp"

namespace train_differential_test {

using namespace tsunagi;
using namespace tsunagi::test;

namespace {

std::string packed(const RunOf& r) {
  std::string s;
  for (const Arrived& a : r.transfers)
    s += fmt::format("t {} {} {} {}\n", a.size.count(), a.start.fs(), a.done.fs(), a.label);
  for (const std::string& w : r.wires) s += "w " + w + "\n";
  for (const std::string& x : r.extents) s += "x " + x + "\n";
  if (!r.findings.empty()) s += "l " + r.findings + "\n";
  for (const std::string& f : r.faults) s += "f " + f + "\n";
  return s;
}

RunOf unpacked(const std::string& text) {
  RunOf r;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const std::string rest = line.substr(2);
    if (line[0] == 'w') r.wires.push_back(rest);
    if (line[0] == 'l') r.findings = rest;
    if (line[0] == 'x') r.extents.push_back(rest);
    if (line[0] == 'f') r.faults.push_back(rest);
    if (line[0] != 't') continue;
    std::istringstream words(rest);
    std::int64_t size = 0, start = 0, done = 0;
    words >> size >> start >> done;
    std::string label;
    std::getline(words >> std::ws, label);
    r.transfers.push_back({label, Bytes(size), Time::from_fs(start), Time::from_fs(done)});
  }
  return r;
}

constexpr int trains[] = {2, 3, 7, 16, 64};
constexpr int reversed = 3;  // there alarms of one time ring the other way round

/// Runs of trains that had to be repeated, because flows met behind what had been handed on.
int repeated = 0;

RunOf run_apart(const RandomMachine& m, int max_train) {
  std::string findings;
  for (;;) {
    RunOf r = unpacked(in_child([&] { return packed(run(m, max_train, max_train == reversed, findings)); }));
    if (r.findings.empty()) return r;
    ++repeated;
    REQUIRE(findings != r.findings);
    findings = r.findings;
  }
}

/// The first line in which two lists differ; empty: none.
std::string first_difference(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const std::string x = i < a.size() ? a[i] : "nothing";
    const std::string y = i < b.size() ? b[i] : "nothing";
    if (x != y) return fmt::format("line {}: {} | with trains: {}", i, x, y);
  }
  return {};
}

std::vector<std::string> times(const RunOf& r) {
  std::vector<std::string> out;
  for (const Arrived& a : r.transfers)
    out.push_back(fmt::format("{}: {} .. {} fs", a.label, a.start.fs(), a.done.fs()));
  return out;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string s;
  for (const std::string& l : lines) s += l + "\n";
  return s;
}

/// Calls `judge(reference, with trains)` for every machine of a kind and every length of train.
template <class Judge>
void for_machines(Meet meet, std::uint64_t first, std::int64_t quick, Judge judge) {
  const std::int64_t only = from_environment("TSUNAGI_SEED", -1);
  const std::int64_t count = only >= 0 ? 1 : from_environment("TSUNAGI_MACHINES", quick);
  for (std::int64_t i = 0; i < count; ++i) {
    const RandomMachine m =
        random_machine(only >= 0 ? static_cast<std::uint64_t>(only) : first + static_cast<std::uint64_t>(i), meet);
    INFO(m.text());
    int max_train = 1;
    try {
      const RunOf reference = run_apart(m, 1);
      CHECK(joined(reference.faults) == "");
      for (const int n : trains) {
        max_train = n;
        const RunOf r = run_apart(m, n);
        INFO("max_train " << n << (n == reversed ? ", reversed" : ""));
        CHECK(joined(r.faults) == "");
        REQUIRE(reference.transfers.size() == r.transfers.size());
        judge(reference, r);
      }
    } catch (const std::runtime_error& e) {
      FAIL_CHECK("max_train " << max_train << ": " << e.what());
    }
  }
}

void expect_equal(const RunOf& reference, const RunOf& r) {
  CHECK(first_difference(times(reference), times(r)) == "");
  CHECK(first_difference(reference.wires, r.wires) == "");
  CHECK(first_difference(reference.extents, r.extents) == "");
}

}  // namespace

TEST_CASE("a lone writer in trains is the reference to the femtosecond") {
  for_machines(Meet::nobody, 1'000, 25, expect_equal);
}

TEST_CASE("a lone DMA channel in trains is the reference to the femtosecond") {
  for_machines(Meet::requests, 2'000, 25, expect_equal);
}

TEST_CASE("trains that meet others are the reference to the femtosecond") {
  for_machines(Meet::others, 3'000, 40, expect_equal);
  CHECK(repeated > 0);  // else nothing of this was tested
}

}  // namespace train_differential_test
