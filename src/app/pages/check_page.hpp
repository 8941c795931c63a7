// SPDX-License-Identifier: Apache-2.0
// The page of published figures beside simulated ones.
#pragma once

#include <boost/program_options.hpp>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "figures/check_text.hpp"
#include "page/unmodelled.hpp"

namespace tsunagi::app {

/// The `check` that writes such a page again, as one types it.
std::string check_command_line(const boost::program_options::variables_map& values);

/// Figures with the least and the largest value that they take over the ranges of what is assumed, by id, as
/// docs/sensitivity beside the folder of configs has them; none if there is no such folder.
std::map<std::string, std::pair<double, double>> intervals_beside(const std::filesystem::path& configs);

/// What documents beside the folder of configs say of figures and of models.
struct Beside {
  std::map<std::string, std::pair<double, double>> intervals;
  std::vector<page::Unmodelled> unmodelled;
};

/// The page: what `check --format json` says of each figure, with the paper's words, why each has its role, its
/// interval, and what is known of those that miss; then all that is not modelled. `command`: what makes it again.
std::string check_page(const figures::CheckReport& report, const std::vector<figures::KnownMiss>& missed,
                       const Beside& beside, const std::string& command);

}  // namespace tsunagi::app
