// SPDX-License-Identifier: Apache-2.0
#include "fuzz/cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "cluster/catalogs.hpp"
#include "figures/figure.hpp"
#include "fuzz/generator.hpp"
#include "fuzz/mutation.hpp"
#include "runner/run_config.hpp"

namespace tsunagi::fuzz {

namespace fs = std::filesystem;
using config::ConfigError;
using config::Override;
using nlohmann::ordered_json;

namespace {

class Case {
 public:
  Case(Random& random, const Corpus& corpus, const fs::path& scratch, Tally& tally, std::string& last)
      : random_(random), corpus_(corpus), scratch_(scratch), tally_(tally), last_(last) {}

  void run() {
    const std::int64_t kind = random_.below(100);
    if (kind < 30)
      from_grammar();
    else if (kind < 48)
      from_tree();
    else if (kind < 90)
      from_bytes();
    else if (kind < 96)
      from_axes();
    else
      from_files();
  }

 private:
  const Corpus::File& some_file() {
    const auto& files = random_.below(2) == 0 ? corpus_.parts : corpus_.files;
    return files[static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(files.size())))];
  }

  void examine_text(const std::string& text, const std::string& name, const std::vector<Override>& overrides = {}) {
    last_ = name + "\n" + text;
    for (const Override& o : overrides) last_ += "\n--set " + o.pointer + "=" + o.value;
    examine(text, name, overrides, random_, tally_);
  }

  std::vector<Override> some_overrides(const ordered_json& tree) {
    std::vector<Override> out;
    while (random_.below(4) == 0) {
      const std::string value = odd_value(random_).dump();
      const std::string pointer = some_pointer(tree, random_);
      out.push_back({random_.below(8) == 0 ? mutated(pointer, value, random_) : pointer,
                     random_.below(3) == 0 ? mutated(value, value, random_) : value});
    }
    return out;
  }

  void mutate_and_examine(ordered_json tree, const std::string& name) {
    for (std::int64_t i = random_.below(4); i >= 0; --i) mutate(tree, random_);
    // What a mutation made of bytes that are no text would not be written.
    const std::string text = tree.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
    examine_text(text, name, some_overrides(tree));
  }

  /// What was drawn must be read for the same, or refused for the rules that it breaks, and for no other reason.
  template <class C>
  void compare(Generator& drawn, C& wanted) {
    const std::string text = drawn.json.dump();
    last_ = text;
    ++tally_.documents;
    try {
      auto read = config::read<C>(config::parse(text, "drawn.json"), all_kinds());
      if (!drawn.broken.empty()) throw Finding("a broken rule was not told: " + drawn.broken.front());
      if (config::resolved(read) != config::resolved(wanted)) throw Finding("what was read is not what was drawn");
      ++tally_.good;
      ++tally_.legal;
    } catch (const ConfigError& e) {
      ++tally_.refused;
      check_messages(e);
      for (const config::Message& m : e.messages())
        if (std::find(drawn.broken.begin(), drawn.broken.end(), m.text) == drawn.broken.end())
          throw Finding("a legal document was refused: " + m.line());
    }
  }

  template <class C>
  void draw() {
    C wanted{};
    Generator drawn(random_, all_kinds());
    config::describe_config(wanted, drawn);
    compare(drawn, wanted);
    mutate_and_examine(drawn.json, corpus_.files.front().name);
  }

  void from_grammar() {
    const std::int64_t kind = random_.below(10);
    if (kind < 5) return draw<RunConfig>();
    if (kind < 8) return draw<MachineConfig>();
    if (kind < 9) return draw<figures::FigureFile>();
    static const char* const families[] = {"device", "wire", "topology", "routes", "library", "scenario"};
    ordered_json part;
    Generator(random_, all_kinds()).any_of(families[random_.below(6)], part);
    examine_text(part.dump(), "part.json");
    mutate_and_examine(part, "part.json");
  }

  void from_tree() {
    const Corpus::File& file = some_file();
    if (random_.below(2) == 0) return mutate_and_examine(file.tree, file.name);
    ordered_json tree = file.tree;
    for (std::int64_t i = random_.below(12); i >= 0; --i) nudge(tree, random_);
    examine_text(tree.dump(), file.name);
  }

  void from_bytes() {
    const Corpus::File& file = some_file();
    examine_text(mutated(file.text, some_file().text, random_), file.name);
  }

  /// A sweep of a shipped run along places that it has, or nearly.
  void from_axes() {
    const Corpus::File* run = nullptr;
    do run = &some_file();
    while (run->name.find("/runs/") == std::string::npos);
    ordered_json sweep{{"run", run->tree}, {"axes", ordered_json::array()}};
    for (std::int64_t i = random_.below(3); i >= 0; --i) sweep["axes"].push_back(axis(*run, i));
    while (random_.below(3) == 0)
      sweep["derive"].push_back(
          {{"path", some_pointer(run->tree, random_)}, {"expression", expression()}, {"unit", "B"}});
    while (random_.below(4) == 0) sweep["drop"].push_back(expression());
    if (random_.below(2) == 0) mutate(sweep, random_);
    examine_text(sweep.dump(-1, ' ', false, ordered_json::error_handler_t::replace), run->name);
  }

  ordered_json axis(const Corpus::File& run, std::int64_t number) {
    ordered_json out{{"name", "x" + std::to_string(number)}, {"path", some_pointer(run.tree, random_)}};
    const auto value = [this] { return odd_value(random_); };
    switch (random_.below(4)) {
      case 0:
        out["range"] = {{"from", value()}, {"to", value()}, {"count", random_.below(6)}};
        break;
      case 1:
        out["powers_of_two"] = {{"from", value()}, {"to", value()}};
        break;
      case 2:
        out["files"] = {"../parts/k20.json", "../machines/tca_pair.json"};
        break;
      default:
        out["values"] = {value(), value()};
        break;
    }
    return out;
  }

  std::string expression() {
    static const char* const words[] = {"x0", "x1",  "x2", "+",  "-", "*",     "/",  "(",     ")",
                                        "1",  "2.5", "==", "&&", "<", "?",     ":",  "sqrt(", "max(",
                                        ",",  "e",   "pi", "^",  "=", "1e308", "rnd"};
    std::string out;
    for (std::int64_t i = random_.below(9); i >= 0; --i) out += words[random_.below(std::size(words))];
    return out;
  }

  /// Files that use each other, or themselves, or nothing that is there.
  void from_files() {
    const std::int64_t count = 2 + random_.below(4);
    for (std::int64_t i = 0; i < count; ++i) {
      ordered_json tree = some_file().tree;
      for (std::int64_t k = random_.below(6); k >= 0; --k) {
        const ordered_json::json_pointer at(some_pointer(tree, random_));
        try {
          ordered_json& place = tree.at(at);
          const ordered_json use = fmt::format("{}.json", random_.below(count + (random_.below(4) == 0 ? 1 : 0)));
          if (place.is_object())
            place["$use"] = use;
          else
            place = {{"$use", use}};
        } catch (const ordered_json::exception&) {  // the pointer led beside the tree
        }
      }
      last_ = tree.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
      std::ofstream(scratch_ / fmt::format("{}.json", i)) << last_;
    }
    examine_file((scratch_ / "0.json").string(), random_, tally_);
  }

  Random& random_;
  const Corpus& corpus_;
  const fs::path& scratch_;
  Tally& tally_;
  std::string& last_;
};

}  // namespace

Corpus load_corpus(const fs::path& configs) {
  Corpus out;
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(configs))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    std::ifstream in(file);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    ordered_json tree = ordered_json::parse(text, nullptr, true, true);
    if (constexpr std::size_t few = 6; tree.contains("figures") && tree["figures"].size() > few) {
      tree["figures"].erase(tree["figures"].begin() + few, tree["figures"].end());
      text = tree.dump(1);
    }
    out.files.push_back({(file.parent_path() / "fuzz.json").string(), text, tree});
    if (tree.contains("kind")) out.parts.push_back(out.files.back());
  }
  return out;
}

void run_case(std::uint64_t seed, std::uint64_t number, const Corpus& corpus, const fs::path& scratch, Tally& tally,
              std::string& last) {
  Random random(seed, fmt::format("case {}", number));
  Case(random, corpus, scratch, tally, last).run();
}

}  // namespace tsunagi::fuzz
