// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "stats/random.hpp"

namespace tsunagi::fuzz {

using Random = stats::RandomStream;

/// Something that must not be, whatever the input is.
class Finding : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What came of documents.
struct Tally {
  std::uint64_t documents = 0;
  std::uint64_t good = 0;      ///< read without a fault
  std::uint64_t refused = 0;   ///< with config::ConfigError
  std::uint64_t legal = 0;     ///< drawn so, and read for what was drawn
  std::uint64_t graphs = 0;    ///< topologies that were built
  std::uint64_t machines = 0;  ///< elaborated in a process of their own
};

/// Validates a document as `tsunagi validate` does; a good run or machine is also resolved, read again, wired and
/// drawn, and some are elaborated. Throws Finding for an exception that is no config::ConfigError, a message without a
/// place or with control characters, a resolved config that reads differently, a crash of the elaboration.
void examine(const std::string& text, const std::string& name, const std::vector<config::Override>& overrides,
             Random& random, Tally& tally);

/// The same for a file.
void examine_file(const std::string& file, Random& random, Tally& tally);

/// Throws Finding unless each message has a place and is one printable line.
void check_messages(const config::ConfigError& error);

}  // namespace tsunagi::fuzz
