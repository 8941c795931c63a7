// SPDX-License-Identifier: Apache-2.0
// The examples in docs/*.md are what the program prints.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "support/catch.hpp"
#include "support/documents.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace docs_test {

using namespace tsunagi::test;
namespace fs = std::filesystem;

namespace {

using Lines = std::vector<std::string>;

const std::string fence = "```";
const std::string prompt = "$ tsunagi ";
const std::string left_out = "...";

/// A ```console block that begins with "$ tsunagi ".
struct Example {
  std::string file;
  std::size_t line = 0;  ///< of the command, from 1 on
  std::string command;   ///< without "$ tsunagi", its continued lines joined
  Lines output;
  std::vector<std::pair<std::string, std::string>> files;  ///< that its document has shown so far: name, text
};

Lines lines_of(std::istream& in) {
  Lines out;
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

Lines lines_of(const std::string& text) {
  std::istringstream in(text);
  return lines_of(in);
}

/// The name in the first line of a file that is shown, "// pair.json"; "" if it is none.
std::string name_of_file(const std::string& line) {
  const std::string begin = "// ";
  const std::string end = ".json";
  const bool is_one = line.rfind(begin, 0) == 0 && line.size() > begin.size() + end.size() &&
                      line.compare(line.size() - end.size(), end.size(), end) == 0 &&
                      line.find(' ', begin.size()) == std::string::npos;
  return is_one ? line.substr(begin.size()) : "";
}

/// All examples among the lines of a document.
std::vector<Example> examples_in(const std::string& file, const Lines& lines) {
  std::vector<Example> out;
  std::vector<std::pair<std::string, std::string>> files;
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    if (lines[i] == fence + "json" && !name_of_file(lines[i + 1]).empty()) {
      files.emplace_back(name_of_file(lines[i + 1]), "");
      for (++i; i < lines.size() && lines[i] != fence; ++i) files.back().second += lines[i] + "\n";
    }
    if (i + 1 >= lines.size() || lines[i] != fence + "console" || lines[i + 1].rfind(prompt, 0) != 0) continue;
    Example e{file, i + 2, lines[i + 1].substr(prompt.size()), {}, files};
    for (i += 2; e.command.back() == '\\' && i < lines.size(); ++i)
      e.command.replace(e.command.size() - 1, 1, lines[i]);
    for (; i < lines.size() && lines[i] != fence; ++i) e.output.push_back(lines[i]);
    out.push_back(std::move(e));
  }
  return out;
}

std::vector<Example> examples_of(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".md") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<Example> out;
  for (const fs::path& file : files) {
    std::ifstream in(file);
    for (Example& e : examples_in(file.filename().string(), lines_of(in))) out.push_back(std::move(e));
  }
  return out;
}

/// Arguments as a shell splits them, as far as examples need: blanks, '...', "...", \x outside of quotes.
Lines words_of(const std::string& command) {
  Lines out;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < command.size(); ++i) {
    char c = command[i];
    if (quote == 0 && c == ' ') {
      in_word = false;
      continue;
    }
    if (!in_word) out.emplace_back();
    in_word = true;
    if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else {
      const bool escaped = c == '\\' && i + 1 < command.size() &&
                           (quote == 0 || (quote == '"' && (command[i + 1] == '"' || command[i + 1] == '\\')));
      if (escaped) c = command[++i];
      out.back() += c;
    }
  }
  if (quote != 0) throw std::invalid_argument("a quote is not closed: " + command);
  return out;
}

/// Whether `expected` from line `e` on tells what `printed` is from line `p` on; "..." stands for any lines, or none.
bool tells(const Lines& expected, std::size_t e, const Lines& printed, std::size_t p) {
  if (e == expected.size()) return p == printed.size();
  if (expected[e] != left_out)
    return p < printed.size() && expected[e] == printed[p] && tells(expected, e + 1, printed, p + 1);
  for (; p <= printed.size(); ++p)
    if (tells(expected, e + 1, printed, p)) return true;
  return false;
}

/// The first line of an example that is not as printed, looking line by line up to the first "...".
std::string difference(const Lines& expected, const Lines& printed) {
  std::size_t i = 0;
  while (i < expected.size() && i < printed.size() && expected[i] == printed[i]) ++i;
  if (i < expected.size() && expected[i] == left_out) return "they differ behind \"...\"";
  const auto line = [i](const Lines& lines) { return i < lines.size() ? lines[i] : "(nothing more)"; };
  return "the document says  " + line(expected) + "\nthe program prints " + line(printed);
}

/// Works in a folder while it lives.
class Visit {
 public:
  explicit Visit(const fs::path& folder) : back_(fs::current_path()) { fs::current_path(folder); }
  ~Visit() { fs::current_path(back_); }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

 private:
  fs::path back_;
};

bool makes_many_runs(const Example& e) { return e.command.find("--why-not-faster") != std::string::npos; }

/// Where the examples of documents run, each document's in a folder of its own: all that is in the root is there, and
/// the files that it shows.
class Workplaces {
 public:
  fs::path folder_of(const Example& e) {
    std::unique_ptr<TemporaryFolder>& folder = folders_[e.file];
    if (folder == nullptr) {
      folder = std::make_unique<TemporaryFolder>();
      for (const auto& entry : fs::directory_iterator(root))
        fs::create_symlink(entry.path(), folder->path() / entry.path().filename());
    }
    for (const auto& [name, text] : e.files) folder->write(name, text);
    return folder->path();
  }

 private:
  std::map<std::string, std::unique_ptr<TemporaryFolder>> folders_;
};

/// The program prints what the document says that it prints.
void expect_printed(const Example& e, Workplaces& workplaces) {
  const Visit visit(workplaces.folder_of(e));
  INFO("docs/" << e.file << ":" << e.line << ": tsunagi " << e.command);
  const Ended end = run_program(words_of(e.command));
  INFO(end.err);
  CHECK(end.exit_code == 0);
  const Lines printed = lines_of(end.out);
  if (!tells(e.output, 0, printed, 0))
    FAIL_CHECK(difference(e.output, printed)
               << "\nIf the program is right, run: sh tools/docs.sh build/release/tsunagi\n"
                  "and read again what the document says about these numbers.");
}

/// The examples of each sixth document, beginning with this one, but for those that make many runs.
void expect_printed_by_a_sixth(std::size_t first) {
  Workplaces workplaces;
  std::string file;
  std::size_t document = 0;
  std::size_t run = 0;
  for (const Example& e : examples_of(root / "docs")) {
    if (e.file != file && !file.empty()) ++document;
    file = e.file;
    if (document % 6 != first || makes_many_runs(e)) continue;
    expect_printed(e, workplaces);
    ++run;
  }
  CHECK(run >= 2);
}

}  // namespace

// Several cases, so that none takes long: most of the time goes into the examples that make many runs.
TEST_CASE("docs print what the program prints, the first sixth of documents") { expect_printed_by_a_sixth(0); }
TEST_CASE("docs print what the program prints, the second sixth of documents") { expect_printed_by_a_sixth(1); }
TEST_CASE("docs print what the program prints, the third sixth of documents") { expect_printed_by_a_sixth(2); }
TEST_CASE("docs print what the program prints, the fourth sixth of documents") { expect_printed_by_a_sixth(3); }
TEST_CASE("docs print what the program prints, the fifth sixth of documents") { expect_printed_by_a_sixth(4); }
TEST_CASE("docs print what the program prints, the last sixth of documents") { expect_printed_by_a_sixth(5); }

TEST_CASE("docs have examples, of explain at least four") {
  const std::vector<Example> examples = examples_of(root / "docs");
  const auto in_explain = [](const Example& e) { return e.file == "explain.md"; };
  CHECK(std::count_if(examples.begin(), examples.end(), in_explain) >= 4);
}

TEST_CASE("docs print what the program prints of many runs") {
  Workplaces workplaces;
  for (const Example& e : examples_of(root / "docs"))
    if (makes_many_runs(e)) expect_printed(e, workplaces);
}

TEST_CASE("docs examples are found, with continued commands and without other blocks") {
  const auto examples = examples_in("a.md", lines_of("text\n```console\n$ tsunagi run a \\\n    --b\nout\n\nmore\n```\n"
                                                     "```console\n$ ls\nx\n```\n```sh\n$ tsunagi run\n```\n"));
  REQUIRE(examples.size() == 1);
  CHECK(examples[0].line == 3);
  CHECK(words_of(examples[0].command) == Lines{"run", "a", "--b"});
  CHECK(examples[0].output == Lines{"out", "", "more"});
}

TEST_CASE("docs files that are shown by their names are there for the examples behind them") {
  const auto examples = examples_in("a.md", lines_of("```json\n// a.json\n{\n}\n```\n```json\n{\"no\": \"file\"}\n```\n"
                                                     "```console\n$ tsunagi run a.json\n```\n"
                                                     "```json\n// b.json\n[]\n```\n```console\n$ tsunagi list\n```\n"));
  using Files = std::vector<std::pair<std::string, std::string>>;
  REQUIRE(examples.size() == 2);
  CHECK(examples[0].files == Files{{"a.json", "// a.json\n{\n}\n"}});
  CHECK(examples[1].files == Files{{"a.json", "// a.json\n{\n}\n"}, {"b.json", "// b.json\n[]\n"}});
  CHECK(name_of_file("// see pair.json").empty());
}

TEST_CASE("docs commands are split as a shell splits them") {
  CHECK(words_of("a  --size \"1 MiB\" --set '/x=[\"8 B\"]' b\\ c \"\"") ==
        Lines{"a", "--size", "1 MiB", "--set", "/x=[\"8 B\"]", "b c", ""});
  CHECK_THROWS_AS(words_of("a 'b"), std::invalid_argument);
}

TEST_CASE("docs examples may leave lines out, and nothing else") {
  const Lines printed{"a", "b", "c", "d"};
  CHECK(tells({"a", "b", "c", "d"}, 0, printed, 0));
  CHECK(tells({"a", "...", "d"}, 0, printed, 0));
  CHECK(tells({"a", "...", "b", "...", "d", "..."}, 0, printed, 0));
  CHECK_FALSE(tells({"a", "b", "c"}, 0, printed, 0));
  CHECK_FALSE(tells({"a", "...", "c"}, 0, printed, 0));
  CHECK_FALSE(tells({"a", "...", "d", "e"}, 0, printed, 0));
}

}  // namespace docs_test
