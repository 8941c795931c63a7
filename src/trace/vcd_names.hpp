// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "net/listener.hpp"

namespace tsunagi::trace {

/// The short code of the n-th signal in base 94: "!", "\"", ... "~", "!!".
std::string signal_code(std::size_t n);

/// `name` with what no identifier of Verilog may hold replaced by '_'.
std::string identifier(std::string_view name);

/// The scopes of each channel, outermost first: its device's name, split at the dots, then its port. All differ.
std::vector<std::vector<std::string>> channel_scopes(const std::vector<net::ChannelInfo>& channels);

}  // namespace tsunagi::trace
