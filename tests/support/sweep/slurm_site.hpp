// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/sweep/fake_slurm.hpp"
#include "support/sweep/sweep_bench.hpp"

namespace tsunagi::test {

/// A sweep of forty seeds, of which no shard of a few is empty whatever the models, in a folder whose name shells and
/// Slurm would read otherwise, beside a Slurm.
class SlurmSite {
 public:
  explicit SlurmSite(const std::string& axes =
                         R"({"name": "seed", "path": "/options/seed", "range": {"from": 1, "to": 40, "step": 1}})")
      : bench(axes, 1, "it's 5% $HOME") {}

  /// `tsunagi sweep ACTION s.json`, called in the folder of the sweep.
  Ended does(const std::string& action, const std::vector<std::string>& more = {}) const {
    return does_in(slurm.around(bench.folder()), action, more);
  }
  Ended submit(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"--slurm"};
    words.insert(words.end(), more.begin(), more.end());
    return does("submit", words);
  }
  static Ended does_in(const Surroundings& around, const std::string& action, const std::vector<std::string>& more) {
    std::vector<std::string> words{"sweep", action, "s.json"};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words, around);
  }
  nlohmann::json status() const { return nlohmann::json::parse(does("status", {"--format", "json"}).out); }

  std::filesystem::path folder() const { return bench.folder(); }
  std::filesystem::path results() const { return bench.at("s.results"); }
  std::size_t results_there() const { return files_of(results()).results.size(); }

  FakeSlurm slurm;
  SweepBench bench;
};

}  // namespace tsunagi::test
