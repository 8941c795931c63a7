// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "draw/picture.hpp"
#include "topo/graph.hpp"

namespace tsunagi::draw {

/// Text at the two ends of a line.
struct EndTexts {
  std::string first;
  std::string last;
};

/// Puts texts on lines where there is space: `texts` in their middle, `ends` at theirs, both by line.
void put_labels(Picture& picture, const std::vector<std::vector<std::string>>& texts,
                const std::vector<EndTexts>& ends);

}  // namespace tsunagi::draw
