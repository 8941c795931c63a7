// SPDX-License-Identifier: Apache-2.0
#include "experiment/explanation.hpp"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "experiment/simulate.hpp"
#include "explain/account.hpp"
#include "explain/critical_path.hpp"
#include "explain/message.hpp"
#include "explain/path.hpp"
#include "explain/rank_timeline.hpp"
#include "explain/ranks.hpp"
#include "explain/text.hpp"
#include "explain/waterfall.hpp"

namespace tsunagi::experiment {
namespace {

/// Keeps what happens, and explains it in the end, while the machine still stands.
class Recording final : public Observer {
 public:
  Recording(int links, bool json) : links_(links), json_(json) {}
  void begin(const Machine& machine, const comm::Library& library) override {
    history_ = std::make_unique<explain::History>(machine.channels());
    for (int rank = 0; rank < library.ranks(); ++rank) places_.push_back(library.place(rank));
  }
  net::Listener& stages() override { return *history_; }
  comm::Listener& calls() override { return *history_; }
  void end(Time t) override {
    const std::optional<explain::CriticalPath> path = explain::critical_path(*history_, where_);
    if (path) took_ = {"time", "iterations", path->took()};
    report_ = path ? of_ranks(*path) : history_->calls().empty() ? of_run(t) : of_message();
  }
  /// The explanation; where the last row says another time of it, it says so, too.
  std::string report(const report::Rows& rows) const {
    const report::Cell* cell =
        took_.column == nullptr || rows.rows.empty() ? nullptr : rows.rows.back().find(took_.column);
    const auto* time = cell == nullptr ? nullptr : std::get_if<Time>(cell);
    if (json_ || time == nullptr || *time == took_.time) return report_;
    const std::size_t line = report_.find('\n') + 1;
    return report_.substr(0, line) +
           fmt::format("(The row's {} is {}, the mean of its {}; this is the last one.)\n", took_.column,
                       explain::short_text(*time), took_.all) +
           report_.substr(line);
  }

 private:
  /// What the ranks did together: the way through them, and the longest message on it.
  std::string of_ranks(const explain::CriticalPath& path) const {
    const auto longest = explain::longest_message(*history_, path, where_);
    const auto accounts = explain::busiest(*history_, path.begin, path.end, static_cast<std::size_t>(links_));
    if (!json_)
      return explain::to_text(path) +
             (longest ? "\nThe longest message on the path:\n" + explain::waterfall(longest->first, longest->second)
                      : "") +
             (accounts.empty() ? "" : "\n") + explain::account_table(*history_, accounts);
    nlohmann::ordered_json out = explain::to_json(path);
    const explain::RankTimeline ranks = explain::rank_timeline(*history_, path.begin, path.end, path.ranks);
    out["rank_timeline"] = explain::to_json(ranks, path.begin);
    out["ranks_left_out"] = ranks.left_out;
    if (longest) out["longest_message"] = explain::to_json(longest->first, longest->second);
    out["wires"] = to_json(accounts);
    return out.dump(2) + "\n";
  }

  std::string of_message() {
    const explain::Message message = explain::last_message(*history_, where_);
    took_ = {"latency", "messages", message.latency()};
    const explain::Path path = explain::walk(*history_, message.last_item, message.send.begin, message.receive.end);
    const auto views = explain::views(*history_, message, where_);
    const auto accounts =
        explain::busiest(*history_, message.send.begin, message.receive.end, static_cast<std::size_t>(links_));
    if (!json_)
      return explain::waterfall(message, path) + "\n" + explain::side_by_side(views, message) +
             (accounts.empty() ? "" : "\n") + explain::account_table(*history_, accounts);
    nlohmann::ordered_json out = explain::to_json(message, path);
    out["ranks"] = nlohmann::ordered_json::array();
    for (const explain::RankView& v : views) out["ranks"].push_back(explain::to_json(v, message));
    out["wires"] = to_json(accounts);
    return out.dump(2) + "\n";
  }

  /// Where no rank sends and receives in turn there are only wires to explain.
  std::string of_run(Time end) const {
    const Time from = history_->complete_since();
    const auto accounts = explain::busiest(*history_, from, end, static_cast<std::size_t>(links_));
    if (json_) return nlohmann::ordered_json{{"wires", to_json(accounts)}}.dump(2) + "\n";
    return fmt::format(
               "The ranks of this scenario post messages and never wait for one; what the wires did from {} to {}:\n",
               explain::short_text(from), explain::short_text(end)) +
           explain::account_table(*history_, accounts);
  }

  nlohmann::ordered_json to_json(const std::vector<explain::Account>& accounts) const {
    nlohmann::ordered_json out = nlohmann::ordered_json::array();
    for (const explain::Account& a : accounts) out.push_back(explain::to_json(*history_, a));
    return out;
  }

  /// What is explained, as rows call it.
  struct Took {
    const char* column = nullptr;
    const char* all = nullptr;  // what a row's is the mean of
    Time time;
  };

  int links_;
  bool json_;
  Took took_;
  std::unique_ptr<explain::History> history_;
  std::vector<std::string> places_;
  explain::Where where_ = [this](int rank) { return places_.at(static_cast<std::size_t>(rank)); };
  std::string report_;
};

}  // namespace

runner::Simulate explaining(int links, bool json) {
  return [links, json](const RunConfig& run, const std::string& findings, report::Recorder& recorder) {
    Recording recording(links, json);
    runner::Counts counts = simulate(run, findings, recorder, &recording);
    counts.report = recording.report(recorder.rows());
    return counts;
  };
}

}  // namespace tsunagi::experiment
