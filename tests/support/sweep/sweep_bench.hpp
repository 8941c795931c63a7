// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace tsunagi::test {

/// A folder with a sweep file, s.json, whose base run, base.json, is one 8-byte ping-pong.
class SweepBench {
 public:
  /// `name`: of the folder, inside one that goes when the test ends.
  explicit SweepBench(const std::string& axes, int iterations = 1, const std::string& name = "bench") : name_(name) {
    write("base.json", R"({"$use": ")" TSUNAGI_TEST_CONFIGS R"(/runs/tca_pio_ping_pong.json", "scenario": )"
                       R"({"iterations": )" +
                           std::to_string(iterations) + R"(, "sizes": ["8 B"]}})");
    vary(axes);
  }
  /// Makes it another sweep.
  void vary(const std::string& axes) const {
    write("s.json", R"({"name": "s", "run": "base.json", "axes": [)" + axes + "]}");
  }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    return folder_.write(name_ + "/" + name, text);
  }
  std::filesystem::path at(const std::string& name) const { return folder() / name; }
  std::filesystem::path folder() const { return folder_.path() / name_; }
  std::string file() const { return at("s.json").string(); }

  /// `tsunagi sweep ACTION s.json --out OUT`, OUT in the folder.
  Ended does(const std::string& action, const std::string& out, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"sweep", action, file(), "--out", at(out).string()};
    if (action == "run") words.insert(words.end(), {"--jobs", "2"});
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words);
  }

 private:
  TemporaryFolder folder_;
  std::string name_;
};

/// What lies in a folder of results.
struct SweepFiles {
  std::vector<std::filesystem::path> results;
  std::size_t parts = 0;  ///< half written
};

inline SweepFiles files_of(const std::filesystem::path& folder) {
  SweepFiles out;
  if (!std::filesystem::exists(folder / "points")) return out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::filesystem::path& file = entry.path();
    if (file.string().find(".part.") != std::string::npos)
      ++out.parts;
    else if (entry.is_regular_file() && file.parent_path().parent_path() == folder / "points")
      out.results.push_back(file);
  }
  return out;
}

}  // namespace tsunagi::test
