// SPDX-License-Identifier: Apache-2.0
// A matrix as a page: names of others, the way to what limits a cell, a page without the bundled style.
#include "box/html.hpp"

#include "support/catch.hpp"

namespace box_html_test {

using namespace tsunagi::box;

namespace {

const std::string hostile = "<script>alert(1)</script>\" onload='x' & \x1b[2J";

Cell cell(std::size_t from, std::size_t to, What what) {
  Cell out;
  out.from = from;
  out.to = to;
  out.what = what;
  out.how = hostile;
  return out;
}

/// Two places, one way with a limit, back without a value, a latency.
Matrix matrix(const std::string& name) {
  Matrix out;
  out.plan.server.places = {{"memory", "memory", Place::Kind::memory, 0, 0, {}},
                            {name, name, Place::Kind::gpu, 0, 0, {}}};
  out.plan.cells = {cell(0, 1, What::one_way), cell(1, 0, What::one_way), cell(0, 1, What::latency)};
  out.plan.cells[0].near = false;
  Value rate;
  rate.value = 12.5e9;
  rate.limit = {Limit::By::wire, "wire " + name, name + " > memory"};
  Value none;
  none.why_not = name;
  Value latency;
  latency.value = 3e-6;
  out.values = {rate, none, latency};
  return out;
}

std::vector<Comparison> low(const std::string& name) {
  Comparison c{{0, 1, What::one_way, 6e9, 2}, 0, Verdict::low, {}};
  Tried t;
  t.cause.name = name;
  t.cause.check = name;
  t.value = 6.1e9;
  t.explains = true;
  c.tried.push_back(t);
  return {c};
}

}  // namespace

TEST_CASE("box: a page says names of others as text, whatever they are") {
  const std::string page = html(matrix(hostile), low(hostile), {hostile, hostile, hostile});
  CHECK_THAT(page, !Catch::Contains("<script") && !Catch::Contains("\x1b") && !Catch::Contains("\" onload"));
  CHECK_THAT(page, Catch::Contains("&lt;script&gt;alert(1)"));
}

TEST_CASE("box: a page leads from each cell to what limits it, without a mouse and without colours") {
  const std::string page = html(matrix("gpu0"), low("x4, not x16"), {"box a", "tsunagi box a.xml --out a.html", "1.0"});
  CHECK_THAT(page, Catch::Contains("<code>tsunagi box a.xml --out a.html</code>"));
  CHECK_THAT(page, Catch::Contains("Bandwidth one way, GB/s"));
  CHECK_THAT(page, Catch::Contains("<th scope=\"row\">gpu0</th>") &&
                       Catch::Contains("<th scope=\"col\" class=\"number\">gpu0</th>"));
  CHECK_THAT(page, Catch::Contains(">12.50<abbr title=\"from one socket to the other\">*</abbr> <a href=\"#limit-a\" "
                                   "aria-label=\"limited by a\">a</a></td>"));
  CHECK_THAT(page, Catch::Contains("<tr id=\"limit-a\"><th scope=\"row\">a</th><td>wire gpu0</td>"));
  CHECK_THAT(page, Catch::Contains("<a href=\"#reason-1\"") && Catch::Contains("<li id=\"reason-1\">gpu0</li>"));
  CHECK_THAT(page, Catch::Contains("<td>gpu0 &gt; memory</td>"));
  CHECK_THAT(page, Catch::Contains("memory to gpu0, One way") && Catch::Contains("<li>x4, not x16: 6.10 GB/s"));
}

TEST_CASE("box: a page takes the style that is bundled by its hash alone, and without one a plain one") {
  PageOf of{"box a", "tsunagi box a", "1.0"};
  CHECK_THAT(html(matrix("gpu0"), {}, of), Catch::Contains("default-src 'none'; style-src 'unsafe-inline';") &&
                                               Catch::Contains(".h6{background") &&
                                               !Catch::Contains("Measured values"));
  of.style = "p{color:red}";
  of.style_policy = "sha256-abc=";
  CHECK_THAT(html(matrix("gpu0"), {}, of), Catch::Contains("default-src 'none'; style-src 'sha256-abc=';") &&
                                               Catch::Contains("<style>p{color:red}</style>") &&
                                               !Catch::Contains(".h6{background"));
}

}  // namespace box_html_test
