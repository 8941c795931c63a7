// SPDX-License-Identifier: Apache-2.0
// What the matrix of scenarios, libraries and topologies says, and by which runs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/new/trials.hpp"

namespace tsunagi::app {

/// Rows of scenarios or of topologies, a column a library.
struct MatrixPart {
  std::string name;
  std::vector<std::string> rows;
  std::vector<Candidates> questions;  ///< row by row; those of topologies have no scenario
  std::vector<Answer> answers;
};

struct Matrix {
  std::vector<std::string> libraries;
  std::vector<MatrixPart> parts;
  std::vector<std::vector<std::string>> devices;  ///< by library: the kinds that all machines have on which it runs
};

/// The names of the kinds of a family ("library").
std::vector<std::string> kind_names(const char* family);

/// The matrix of these libraries, made of the machines and runs of a folder of configs by building them. Takes seconds.
/// Nothing: Ctrl-C.
std::optional<Matrix> find_matrix(const std::filesystem::path& configs, std::vector<std::string> libraries);

}  // namespace tsunagi::app
