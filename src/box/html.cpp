// SPDX-License-Identifier: Apache-2.0
#include "box/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "box/legend.hpp"
#include "config/text/printable.hpp"

namespace tsunagi::box {
namespace {

using config::xml_text;

/// Where no style was bundled. Colours of cells as web/style.css has them.
constexpr std::string_view plain_style =
    ":root{color-scheme:light dark;--heat:5 80 174}@media screen and (prefers-color-scheme:dark){:root{--heat:88 166 "
    "224}}body{font:16px/1.5 system-ui,sans-serif;max-width:1320px;margin:0 auto;padding:1.5rem}"
    ".scroll{overflow-x:auto}table{border-collapse:collapse}caption{text-align:left}"
    "th,td{padding:.28rem .8rem;border-bottom:1px solid #888;text-align:left;vertical-align:top}"
    ".number{text-align:right;white-space:nowrap}"
    ".h1{background:rgb(var(--heat)/.05)}.h2{background:rgb(var(--heat)/.1)}.h3{background:rgb(var(--heat)/.15)}"
    ".h4{background:rgb(var(--heat)/.2)}.h5{background:rgb(var(--heat)/.25)}.h6{background:rgb(var(--heat)/.3)}";
constexpr int shades = 6;

/// "Bandwidth one way, GB/s".
std::string caption_of(What what) {
  std::string out = heading_of(what);
  if (!out.empty()) out.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(out.front())));
  return out;
}

std::string cell_name(const Matrix& m, const Cell& c) {
  const auto& places = m.plan.server.places;
  return xml_text(places[c.from].name) + (c.what == What::both_ways ? " and " : " to ") + xml_text(places[c.to].name);
}

/// Makes the parts of a page.
class HtmlPage {
 public:
  HtmlPage(const Matrix& m, const std::vector<Comparison>& compared, const PageOf& page)
      : m_(m), compared_(compared), page_(page) {}
  std::string text();

 private:
  std::string head() const;
  std::string facts() const;
  std::string matrix(What what);
  std::string cell(What what, const Cell& c, double least, double most);
  std::string legends() const;
  std::string exactly(What what) const;
  std::string measured() const;
  std::string interval(const Cell& c, const Value& v) const;
  const Value& value_of(const Cell& c) const { return m_.values[static_cast<std::size_t>(&c - m_.plan.cells.data())]; }

  const Matrix& m_;
  const std::vector<Comparison>& compared_;
  const PageOf& page_;
  Legend limits_;
  Legend reasons_;
};

std::string HtmlPage::head() const {
  const std::string policy = page_.style.empty() ? "'unsafe-inline'" : "'" + page_.style_policy + "'";
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta "
      "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src {}; base-uri 'none'; form-action "
      "'none'\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta "
      "name=\"color-scheme\" "
      "content=\"light dark\">\n<meta name=\"generator\" content=\"tsunagi\">\n<title>{}</title>\n<style>{}</style>\n"
      "</head>\n<body>\n<a class=\"skip\" href=\"#content\">To the contents</a>\n<main id=\"content\" "
      "tabindex=\"-1\">\n",
      policy, xml_text(page_.title), page_.style.empty() ? plain_style : page_.style);
}

std::string HtmlPage::facts() const {
  const auto fact = [](const char* name, const std::string& value) {
    return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", name, value);
  };
  std::string out = fmt::format("<h1>{}</h1>\n<dl class=\"facts\">\n", xml_text(page_.title));
  out += fact("command", "<code>" + xml_text(page_.command) + "</code>");
  out += fact("version", xml_text(page_.version));
  out += fact("simulated", fmt::format("{} cells by {} simulations", m_.values.size(), needed_runs(m_.plan).size()));
  out += "</dl>\n<nav aria-label=\"Sections\"><ul>\n";
  for (const What what : all_whats)
    if (!places_of(m_.plan, what).empty())
      out += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", name_of(what), title_of(what));
  out += "<li><a href=\"#limits\">What limits</a></li>\n";
  if (!compared_.empty()) out += "<li><a href=\"#measured\">Measured values</a></li>\n";
  return out + "</ul></nav>\n";
}

std::string HtmlPage::interval(const Cell& c, const Value& v) const {
  if (!v.interval) return "";
  return fmt::format("{} to {}", number_in(c.what, v.interval->low), number_in(c.what, v.interval->high));
}

std::string HtmlPage::cell(What what, const Cell& c, double least, double most) {
  const Value& v = value_of(c);
  if (!v.value) {
    const std::size_t n = reasons_.number_of(v.why_not) + 1;
    return fmt::format(
        "<td class=\"number\"><a href=\"#reason-{0}\" aria-label=\"not simulated, reason {0}\">({0})</a></td>", n);
  }
  const double share = most > least ? (*v.value - least) / (most - least) : 0.5;
  const int shade = std::clamp(static_cast<int>(share * shades) + 1, 1, shades);
  std::string out = fmt::format("<td class=\"number h{}\">{}", shade, number_in(what, *v.value));
  if (!c.near) out += "<abbr title=\"from one socket to the other\">*</abbr>";
  if (is_rate(what)) {
    const std::string letter = letters(limits_.number_of(v.limit.kind));
    out += fmt::format(" <a href=\"#limit-{0}\" aria-label=\"limited by {0}\">{0}</a>", letter);
  }
  return out + "</td>";
}

std::string HtmlPage::matrix(What what) {
  const std::vector<std::size_t> shown_places = places_of(m_.plan, what);
  if (shown_places.empty()) return "";
  double least = 0;  // of a rate; latencies differ little
  double most = 0;
  for (const Cell& c : m_.plan.cells)
    if (const Value& v = value_of(c); c.what == what && v.value) {
      if (!is_rate(what)) least = least > 0 ? std::min(least, *v.value) : *v.value;
      most = std::max(most, *v.value);
    }
  const auto& places = m_.plan.server.places;
  std::string out = fmt::format(
      "<section aria-labelledby=\"{0}\">\n<h2 id=\"{0}\">{1}</h2>\n<div class=\"scroll\" tabindex=\"0\" "
      "role=\"region\" "
      "aria-labelledby=\"{0}\">\n<table class=\"heat\">\n<caption><span>{2}. {3}</span></caption>\n<thead><tr><th "
      "scope=\"col\">from \\ to</th>",
      name_of(what), title_of(what), caption_of(what),
      is_rate(what) ? "A letter leads to what limits the cell; the stronger its colour, the more it has."
                    : "The stronger the colour of a cell, the longer it takes.");
  for (const std::size_t p : shown_places)
    out += fmt::format("<th scope=\"col\" class=\"number\">{}</th>", xml_text(places[p].name));
  out += "</tr></thead>\n<tbody>\n";
  for (const std::size_t from : shown_places) {
    out += fmt::format("<tr><th scope=\"row\">{}</th>", xml_text(places[from].name));
    for (const std::size_t to : shown_places) {
      const Cell* c = find(m_.plan, from, to, what);
      out += c == nullptr ? "<td class=\"number\">-</td>" : cell(what, *c, least, most);
    }
    out += "</tr>\n";
  }
  return out + "</tbody>\n</table>\n</div>\n" + exactly(what) + "</section>\n";
}

/// Each cell with what moves its bytes and what limits it, for who has no mouse, and for who wants to know.
std::string HtmlPage::exactly(What what) const {
  const bool with_intervals =
      std::any_of(m_.values.begin(), m_.values.end(), [](const Value& v) { return v.interval; });
  std::string out = fmt::format(
      "<details><summary>Each cell of it</summary>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"each cell, {0}\">\n<table>\n<caption>{0}</caption>\n<thead><tr><th scope=\"col\">cell</th><th "
      "scope=\"col\" class=\"number\">value</th>{1}<th scope=\"col\">measured by</th>{2}</tr></thead>\n<tbody>\n",
      caption_of(what), with_intervals ? "<th scope=\"col\">interval</th>" : "",
      is_rate(what) ? "<th scope=\"col\">limited by</th><th scope=\"col\">where</th>" : "");
  for (const Cell& c : m_.plan.cells) {
    const Value& v = value_of(c);
    if (c.what != what || !v.value) continue;
    out += fmt::format("<tr><th scope=\"row\">{}{}</th><td class=\"number\">{}</td>", cell_name(m_, c),
                       c.near ? "" : ", other socket", number_in(what, *v.value));
    if (with_intervals) out += fmt::format("<td>{}</td>", interval(c, v));
    out += fmt::format("<td>{}</td>", xml_text(c.how));
    if (is_rate(what)) out += fmt::format("<td>{}</td><td>{}</td>", xml_text(v.limit.kind), xml_text(v.limit.where));
    out += "</tr>\n";
  }
  return out + "</tbody>\n</table>\n</div>\n</details>\n";
}

std::string HtmlPage::legends() const {
  std::string out =
      "<section aria-labelledby=\"limits\">\n<h2 id=\"limits\">What limits</h2>\n<p>* from one socket to the "
      "other</p>\n<table>\n<thead><tr><th scope=\"col\">letter</th><th scope=\"col\">limited by</th><th scope=\"col\" "
      "class=\"number\">cells</th></tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < limits_.texts().size(); ++i)
    out +=
        fmt::format("<tr id=\"limit-{0}\"><th scope=\"row\">{0}</th><td>{1}</td><td class=\"number\">{2}</td></tr>\n",
                    letters(i), xml_text(limits_.texts()[i]), limits_.count(i));
  out += "</tbody>\n</table>\n";
  if (reasons_.texts().empty()) return out + "</section>\n";
  out += "<h3>Not simulated</h3>\n<ol>\n";
  for (std::size_t i = 0; i < reasons_.texts().size(); ++i)
    out += fmt::format("<li id=\"reason-{}\">{}</li>\n", i + 1, xml_text(reasons_.texts()[i]));
  return out + "</ol>\n</section>\n";
}

std::string HtmlPage::measured() const {
  if (compared_.empty()) return "";
  std::string out =
      "<section aria-labelledby=\"measured\">\n<h2 id=\"measured\">Measured values</h2>\n<div class=\"scroll\" "
      "tabindex=\"0\" role=\"region\" aria-labelledby=\"measured\">\n<table>\n<caption>Measured values beside the "
      "model's; "
      "of one that is low the causes with which the model has it.</caption>\n<thead><tr><th scope=\"col\">cell</th><th "
      "scope=\"col\" class=\"number\">measured</th><th scope=\"col\" class=\"number\">model</th><th "
      "scope=\"col\">verdict</th><th scope=\"col\">explained by</th></tr></thead>\n<tbody>\n";
  for (const Comparison& c : compared_) {
    const Cell& of = m_.plan.cells[c.cell];
    const Value& v = m_.values[c.cell];
    const char* status = c.verdict == Verdict::as_modelled ? "pass" : c.verdict == Verdict::low ? "miss" : "known_miss";
    out += fmt::format(
        "<tr><th scope=\"row\">{}, {}</th><td class=\"number\">{}</td><td class=\"number\">{}</td><td "
        "class=\"status-{}\">{}</td><td>",
        cell_name(m_, of), title_of(of.what), shown(of.what, c.measured.value),
        v.value ? shown(of.what, *v.value) : "-", status, name_of(c.verdict));
    std::string causes;
    for (const Tried& t : c.tried)
      if (t.explains && t.value)
        causes += fmt::format("<li>{}: {}<br>see {}</li>\n", xml_text(t.cause.name), shown(of.what, *t.value),
                              xml_text(t.cause.check));
    if (!causes.empty())
      out += "<ul>\n" + causes + "</ul>";
    else if (c.verdict == Verdict::low)
      out += "no single cause that is modelled";
    else if (!v.value)
      out += xml_text(v.why_not);
    out += "</td></tr>\n";
  }
  return out + "</tbody>\n</table>\n</div>\n</section>\n";
}

std::string HtmlPage::text() {
  std::string out = head() + facts();
  for (const What what : all_whats) out += matrix(what);
  return out + legends() + measured() + "</main>\n</body>\n</html>\n";
}

}  // namespace

std::string html(const Matrix& m, const std::vector<Comparison>& compared, const PageOf& page) {
  return HtmlPage(m, compared, page).text();
}

}  // namespace tsunagi::box
