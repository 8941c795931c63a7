// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "import/findings.hpp"
#include "import/request.hpp"
#include "import/server.hpp"

namespace tsunagi::importing {

/// The machine of one node, "node0", as the text of a config: a comment above each device, slot and link says what the
/// file says of it and what was assumed. Which parts are only the nearest goes to `findings`, too. Every bridge has
/// something below it.
std::string server_text(Server server, const Request& request, Findings& findings);

}  // namespace tsunagi::importing
