// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "report/recorder.hpp"
#include "report/result.hpp"
#include "sweep/plan/point.hpp"

namespace tsunagi::sweep {

/// What came of one point.
struct Result {
  std::string id;  ///< the point's
  bool ok = false;
  std::vector<std::string> messages;    ///< why it failed, a line each; empty when it is ok
  std::vector<Coordinate> coordinates;  ///< of the first of the points with this id
  report::Rows rows;                    ///< without ceilings; empty when it failed
  report::Cost cost;
};

/// As a result file holds it: status, the cells of its rows, what these are, accounts, cost,
/// the digest of the rows and a seal, which is a hash of all the rest.
std::string to_text(const Result& result);

/// Reads what `to_text` wrote. Throws std::runtime_error, which says why, if it is damaged: cut, no JSON, without a
/// key, or with something that does not fit digest or seal.
Result from_text(const std::string& text);

/// Where results are kept, by point.
class Results {
 public:
  virtual ~Results() = default;
  /// The result of the point with that id; nothing: there is none yet. Throws DamagedResult if it cannot be read.
  virtual std::optional<Result> find(const std::string& id) const = 0;
  /// Keeps a result, in place of a failed or damaged one that may be there. False: a good one is there, which another
  /// writer of the same point left, and stays. Throws std::system_error if it cannot.
  virtual bool keep(const Result& result) = 0;
};

/// A result that is there but cannot be used; what() is one line.
class DamagedResult : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One whose place cannot even be read, so that no other can take it: a folder, no permission.
class BlockedResult : public DamagedResult {
 public:
  using DamagedResult::DamagedResult;
};

}  // namespace tsunagi::sweep
