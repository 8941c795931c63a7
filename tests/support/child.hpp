// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace tsunagi::test {

/// Runs `f` in a process of its own and returns its text: a second elaboration needs one.
/// Call it before this process elaborates. Throws std::runtime_error if the child fails, or a check in it.
std::string in_child(const std::function<std::string()>& f);

}  // namespace tsunagi::test
