// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace tsunagi::config {

/// The file for which a name in "$use" stands at a place of a document ("/machine") when nothing of that name lies
/// beside it; nothing: for none, and `hint` may say more.
using NamedFiles = std::function<std::optional<std::filesystem::path>(const std::string& name,
                                                                      const std::string& pointer, std::string& hint)>;

/// Sets what names stand for in all documents of this process that are read from now on; at first there are none.
void set_named_files(NamedFiles named);

/// Asks what was set. Nothing, too, for what is no bare name: a word without "/" and ".".
std::optional<std::filesystem::path> named_file(const std::string& name, const std::string& pointer, std::string& hint);

}  // namespace tsunagi::config
