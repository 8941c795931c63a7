// SPDX-License-Identifier: Apache-2.0
// Values given on the command line.
#pragma once

#include <string>
#include <string_view>

#include "config/message.hpp"

namespace tsunagi::config {

struct Document;

/// One `--set POINTER=VALUE`: a JSON pointer (RFC 6901), and JSON text or, if it is no JSON, a plain string.
struct Override {
  std::string pointer;
  std::string value;
};

/// Splits "POINTER=VALUE" at the first '='. Throws ConfigError when there is none or POINTER does not start with '/'.
Override parse_override(std::string_view text);

namespace detail {

/// Sets one value in a composed document, making missing parent objects. What is in the way becomes a problem of it.
void apply_override(Document& document, const Override& override);

}  // namespace detail
}  // namespace tsunagi::config
