// SPDX-License-Identifier: Apache-2.0
#include "page/unmodelled.hpp"

#include <algorithm>
#include <sstream>
#include <system_error>

#include "config/text/file_text.hpp"

namespace tsunagi::page {
namespace {

constexpr std::string_view begins = "Not modelled";

/// How many # a heading has; 0: it is none.
std::size_t depth_of(const std::string& line) {
  const std::size_t depth = line.find_first_not_of('#');
  return depth != std::string::npos && depth > 0 && line[depth] == ' ' ? depth : 0;
}

bool says_not_modelled(const std::string& heading) {
  return heading.find("ot modelled") != std::string::npos || heading == "What is not";
}

/// A document, line by line.
class Reader {
 public:
  explicit Reader(std::string page) : page_(std::move(page)) {}

  void line(const std::string& line) {
    if (line.rfind("```", 0) == 0) is_code_ = !is_code_;
    const std::size_t depth = is_code_ ? 0 : depth_of(line);
    if (depth > 0) return heading(line.substr(depth + 1), depth);
    const bool is_point = line.rfind("- ", 0) == 0;
    if (is_code_ || line.empty() || is_point) end();
    if (is_code_ || line.empty() || line.rfind("```", 0) == 0) return;
    const std::size_t from = is_point ? 2 : line.find_first_not_of(' ');
    if (from == std::string::npos) return;
    paragraph_ += (paragraph_.empty() ? "" : " ") + line.substr(from);
  }

  std::vector<Unmodelled> take() {
    end();
    return std::move(out_);
  }

 private:
  void heading(const std::string& text, std::size_t depth) {
    end();
    if (inside_ > 0 && depth > inside_) return;  // of the same section
    heading_ = text;
    inside_ = says_not_modelled(text) ? depth : 0;
    if (inside_ > 0) out_.push_back({page_, heading_, {}});
  }

  void end() {
    const std::string text = std::move(paragraph_);
    paragraph_.clear();
    if (text.empty()) return;
    if (inside_ > 0) return out_.back().texts.push_back(text);
    const std::size_t at = text.find(begins);
    if (at == std::string::npos) return;
    if (out_.empty() || out_.back().section != heading_) out_.push_back({page_, heading_, {}});
    const bool is_bold = at >= 2 && text.compare(at - 2, 2, "**") == 0;
    out_.back().texts.push_back(text.substr(is_bold ? at - 2 : at));
  }

  std::string page_;
  std::string heading_;
  std::string paragraph_;
  std::size_t inside_ = 0;  // the depth of the heading of such a section
  bool is_code_ = false;
  std::vector<Unmodelled> out_;
};

}  // namespace

std::vector<Unmodelled> unmodelled_in(const std::string& page, std::string_view text) {
  Reader reader(page);
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    reader.line(line);
  }
  std::vector<Unmodelled> out = reader.take();
  out.erase(std::remove_if(out.begin(), out.end(), [](const Unmodelled& u) { return u.texts.empty(); }), out.end());
  return out;
}

std::vector<Unmodelled> unmodelled_beside(const std::filesystem::path& configs) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  const std::filesystem::path folder = configs / ".." / "docs";
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (at->path().extension() == ".md") files.push_back(at->path());
  std::sort(files.begin(), files.end());
  std::vector<Unmodelled> out;
  for (const std::filesystem::path& file : files) {
    std::string why;  // what cannot be read says nothing
    const auto text = config::detail::read_text(file, why);
    for (Unmodelled& u : unmodelled_in("docs/" + file.filename().string(), text.value_or("")))
      out.push_back(std::move(u));
  }
  return out;
}

}  // namespace tsunagi::page
