// SPDX-License-Identifier: Apache-2.0
#include "box/measured/measured.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "box/measured/tool_text.hpp"
#include "config/quantity.hpp"
#include "config/suggest.hpp"
#include "units/parse.hpp"

namespace tsunagi::box {
namespace {

constexpr std::size_t most_told = 100;  // messages; nobody reads more

const std::vector<std::string> columns{"from", "to", "what", "value"};

std::vector<std::string> split(std::string_view line) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find(',', at), line.size());
    out.emplace_back(trimmed(line.substr(at, end - at)));
    at = end + 1;
  }
  return out;
}

/// Reads one file.
class Reader {
 public:
  Reader(const std::string& file, const Plan& plan) : file_(std::make_shared<const std::string>(file)), plan_(plan) {}

  std::vector<Measured> read(std::string_view text) {
    for (std::size_t at = 0; at < text.size(); ++line_) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string_view line = text.substr(at, end - at);
      at = end + 1;
      const std::string_view plain = trimmed(line);
      if (plain.empty() || plain.front() == '#') continue;
      if (!has_names_)
        names(split(line));
      else if (faults_.size() < most_told)
        cells(split(line));
    }
    if (!has_names_)
      fault(
          "has no line that names its columns, from,to,what,value, and no table of nvbandwidth, of CUDA's samples or "
          "of perftest");
    if (!faults_.empty()) throw config::ConfigError(std::move(faults_));
    return std::move(out_);
  }

 private:
  void fault(const std::string& why) { faults_.push_back({{file_, line_, 1}, "", why}); }

  void names(const std::vector<std::string>& words) {
    has_names_ = true;
    count_ = words.size();
    for (std::size_t i = 0; i < words.size(); ++i) {
      const auto known = std::find(columns.begin(), columns.end(), words[i]);
      if (known == columns.end()) {
        fault(config::detail::unknown("column", words[i], columns));
        continue;
      }
      std::optional<std::size_t>& place = places_[static_cast<std::size_t>(known - columns.begin())];
      if (place) fault(fmt::format("column \"{}\" stands there twice", words[i]));
      place = i;
    }
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (!places_[i]) fault(fmt::format("has no column \"{}\"", columns[i]));
    is_usable_ = faults_.empty();
  }

  std::optional<std::size_t> place(const std::string& word) {
    std::vector<std::string> known;
    for (const Place& p : plan_.server.places) {
      if (p.name == word) return static_cast<std::size_t>(&p - plan_.server.places.data());
      known.push_back(p.name);
    }
    fault(config::detail::unknown("place", word, known));
    return std::nullopt;
  }

  std::optional<What> what(const std::string& word) {
    std::vector<std::string> known;
    for (const What w : all_whats) {
      if (word == name_of(w)) return w;
      known.emplace_back(name_of(w));
    }
    fault(config::detail::unknown("word", word, known));
    return std::nullopt;
  }

  std::optional<double> value(const std::string& word, What w) {
    try {
      const double out =
          is_rate(w) ? parse_rate(word).bytes_per_second() : static_cast<double>(parse_time(word).fs()) * 1e-15;
      if (out > 0) return out;
      fault(fmt::format("\"{}\" is not above 0", word));
    } catch (const std::invalid_argument& e) {
      fault(e.what());
    }
    return std::nullopt;
  }

  void cells(const std::vector<std::string>& words) {
    if (words.size() != count_)
      return fault(fmt::format("has {} cells, the line that names them {}", words.size(), count_));
    if (!is_usable_) return;
    const auto from = place(words[*places_[0]]);
    const auto to = place(words[*places_[1]]);
    const auto w = what(words[*places_[2]]);
    const auto v = w ? value(words[*places_[3]], *w) : std::nullopt;
    if (!from || !to || !v) return;
    if (*from == *to) return fault("from a place to itself");
    for (const Measured& m : out_)
      if (find_same(m, *from, *to, *w)) return fault(fmt::format("stands in line {}, too", m.line));
    out_.push_back({*from, *to, *w, *v, line_});
  }

  static bool find_same(const Measured& m, std::size_t from, std::size_t to, What w) {
    return m.what == w && ((m.from == from && m.to == to) || (w == What::both_ways && m.from == to && m.to == from));
  }

  std::shared_ptr<const std::string> file_;
  const Plan& plan_;
  int line_ = 1;
  bool has_names_ = false;
  bool is_usable_ = false;
  std::size_t count_ = 0;
  std::array<std::optional<std::size_t>, 4> places_;
  std::vector<config::Message> faults_;
  std::vector<Measured> out_;
};

}  // namespace

MeasuredFile read_measured(const std::string& file, std::string_view text, const Plan& plan) {
  if (is_tool_text(text)) return read_tool_text(file, text, plan);
  return {Reader(file, plan).read(text), {}};
}

}  // namespace tsunagi::box
