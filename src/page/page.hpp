// SPDX-License-Identifier: Apache-2.0
// Pages that browsers open from a file: one file each, which asks nobody for anything.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace tsunagi::page {

/// Code and style of all pages, as esbuild made them of web/ when the program was built.
struct Bundle {
  std::string_view script;         ///< has no "</script"
  std::string_view script_sha256;  ///< in hexadecimal
  std::string_view style;          ///< has no "</style"
  std::string_view style_sha256;
};

/// Null: this program was built where there was no esbuild, or no d3.
const Bundle* bundle();

/// What a page shows. All of it but the picture is drawn from `data` by the code of the page (web/main.js), which goes
/// by its "page": "report" or "check".
struct Page {
  std::string title;            ///< one line, as it is: it is escaped here
  std::string picture = {};     ///< SVG that stands in the page as it is; empty: there is none
  nlohmann::ordered_json data;  ///< one object
};

/// The page as HTML. Its Content-Security-Policy lets it run that code and take that style, and nothing else: no
/// request, no frame, no form, no code in an attribute.
std::string html(const Page& page, const Bundle& bundle);

/// JSON as the text of a <script type="application/json">: nothing in it ends that or begins a comment there, and it is
/// JavaScript, too. Bytes that are no UTF-8 become U+FFFD.
std::string script_text(const nlohmann::ordered_json& json);

/// A hash in hexadecimal as a Content-Security-Policy has it: "sha256-…", in base 64. Throws std::invalid_argument for
/// what is no hexadecimal number of whole bytes.
std::string csp_hash(std::string_view sha256);

}  // namespace tsunagi::page
