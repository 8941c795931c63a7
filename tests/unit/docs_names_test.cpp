// SPDX-License-Identifier: Apache-2.0
// What the documents name is there: functions and keys in the tables of docs/pcie.md, files anywhere.
#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/documents.hpp"
#include "support/temporary_folder.hpp"

namespace docs_names_test {

namespace fs = std::filesystem;
using namespace tsunagi::test;
using Words = std::vector<std::string>;

namespace {

/// The identifiers of `WireSpec::link_layer.update_repeat`, of `acks: false` the key.
Words identifiers(const std::string& code) {
  Words out;
  const std::string name = code.substr(0, code.find(": "));
  const std::regex word("[A-Za-z_][A-Za-z0-9_]*");
  for (std::sregex_iterator i(name.begin(), name.end(), word), end; i != end; ++i) out.push_back(i->str());
  return out;
}

bool has_word(const std::string& text, const std::string& word) {
  const auto inside = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const auto end = at + word.size();
    if ((at == 0 || !inside(text[at - 1])) && (end == text.size() || !inside(text[end]))) return true;
  }
  return false;
}

/// Every source, a header and its .cpp as one text.
const std::vector<std::string>& sources() {
  static const std::vector<std::string> all = [] {
    std::map<fs::path, std::string> texts;
    for (const char* folder : {"src", "models", "scenarios"})
      for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
        const fs::path file = entry.path();
        if (file.extension() == ".cpp" || file.extension() == ".hpp")
          texts[file.parent_path() / file.stem()] += content(file);
      }
    std::vector<std::string> out;
    for (auto& [file, text] : texts) out.push_back(std::move(text));
    return out;
  }();
  return all;
}

/// Some source has all of these words.
bool is_in_a_source(const Words& words) {
  return std::any_of(sources().begin(), sources().end(), [&](const std::string& text) {
    return std::all_of(words.begin(), words.end(), [&](const std::string& w) { return has_word(text, w); });
  });
}

bool is_file(const std::string& code) {
  static const std::regex path("[A-Za-z0-9_./-]+/[A-Za-z0-9_.-]+\\.(cpp|hpp|json|sh|md|cmake)");
  return std::regex_match(code, path);
}

Words cells(const std::string& row) {
  Words out;
  for (std::size_t begin = 1; begin < row.size();) {
    const std::size_t end = std::min(row.find('|', begin), row.size());
    out.push_back(row.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

}  // namespace

TEST_CASE("docs/pcie.md names functions and keys that are there") {
  std::ifstream in(root / "docs/pcie.md");
  int named = 0;
  for (std::string line; std::getline(in, line);) {
    const Words row = line.rfind("| ", 0) == 0 ? cells(line) : Words{};
    if (row.size() != 4) continue;  // rule, where, source, off
    for (const std::size_t column : {std::size_t{1}, std::size_t{3}})
      for (const std::string& code : quoted(row[column])) {
        CAPTURE(line, code);
        if (code.find('/') != std::string::npos)
          CHECK(fs::exists(root / code));
        else if (code.front() != '"')  // a value
          CHECK(is_in_a_source(identifiers(code)));
        ++named;
      }
  }
  CHECK(named > 40);
}

TEST_CASE("documents name files that are there") {
  std::vector<fs::path> documents{root / "README.md", root / "src/README.md", root / "CHANGELOG.md"};
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs"))
    if (entry.path().extension() == ".md") documents.push_back(entry.path());
  int named = 0;
  for (const fs::path& document : documents) {
    const std::string text = content(document);
    const std::regex link("\\]\\(([^)#:]+)\\)");
    for (std::sregex_iterator i(text.begin(), text.end(), link), end; i != end; ++i) {
      CAPTURE(document, i->str());
      CHECK(fs::exists(document.parent_path() / (*i)[1].str()));
      ++named;
    }
    for (const std::string& code : quoted(text)) {
      if (!is_file(code) || code.find("/foo.") != std::string::npos) continue;  // foo: what a reader will write
      CAPTURE(document, code);
      CHECK((fs::exists(root / code) || fs::exists(document.parent_path() / code)));
      ++named;
    }
  }
  CHECK(named > 40);
}

TEST_CASE("docs/README.md lists every document") {
  const std::string list = content(root / "docs/README.md");
  for (const auto& entry : fs::directory_iterator(root / "docs")) {
    const std::string name = entry.path().filename().string();
    CAPTURE(name);
    if (name != "README.md" && entry.path().extension() == ".md")
      CHECK(list.find("](" + name + ")") != std::string::npos);
  }
}

TEST_CASE("names in documents are looked up as whole words of one source") {
  CHECK(identifiers("WireSpec::link_layer.update_repeat") == Words{"WireSpec", "link_layer", "update_repeat"});
  CHECK(identifiers("bit_error_rate: 0") == Words{"bit_error_rate"});
  CHECK(has_word("a.send_ack()", "send_ack"));
  CHECK_FALSE(has_word("resend_acks", "send_ack"));
  CHECK(is_in_a_source({"CreditUpdates", "send_next"}));
  CHECK_FALSE(is_in_a_source({"CreditUpdates", "Peach2Config"}));
}

}  // namespace docs_names_test
