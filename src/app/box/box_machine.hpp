// SPDX-License-Identifier: Apache-2.0
// The machine whose matrix is asked for: a config, or a file that `import` reads.
#pragma once

#include <boost/program_options.hpp>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "machine/machine_config.hpp"

namespace tsunagi::app {

class BoxMachine {
 public:
  /// What the command line's word names: a machine's file or its name, or what `tsunagi import` reads, whose warnings
  /// are told. Throws config::ConfigError.
  BoxMachine(const boost::program_options::variables_map& values, const std::string& word);
  /// Its document with `--set`, and then `more`. Throws config::ConfigError.
  config::Document document(const std::vector<config::Override>& more = {}) const;
  MachineConfig config(const std::vector<config::Override>& more = {}) const;
  const std::string& file() const { return file_; }

 private:
  std::vector<config::Override> set_;
  std::string file_;
  std::string text_;
  bool is_file_ = false;  // a config's, whose files are relative to it
};

}  // namespace tsunagi::app
