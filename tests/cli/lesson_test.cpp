// SPDX-License-Identifier: Apache-2.0
// `tsunagi lesson` as a student and a teacher meet it.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace lesson_cli_test {

using namespace tsunagi::test;

namespace {

/// A student with a notebook of her own.
struct Student {
  TemporaryFolder folder;
  std::string notes = (folder.path() / "notes.json").string();

  Ended does(std::vector<std::string> words) const {
    words.insert(words.begin(), "lesson");
    words.insert(words.end(), {"--progress", notes});
    return run_program(words);
  }
  Ended begins() const { return does({"start", "1", "--student", "ada"}); }

  /// The command that the list ends with.
  std::string next() const {
    const std::string out = does({}).out;
    const std::size_t at = out.find("\nNext: ");
    return at == std::string::npos ? "" : out.substr(at + 7, out.size() - at - 8);
  }

  /// What the simulation gives for a question, which is the right answer or near it.
  std::string simulated(const std::string& lesson, char question) const {
    const std::string out = does({"run", lesson}).out;
    std::smatch found;
    const std::regex line(std::string(1, question) + R"(\) .*\s([0-9.]+) GB/s  +[+-])");
    REQUIRE(std::regex_search(out, found, line));
    return found[1].str() + " GB/s";
  }
};

}  // namespace

TEST_CASE("lesson: from the list to what is handed in") {
  const Student ada;
  Ended end = ada.does({});
  CHECK(end.exit_code == 0);
  CHECK(end.out.find(" 1  What a TLP costs") != std::string::npos);
  CHECK(end.out.find("Begin with: tsunagi lesson start 1 --student NAME\n") != std::string::npos);
  CHECK(end.err.empty());
  end = ada.begins();
  CHECK(end.exit_code == 0);
  CHECK(end.out.find("Read docs/learn/01_tlp_cost.md first.") != std::string::npos);
  CHECK(end.out.find("\na) A Gen2 link of ") != std::string::npos);
  CHECK(ada.next() == "tsunagi lesson predict 1a VALUE");
  CHECK(ada.does({"predict", "1a", "1.25 GB/s"}).out ==
        "1a: 1.25 GB/s is written down. Next: tsunagi lesson predict 1b VALUE\n");
  CHECK(ada.does({"predict", "1b", "1250", "MB/s"}).out ==
        "1b: 1.25 GB/s is written down. Now see: tsunagi lesson run 1\n");
  CHECK(ada.does({"list"}).out.find("predicted") != std::string::npos);
  CHECK(ada.next() == "tsunagi lesson run 1");
  end = ada.does({"start", "1"});
  CHECK(end.out.find("You wrote down: 1250 MB/s.") != std::string::npos);
  std::istringstream lines(end.out);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
  const std::string a = ada.simulated("1", 'a'), b = ada.simulated("1", 'b');
  end = ada.does({"check", "1"});
  CHECK(end.exit_code == 1);
  CHECK(end.out.find("a) 1.25 GB/s is not right") != std::string::npos);
  CHECK(ada.does({"hint", "1"}).out.rfind("1a: ", 0) == 0);
  ada.does({"predict", "1a", a});
  ada.does({"predict", "1b", b});
  CHECK(ada.next() == "tsunagi lesson check 1");
  CHECK(ada.does({"hint", "1a"}).out == "1a: " + a + " is right.\n");
  CHECK(ada.does({"hint", "1"}).out == "1: all answers are right. Next: tsunagi lesson check 1\n");
  CHECK(ada.does({"check", "1"}).out.find("To hand it in: tsunagi lesson check 1 --out FILE.json\n") !=
        std::string::npos);
  end = ada.does({"check", "1", "--out", ada.notes});
  CHECK(end.exit_code == 2);
  CHECK(ada.does({"list"}).exit_code == 0);
  const std::string handed = (ada.folder.path() / "ada-1.json").string();
  end = ada.does({"check", "1", "--out", handed});
  CHECK(end.exit_code == 0);
  CHECK(end.out.find("a) " + a + " is right") != std::string::npos);
  CHECK(end.out.find("To go on: ") != std::string::npos);
  CHECK(end.out.find("To hand it in") == std::string::npos);
  CHECK(ada.does({"list"}).out.find("passed") != std::string::npos);
  CHECK(ada.next() == "tsunagi lesson start 2");

  const std::string xml = (ada.folder.path() / "out.xml").string();
  end = run_program({"lesson", "verify", handed, "--junit", xml});
  CHECK(end.exit_code == 0);
  CHECK(end.out == handed + ": ada, 01_tlp_cost: holds, after 2 answers and 1 hint\n");
  CHECK(content(xml).find("<testcase classname=\"ada\" name=\"01_tlp_cost\"/>") != std::string::npos);

  // Another student's numbers, another run's digest.
  auto book = nlohmann::json::parse(content(handed));
  auto stolen = book;
  stolen["student"] = "eve";
  ada.folder.write("stolen.json", stolen.dump());
  auto bent = book;
  bent["pages"][0]["runs"][0]["digest"] = "0";
  ada.folder.write("bent.json", bent.dump());
  for (const char* file : {"stolen.json", "bent.json"})
    CHECK(run_program({"lesson", "verify", (ada.folder.path() / file).string(), "--junit", xml}).exit_code == 1);
  CHECK(content(xml).find("gives other rows here") != std::string::npos);
}

TEST_CASE("lesson: nothing is simulated before it is predicted") {
  const Student ada;
  ada.begins();
  Ended end = ada.does({"run", "1"});
  CHECK(end.exit_code == 2);
  CHECK(end.err.find("predict before you simulate: tsunagi lesson predict 1a VALUE") != std::string::npos);
  CHECK(ada.does({"check", "1"}).exit_code == 2);
  ada.does({"predict", "1a", "1"});
  ada.does({"predict", "1b", "1"});
  end = ada.does({"check", "1"});
  CHECK(end.exit_code == 2);
  CHECK(end.err.find("nothing was simulated") != std::string::npos);
}

TEST_CASE("lesson: the list ends with the first lesson that was not begun, or says that all are passed") {
  const Student ada;
  nlohmann::json book{{"student", "ada"}, {"tsunagi", "0"}, {"pages", nlohmann::json::array()}};
  for (const auto& file : std::filesystem::directory_iterator(std::filesystem::path(TSUNAGI_TEST_CONFIGS) / "lessons"))
    book["pages"].push_back({{"lesson", file.path().stem().string()}, {"passed", true}});
  ada.folder.write("notes.json", book.dump());
  CHECK(ada.does({}).out.find("\nAll are passed.\n") != std::string::npos);
  auto& pages = book["pages"];
  pages.erase(std::remove_if(pages.begin(), pages.end(),
                             [](const auto& page) { return page["lesson"] == "02_posted_and_non_posted"; }),
              pages.end());
  ada.folder.write("notes.json", book.dump());
  CHECK(ada.next() == "tsunagi lesson start 2");
}

TEST_CASE("lesson: what is no order, lesson, answer or notebook is refused") {
  const Student ada;
  const auto refused = [&](const std::vector<std::string>& words, const std::string& why) {
    const Ended end = ada.does(words);
    INFO(end.err);
    CHECK(end.exit_code == 2);
    CHECK(end.err.find(why) != std::string::npos);
    CHECK(end.out.empty());
  };
  refused({"start", "1"}, "notes.json is not there yet. Whose numbers? Say --student NAME, once");
  refused({"start", "1", "--student", "NAME"}, "put a name of your own in place of NAME");
  refused({"start", "1", "--student", "a\nb"}, "without control characters");
  refused({"start", "1", "--student", "a\xff"}, "without control characters");
  ada.begins();
  refused({"strat", "1"}, "did you mean \"start\"");
  refused({"start"}, "needs a lesson");
  refused({"start", "77"}, "unknown lesson \"77\"");
  refused({"start", "1", "2"}, "takes one lesson");
  refused({"predict"}, "needs a question and a value: tsunagi lesson predict 1a VALUE");
  refused({"predict", "1a"}, "needs a value");
  refused({"predict", "1", "3"}, "lesson 1 has 2 questions: 1a to 1b");
  refused({"predict", "1c", "3"}, "ends with question 1b");
  refused({"predict", "1a", "3 ns"}, "is a time: the question asks for a rate");
  refused({"predict", "1a", "lots"}, "is no answer");
  refused({"predict", "1a", "3,5"}, "decimals begin with a point");
  refused({"start", "1", "--student", "eve"}, "is ada's: go on without --student");
  refused({"start", "1", "--out", "x"}, "--out is for check");
  refused({"verify"}, "needs the files");
  ada.folder.write("notes.json", R"({"student": "ada", "pagse": []})");
  refused({"list"}, "did you mean \"pages\"");
}

}  // namespace lesson_cli_test
