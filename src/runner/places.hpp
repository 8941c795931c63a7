// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"

namespace tsunagi::runner {

/// Where the value at a JSON pointer was written, or the nearest thing around it that was.
config::Place place_of(const config::Document& document, const std::string& pointer);

/// The value at a JSON pointer as it is written, or null.
const config::Value* value_at(const config::Document& document, const std::string& pointer);

/// Gives messages from a simulating process, which has only resolved values, their places in the document.
std::vector<config::Message> located(std::vector<config::Message> messages, const config::Document& document);

}  // namespace tsunagi::runner
