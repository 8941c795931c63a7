// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fuzz/examination.hpp"

namespace tsunagi::fuzz {

/// The configs that documents are mutated from.
struct Corpus {
  struct File {
    std::string name;  ///< beside the original, so that what it uses is found
    std::string text;
    nlohmann::ordered_json tree;
  };
  std::vector<File> files;
  std::vector<File> parts;  ///< of these, the small ones that are no runs, machines, sweeps or figures
};

/// Of a file of figures the first few stand for all.
Corpus load_corpus(const std::filesystem::path& configs);

/// Makes and examines the documents of one case; the same for a seed and a number, whatever ran before. `last` is the
/// document that is examined. `scratch` is a folder for cases of several files.
void run_case(std::uint64_t seed, std::uint64_t number, const Corpus& corpus, const std::filesystem::path& scratch,
              Tally& tally, std::string& last);

}  // namespace tsunagi::fuzz
