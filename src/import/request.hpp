// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "config/message.hpp"

namespace tsunagi::importing {

/// What is to be imported, and as what.
struct Request {
  std::string file;    ///< what messages and comments call it
  std::string text;    ///< what it holds
  std::string format;  ///< a name of the catalog; empty: recognised by the text
  std::string name;    ///< of the machine: letters, digits, _ and -
  std::string parts;   ///< folder of the parts as the machine's file names it, escaped as in a JSON string
};

struct Imported {
  std::string machine;  ///< the text of its config
  /// The same network with other routes, if those of `machine` are refused because packets could wait for each other in
  /// a circle; empty: there is none.
  std::string otherwise;
  std::vector<config::Message> warnings;  ///< where the machine is not what the file says
};

}  // namespace tsunagi::importing
