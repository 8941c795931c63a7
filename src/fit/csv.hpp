// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace tsunagi::fit {

/// A file of measurements cannot be used; says why, with its line.
class DataError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A table of texts whose first line named the columns.
struct Csv {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> lines;
};

/// Reads comma-separated text (RFC 4180: quotes, doubled inside them); empty lines and such that begin with # count for
/// nothing. Throws DataError for no line of names, a line of another number of cells, or an open quote.
Csv parse_csv(const std::string& text);

/// One measured point, in the columns' units.
struct Measured {
  double x = 0;
  double y = 0;
};

/// The points of a curve in ascending x: of the lines that have all texts of `where` ("column=text"), those with an x
/// and a y; of several with one x the mean. Throws DataError for an unknown column, a cell that is no number, a y that
/// is not above 0, or when nothing is left.
std::vector<Measured> points_of(const Csv& csv, const std::vector<std::string>& where, const std::string& x,
                                const std::string& y);

/// Content of a file. Throws DataError.
std::string content_of(const std::filesystem::path& file);

}  // namespace tsunagi::fit
