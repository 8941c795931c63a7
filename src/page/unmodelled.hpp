// SPDX-License-Identifier: Apache-2.0
// What these documents say is not modelled, collected from all of them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tsunagi::page {

/// What one place of a document says is left out.
struct Unmodelled {
  std::string page;                ///< "docs/pcie.md"
  std::string section;             ///< the heading that it stands below
  std::vector<std::string> texts;  ///< its paragraphs and points as Markdown has them, a line each
};

/// In one document: the sections whose headings say "not modelled" or "What is not", up to the next heading that is no
/// deeper; elsewhere what begins with "Not modelled", to the end of its paragraph. Blocks of code are skipped.
std::vector<Unmodelled> unmodelled_in(const std::string& page, std::string_view text);

/// In all documents of docs/ beside the folder of configs, by their names; none if there is no such folder. Files that
/// cannot be read are left out.
std::vector<Unmodelled> unmodelled_beside(const std::filesystem::path& configs);

}  // namespace tsunagi::page
