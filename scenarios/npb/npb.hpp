// SPDX-License-Identifier: Apache-2.0
// What skeletons of the NAS Parallel Benchmarks have in common.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "comm/collectives/catalog.hpp"
#include "scenarios/scenario.hpp"

namespace tsunagi::scenarios {

/// Fields of every benchmark.
struct NpbConfig {
  int ranks = 0;
  int iterations = 1'000'000;  // as many as there are
  Time compute;
};
/// "ranks", "iterations" and "compute", which `unit` says what it is.
void describe_npb(config::Describer& d, NpbConfig& c, std::string_view unit);

/// How many ranks take part. Throws config::ConfigError if the library has fewer than are given, or they are no power
/// of two, or more than `most`, of which there is one `of_each` a rank at least.
int npb_ranks(const comm::World& w, int given, int most, const std::string& of_each);

/// How many each iteration that runs stands for: `all` over `given`, 1 if that is more. Throws config::ConfigError if
/// they do not divide `all`, and, if fewer than all run, where iterations are not alike: something may be lost on its
/// way, or `unlike` (a reason; empty: none).
int npb_factor(const comm::World& w, int given, int all, const std::string& unlike);

/// Throws std::runtime_error if iterations stood for others (`factor`), and the library says that something was sent
/// again: then they were not alike.
void expect_alike(const comm::World& w, int factor);

/// What a call of the first `ranks` ranks needs beside its buffers. Throws config::ConfigError at field `where` if it
/// cannot be done by `how`.
Bytes npb_scratch(comm::World& w, int ranks, comm::CollectiveCall c, const comm::Choice& how, const char* where);

/// A rank's own timer, and what it did meanwhile.
struct NpbTimes {
  int rank = -1;
  Time setup;  // of `total`, what is done once
  Time total;
  std::vector<Time> parts;  // of iterations
  /// Does it, and counts what that takes for part `i`.
  template <class F>
  void during(const comm::Rank& r, std::size_t i, F&& body) {
    const Time begin = r.now();
    body();
    parts[i] += r.now() - begin;
  }
  /// Keeps the slower one of both; of two alike that of the lower rank.
  void keep_slower(const NpbTimes& other) {
    if (rank < 0 || other.total > total || (other.total == total && other.rank < rank)) *this = other;
  }
};

/// What a benchmark's row says of its run beside the class.
struct NpbResult {
  int ranks;
  int iterations;  // that ran
  int factor;
  std::int64_t operations;  // of all iterations, as the benchmark counts them
  NpbTimes slowest;
};
/// "ranks", "iterations", "factor", "time" of an iteration, "total" of all and what is done once, "operations",
/// "kop_s", "slowest" and the parts of an iteration of that rank, called `names`.
void report_npb(report::Row& row, const NpbResult& r, const std::vector<const char*>& names);

/// A region of a rank's memory that begins where a page does.
class NpbArea {
 public:
  /// The next one.
  comm::Buffer take(Bytes n);
  Bytes end() const { return end_; }

 private:
  Bytes end_;
};

}  // namespace tsunagi::scenarios
