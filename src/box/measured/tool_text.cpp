// SPDX-License-Identifier: Apache-2.0
#include "box/measured/tool_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <optional>

#include "box/matrix.hpp"
#include "box/measured/perftest_text.hpp"
#include "box/words.hpp"
#include "config/message.hpp"

namespace tsunagi::box {
namespace {

/// What a table's value is between.
enum class Meaning {
  none,
  to_gpu,       ///< from the host, of the column
  to_host,      ///< from the column
  to_gpu_half,  ///< that direction of both at once
  to_host_half,
  to_all,  ///< from the host, while all others have theirs
  from_all,
  writes,  ///< from the row to the column
  reads,   ///< from the column to the row
  both,    ///< the sum of both directions
  staged,  ///< from the row to the column, without peer access
};

struct Known {
  std::string_view name;
  Meaning meaning;
};

/// Tests of nvbandwidth, as it names them.
constexpr Known nvbandwidth_tests[] = {
    {"host_to_device_memcpy_ce", Meaning::to_gpu},
    {"device_to_host_memcpy_ce", Meaning::to_host},
    {"host_to_device_bidirectional_memcpy_ce", Meaning::to_gpu_half},
    {"device_to_host_bidirectional_memcpy_ce", Meaning::to_host_half},
    {"device_to_device_memcpy_read_ce", Meaning::reads},
    {"device_to_device_memcpy_write_ce", Meaning::writes},
    {"device_to_device_bidirectional_memcpy_write_ce", Meaning::both},
    {"host_to_all_memcpy_ce", Meaning::to_all},
    {"all_to_host_memcpy_ce", Meaning::from_all},
};

/// How titles of the samples' tables begin.
constexpr Known sample_titles[] = {
    {"Unidirectional P2P=Disabled Bandwidth", Meaning::staged},
    {"Unidirectional P2P=Enabled Bandwidth (P2P Reads)", Meaning::reads},
    {"Unidirectional P2P=Enabled Bandwidth", Meaning::writes},
    {"Bidirectional P2P=Disabled Bandwidth", Meaning::none},
    {"Bidirectional P2P=Enabled Bandwidth", Meaning::both},
    {"P2P=Disabled Latency", Meaning::none},
    {"P2P=Enabled Latency", Meaning::none},
};

/// Those of bandwidthTest, whose tables are lists of sizes.
constexpr Known list_titles[] = {
    {"Host to Device Bandwidth", Meaning::to_gpu},
    {"Device to Host Bandwidth", Meaning::to_host},
    {"Device to Device Bandwidth", Meaning::none},
};

constexpr std::string_view blanks = " \t\r";

bool begins_with(std::string_view text, std::string_view begin) { return text.substr(0, begin.size()) == begin; }

std::optional<std::size_t> index(std::string_view word) {
  std::size_t out = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), out);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return out;
}

bool is_nvbandwidth_title(std::string_view line) { return says(line, "(row)") && says(line, "(column)"); }

template <std::size_t n>
const Known* beginning(const Known (&titles)[n], std::string_view line) {
  const auto* known = std::find_if(titles, titles + n, [&](const Known& k) { return begins_with(line, k.name); });
  return known == titles + n ? nullptr : known;
}

const Known* title_of(std::string_view line) { return beginning(sample_titles, line); }
const Known* list_title_of(std::string_view line) { return beginning(list_titles, line); }

/// Bytes a second of one unit of a title: "... (GB/s)".
double unit_of(std::string_view title) {
  if (says(title, "(GB/s)")) return 1e9;
  if (says(title, "(MB/s)")) return 1e6;
  return 0;
}

class ToolReader {
 public:
  ToolReader(const std::string& file, std::string_view text, const Plan& plan)
      : file_(std::make_shared<const std::string>(file)), plan_(plan), perftest_(plan) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      lines_.push_back(trimmed(text.substr(at, end - at)));
      at = end + 1;
    }
    for (std::size_t i = 0; i < plan.server.places.size(); ++i)
      if (plan.server.places[i].kind == Place::Kind::gpu) gpus_.push_back(i);
  }

  MeasuredFile read() {
    std::string_view test;
    while (at_ < lines_.size() && faults_.empty()) {
      const std::string_view line = lines_[at_++];
      constexpr std::string_view running = "Running ";
      if (begins_with(line, running)) {
        test = line.substr(running.size());
        if (!test.empty() && test.back() == '.') test.remove_suffix(1);
      } else if (is_nvbandwidth_title(line)) {
        table(line, meaning_of(test, line), test.empty() ? line : test);
      } else if (const Known* sample = title_of(line)) {
        table(line, sample->meaning, line);
      } else if (const Known* list = list_title_of(line)) {
        sizes(list->meaning, line);
      } else {
        perftest_.line(line, this->line());
      }
    }
    perftest_.end();
    for (const Measured& m : perftest_.cells()) add(m.from, m.to, m.what, m.value, m.line);
    for (const PerftestText::Left& l : perftest_.left_out()) leave_out(l.line, l.name, l.why);
    if (faults_.empty() && out_.cells.empty()) {
      at_ = 1;
      fault("no table of it has a cell of the matrix: see tsunagi box --help");
    }
    if (!faults_.empty()) throw config::ConfigError(std::move(faults_));
    return std::move(out_);
  }

 private:
  int line() const { return static_cast<int>(at_); }  // the one that was read last
  void fault(const std::string& why) { faults_.push_back({{file_, line(), 1}, "", why}); }
  void leave_out(int where, std::string_view name, const std::string& why) {
    out_.left_out.push_back({{file_, where, 1}, "", fmt::format("\"{}\" is left out: {}", name, why)});
  }

  static Meaning meaning_of(std::string_view test, std::string_view title) {
    for (const auto& k : nvbandwidth_tests) {
      if (k.name != test) continue;
      // Both directions have a table each, and one of their sum.
      return k.meaning != Meaning::both || says(title, "Total") ? k.meaning : Meaning::none;
    }
    return Meaning::none;
  }

  /// A table: a line of the columns' numbers, which may begin with a word, then lines of a row's number and its values.
  void table(std::string_view title, Meaning meaning, std::string_view name) {
    const int where = line();
    const double unit = unit_of(title);
    if (at_ == lines_.size()) return fault("breaks off behind a table's title");
    std::vector<std::string_view> head = words_of(lines_[at_++]);
    if (!head.empty() && !index(head.front())) head.erase(head.begin());
    bool counts = !head.empty();
    for (std::size_t i = 0; i < head.size(); ++i) counts = counts && index(head[i]) == i;
    if (!counts) return fault("a line of columns' numbers, 0 1 2 and so on, is expected");
    if (head.size() > gpus_.size()) return fault(fmt::format("has {} GPUs, the machine {}", head.size(), gpus_.size()));
    const std::size_t before = out_.cells.size();
    const std::size_t halves = halves_.size();
    for (; at_ < lines_.size(); ++at_) {
      const std::vector<std::string_view> words = words_of(lines_[at_]);
      const auto row = words.empty() ? std::nullopt : index(words.front());
      if (!row || words.size() != head.size() + 1) break;
      for (std::size_t c = 0; c < head.size(); ++c)
        if (const auto value = number_of(words[c + 1]); value && *value > 0 && unit > 0)
          cell(meaning, *row, c, *value * unit, static_cast<int>(at_) + 1);
    }
    if (meaning == Meaning::none || unit == 0)
      leave_out(where, name, "the matrix has no such cells");
    else if (out_.cells.size() == before && halves_.size() == halves)
      leave_out(where, name, why_none(meaning));
  }

  /// A list of sizes and values; the largest size counts.
  void sizes(Meaning meaning, std::string_view name) {
    const int where = line();
    double unit = 0;
    double most = 0;
    std::optional<double> value;
    int at = 0;
    for (; at_ < lines_.size() && list_title_of(lines_[at_]) == nullptr; ++at_) {
      if (says(lines_[at_], "Transfer Size")) unit = unit_of(lines_[at_]);
      const auto words = words_of(lines_[at_]);
      if (words.size() != 2) continue;
      const auto size = number_of(words[0]);
      const auto rate = number_of(words[1]);
      if (!size || !rate || *size < most) continue;
      most = *size;
      value = *rate;
      at = static_cast<int>(at_) + 1;
    }
    if (meaning == Meaning::none) return leave_out(where, name, "the matrix has no such cells");
    if (!value || !(*value > 0) || unit == 0) return fault("breaks off behind a list's title");
    cell(meaning, 0, 0, *value * unit, at);
  }

  std::string why_none(Meaning m) const {
    if (m == Meaning::staged) return "these GPUs have peer access in the model";
    if (m == Meaning::reads || m == Meaning::both) return "these GPUs have no peer access in the model";
    return "no value of it is a cell's";
  }

  std::size_t memory_near(std::size_t gpu) const {
    const Place* m = plan_.server.memory_of(plan_.server.places[gpu]);
    return m == nullptr ? gpu : static_cast<std::size_t>(m - plan_.server.places.data());
  }

  void cell(Meaning meaning, std::size_t row, std::size_t column, double value, int where) {
    const std::size_t gpu = gpus_[column];
    const std::size_t memory = memory_near(gpu);
    switch (meaning) {
      case Meaning::none:
        return;
      case Meaning::to_gpu:
      case Meaning::to_host:
      case Meaning::to_gpu_half:
      case Meaning::to_host_half:
      case Meaning::to_all:
      case Meaning::from_all:
        if (row == 0 && memory != gpu) host_cell(meaning, memory, gpu, value, where);
        return;
      case Meaning::writes:
      case Meaning::reads:
      case Meaning::both:
      case Meaning::staged:
        if (row < gpus_.size() && row != column) gpu_cell(meaning, gpus_[row], gpu, value, where);
        return;
    }
  }

  void host_cell(Meaning meaning, std::size_t memory, std::size_t gpu, double value, int where) {
    const bool to_gpu = meaning == Meaning::to_gpu || meaning == Meaning::to_all;
    const std::size_t from = to_gpu ? memory : gpu;
    const std::size_t to = to_gpu ? gpu : memory;
    if (meaning == Meaning::to_gpu_half || meaning == Meaning::to_host_half) {
      const auto [half, is_first] = halves_.try_emplace(gpu, std::pair(meaning, value));
      if (!is_first && half->second.first != meaning)
        add(memory, gpu, What::both_ways, half->second.second + value, where);
    } else if (meaning == Meaning::to_gpu || meaning == Meaning::to_host) {
      add(from, to, What::one_way, value, where);
    } else {
      add(from, to, What::at_once, value, where);
    }
  }

  void gpu_cell(Meaning meaning, std::size_t row, std::size_t column, double value, int where) {
    if (meaning == Meaning::reads) return add(column, row, What::read, value, where);
    if (meaning == Meaning::both) return add(row, column, What::both_ways, value, where);
    const Cell* c = find(plan_, row, column, What::one_way);
    if (c != nullptr && (meaning == Meaning::writes || c->chunks)) add(row, column, What::one_way, value, where);
  }

  /// The first value of a cell counts.
  void add(std::size_t from, std::size_t to, What what, double value, int where) {
    const Cell* c = find(plan_, from, to, what);
    if (c == nullptr || !c->reading) return;
    for (const Measured& m : out_.cells)
      if (find(plan_, m.from, m.to, m.what) == c) return;
    out_.cells.push_back({from, to, what, value, where});
  }

  std::shared_ptr<const std::string> file_;
  const Plan& plan_;
  std::vector<std::string_view> lines_;
  std::size_t at_ = 0;
  std::vector<std::size_t> gpus_;                             // places
  std::map<std::size_t, std::pair<Meaning, double>> halves_;  // by GPU: one direction of two that are under way
  PerftestText perftest_;
  std::vector<config::Message> faults_;
  MeasuredFile out_;
};

}  // namespace

std::string_view trimmed(std::string_view line) {
  const auto begin = line.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(blanks) - begin + 1);
}

bool is_tool_text(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = trimmed(text.substr(at, end - at));
    at = end + 1;
    if (begins_with(line, "nvbandwidth Version") || begins_with(line, "[P2P (Peer-to-Peer) GPU Bandwidth") ||
        begins_with(line, "[CUDA Bandwidth Test]") || is_nvbandwidth_title(line) || title_of(line) != nullptr ||
        list_title_of(line) != nullptr || is_perftest_title(line))
      return true;
  }
  return false;
}

MeasuredFile read_tool_text(const std::string& file, std::string_view text, const Plan& plan) {
  return ToolReader(file, text, plan).read();
}

}  // namespace tsunagi::box
