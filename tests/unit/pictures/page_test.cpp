// SPDX-License-Identifier: Apache-2.0
#include "page/page.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "page/data.hpp"
#include "page/unmodelled.hpp"
#include "support/catch.hpp"

namespace page_test {

using namespace tsunagi;
using Json = nlohmann::ordered_json;

TEST_CASE("page: nothing in JSON ends the element that it stands in, and it stays the same JSON") {
  const std::string hostile = "</script><!--<script>&amp;]]>\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\x94\"'\\\n\x01";
  const std::string text = page::script_text(Json{{hostile, {hostile, 1.5, -3, nullptr, true}}});
  CHECK(text.find_first_of("<>&") == std::string::npos);
  CHECK(text.find("\xe2\x80\xa8") == std::string::npos);
  CHECK(text.find("\xe2\x80\xa9") == std::string::npos);
  CHECK(text.find("\xe2\x80\x94") != std::string::npos);  // a dash may stay
  CHECK(Json::parse(text) == Json{{hostile, {hostile, 1.5, -3, nullptr, true}}});
  CHECK(Json::parse(page::script_text("\xff half \xe2\x80")) == "\xef\xbf\xbd half \xef\xbf\xbd");
}

TEST_CASE("page: a hash is what browsers compare") {
  // FIPS 180-4's example "abc", and of nothing; base 64 by RFC 4648.
  CHECK(page::csp_hash("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad") ==
        "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
  CHECK(page::csp_hash("") == "sha256-");
  CHECK(page::csp_hash("66") == "sha256-Zg==");
  CHECK(page::csp_hash("666f") == "sha256-Zm8=");
  CHECK(page::csp_hash("666f6f") == "sha256-Zm9v");
  CHECK_THROWS_AS(page::csp_hash("6"), std::invalid_argument);
  CHECK_THROWS_AS(page::csp_hash("zz"), std::invalid_argument);
}

TEST_CASE("page: titles are text, and the policy names nothing but the page's own code and style") {
  const page::Bundle bundle{"let a = 1;", "666f6f", "p{}", "666f"};
  const std::string html = page::html({"<b>\"&'</b>", "<svg></svg>", Json{{"title", "</script>"}}}, bundle);
  CHECK_THAT(html,
             Catch::StartsWith("<!DOCTYPE html>\n<html lang=\"en\">") && Catch::Contains("<title>&lt;b&gt;") &&
                 Catch::Contains("default-src 'none'; script-src 'sha256-Zm9v'; style-src 'sha256-Zm8='; base-uri "
                                 "'none'; form-action 'none'") &&
                 Catch::Contains("<script>let a = 1;</script>") && Catch::Contains("<style>p{}</style>") &&
                 Catch::Contains("hidden><svg></svg></div>") && !Catch::Contains("<b>"));
  CHECK(html.find("</script>") == html.find("</script>\n<script>"));
  CHECK_THAT(page::html({"none", "", Json::object()}, bundle), !Catch::Contains("id=\"picture\""));
}

TEST_CASE("page: what is not modelled stands in the pages that are named, under that heading or in those words") {
  Json all = Json::object();
  for (const char* kind : {"pcie", "peach2", "ethernet_switch", "myrinet", "fmpl", "infiniband_hca", "mpi"})
    all[kind] = {{"kind", kind}};
  const Json told = page::not_modelled(all);
  CHECK(told.size() == 7);
  for (const Json& one : told) {
    CAPTURE(one.dump());
    const auto file = std::filesystem::path(TSUNAGI_TEST_CONFIGS).parent_path() / one["page"].get<std::string>();
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    const auto section = one["section"].get<std::string>();
    CHECK((text.str().find("\n## " + section) != std::string::npos ||
           text.str().find("\n" + section) != std::string::npos));
  }
  CHECK(page::not_modelled(Json{{"machine", {{"kind", "ring"}}}}).empty());
  CHECK(page::not_modelled(Json{{"a", {{"kind", "pcie"}}}, {"b", {{"kind", "pcie_switch"}}}}).size() == 1);
}

TEST_CASE("page: what documents say is not modelled is taken out of them, whole and nothing else") {
  const auto found = page::unmodelled_in(
      "docs/a.md",
      "# A\nwhat is not modelled is elsewhere\n\n## Wires\nA `wire`. Not modelled: a\nkink; rust.\n\n"
      "Another.\n```\nNot modelled: code\n```\n**Not modelled** is wear.\n## What is not modelled\n\n"
      "- one\n  point\n- two\n\n### Deeper\nthree\n## After\nmodelled\r\n## What is not\n");
  REQUIRE(found.size() == 2);
  CHECK(found[0].page == "docs/a.md");
  CHECK(found[0].section == "Wires");
  CHECK(found[0].texts == std::vector<std::string>{"Not modelled: a kink; rust.", "**Not modelled** is wear."});
  CHECK(found[1].section == "What is not modelled");
  CHECK(found[1].texts == std::vector<std::string>{"one point", "two", "three"});
  CHECK(page::unmodelled_in("docs/b.md", "").empty());
  CHECK(page::unmodelled_beside("/nonexistent/configs").empty());
}

TEST_CASE("page: each page that a run's page names is among all that is not modelled") {
  const auto all = page::unmodelled_beside(TSUNAGI_TEST_CONFIGS);
  for (const char* name : {"docs/pcie.md", "docs/tca.md", "docs/ethernet.md", "docs/myrinet.md", "docs/sr8000.md",
                           "docs/infiniband.md", "docs/mpi.md"})
    CHECK(std::any_of(all.begin(), all.end(), [&](const page::Unmodelled& u) { return u.page == name; }));
}

TEST_CASE("page: of a path with too many stages there are sums, which are as long as it") {
  Json message{{"segments", Json::array()}};
  for (int i = 0; i < 6; ++i)
    message["segments"].push_back({{"device", i % 2 != 0 ? "a" : "b"},
                                   {"stage", "s"},
                                   {"kind", "step"},
                                   {"start_fs", i},
                                   {"duration_fs", 10 + i}});
  CHECK(page::shortened(message, 6) == message);
  const Json sums = page::shortened(message, 5);
  CHECK(sums["segments"].empty());
  CHECK(sums["sums"] ==
        Json::array({{{"device", "b"}, {"stage", "s"}, {"kind", "step"}, {"times", 3}, {"duration_fs", 36}},
                     {{"device", "a"}, {"stage", "s"}, {"kind", "step"}, {"times", 3}, {"duration_fs", 39}}}));
  CHECK(sums["spans"] == Json{{"sum", {0, 1, 0, 1, 0, 1}},
                              {"gap_fs", {0, -9, -10, -11, -12, -13}},  // 1 begins when 0, which ends at 10, is on
                              {"duration_fs", {10, 11, 12, 13, 14, 15}}});
  const Json halo{{"name", "halo"}, {"longest_message", message}};
  CHECK(page::shortened(halo, 5)["longest_message"] == sums);
  CHECK(page::shortened(Json(), 5).is_null());
}

}  // namespace page_test
