// SPDX-License-Identifier: Apache-2.0
// What web/ was bundled to: tools/web.cmake writes the header, empty where there was nothing to bundle it with.
#include <page_bundle.hpp>

#include "page/page.hpp"

namespace tsunagi::page {

const Bundle* bundle() {
  static constexpr Bundle made{{bundled::script, sizeof bundled::script - 1},
                               bundled::script_sha256,
                               {bundled::style, sizeof bundled::style - 1},
                               bundled::style_sha256};
  return made.script.empty() ? nullptr : &made;
}

}  // namespace tsunagi::page
