// SPDX-License-Identifier: Apache-2.0
#include "page/page.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <stdexcept>

#include "config/text/printable.hpp"

namespace tsunagi::page {
namespace {

unsigned digit_of(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
  throw std::invalid_argument("no hexadecimal digit");
}

/// What a browser says of a page whose code it does not run.
constexpr const char* without_code =
    "<noscript><p>The tables and plots of this page are drawn by code that stands in it; this browser does not run it. "
    "What they are drawn from is JSON at the end of the file.</p></noscript>";

}  // namespace

std::string script_text(const nlohmann::ordered_json& json) {
  const std::string text = json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    // All of these stand in strings only, where JSON lets them be written out. The last two are U+2028 and U+2029.
    if (c == '<' || c == '>' || c == '&')
      out += fmt::format("\\u{:04x}", c);
    else if (text.compare(i, 2, "\xe2\x80") == 0 && (text[i + 2] == '\xa8' || text[i + 2] == '\xa9')) {
      out += text[i + 2] == '\xa8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else
      out += c;
  }
  return out;
}

std::string csp_hash(std::string_view sha256) {
  static constexpr const char* letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (sha256.size() % 2 != 0) throw std::invalid_argument("half a byte");
  std::string out = "sha256-";
  for (std::size_t i = 0; i < sha256.size(); i += 6) {  // three bytes are four letters
    const std::size_t bytes = std::min<std::size_t>(3, (sha256.size() - i) / 2);
    std::uint32_t bits = 0;
    for (std::size_t b = 0; b < 3; ++b)
      bits = bits << 8 | (b < bytes ? digit_of(sha256[i + 2 * b]) << 4 | digit_of(sha256[i + 2 * b + 1]) : 0);
    for (std::size_t l = 0; l < 4; ++l) out += l <= bytes ? letters[bits >> (18 - 6 * l) & 63] : '=';
  }
  return out;
}

std::string html(const Page& page, const Bundle& bundle) {
  const std::string policy =
      fmt::format("default-src 'none'; script-src '{}'; style-src '{}'; base-uri 'none'; form-action 'none'",
                  csp_hash(bundle.script_sha256), csp_hash(bundle.style_sha256));
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  out += fmt::format("<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n", policy);
  out +=
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"tsunagi\">\n";
  out += fmt::format("<title>{}</title>\n", config::xml_text(page.title));
  out += fmt::format("<style>{}</style>\n</head>\n<body>\n", bundle.style);
  out += "<a class=\"skip\" href=\"#content\">To the contents</a>\n<main id=\"content\" tabindex=\"-1\"></main>\n";
  out += without_code;
  if (!page.picture.empty()) out += "\n<div id=\"picture\" hidden>" + page.picture + "</div>";
  out += "\n<script type=\"application/json\" id=\"data\">" + script_text(page.data) + "</script>\n";
  out += fmt::format("<script>{}</script>\n</body>\n</html>\n", bundle.script);
  return out;
}

}  // namespace tsunagi::page
