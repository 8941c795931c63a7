// SPDX-License-Identifier: Apache-2.0
#include "compare/stages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "compare/table.hpp"
#include "report/formats/table_layout.hpp"
#include "units/parse.hpp"

namespace tsunagi::compare {
namespace {

using Json = nlohmann::ordered_json;

/// Sums times of two explanations by device and stage.
class Sums {
 public:
  void add(const std::string& device, const std::string& stage, std::int64_t fs, bool is_b, std::int64_t times = 1) {
    const auto [its, is_new] = index_.emplace(std::pair(device, stage), stages_.size());
    if (is_new) stages_.push_back({device, stage});
    StageTimes& sum = stages_[its->second];
    (is_b ? sum.b : sum.a) += fs;
    (is_b ? sum.times_b : sum.times_a) += times;
  }
  std::vector<StageTimes> take() {
    stages_.erase(
        std::remove_if(stages_.begin(), stages_.end(), [](const StageTimes& s) { return s.a == 0 && s.b == 0; }),
        stages_.end());
    return std::move(stages_);
  }

 private:
  std::map<std::pair<std::string, std::string>, std::size_t> index_;
  std::vector<StageTimes> stages_;
};

std::int64_t fs(const Json& in, const char* key) { return in.at(key).get<std::int64_t>(); }

std::string size_text(const Json& in) { return human("size_bytes", Value(fs(in, "size_bytes"))); }

std::string message_text(const Json& in) {
  const auto method = in.at("method").get<std::string>();
  return fmt::format("{} from rank {} to rank {}{}", size_text(in), fs(in, "from"), fs(in, "to"),
                     method.empty() ? "" : " by " + method);
}

/// What a is, and b where it is not alike.
std::string both(const std::string& a, const std::string& b) { return a == b ? a : fmt::format("{}; in B {}", a, b); }

/// "router" of "router12", "node.rc" of "node3.rc".
std::string kind_of_device(const std::string& name) {
  const std::size_t dot = std::min(name.find('.'), name.size());
  const std::size_t end = name.find_last_not_of("0123456789", dot - 1) + 1;
  return name.substr(0, end) + name.substr(dot);
}

/// The same of a wire, without its ports: "router > router" of "router0.d0+ > router1.d0-".
std::string kind_of(const std::string& name) {
  const std::size_t arrow = name.find(" > ");
  if (arrow == std::string::npos) return kind_of_device(name);
  const auto end = [](const std::string& port) { return kind_of_device(port.substr(0, port.rfind('.'))); };
  return end(name.substr(0, arrow)) + " > " + end(name.substr(arrow + 3));
}

std::set<std::string> devices_of(const Json& in, bool kinds) {
  std::set<std::string> out;
  for (const Json& s : in.at("segments")) {
    const auto device = s.at("device").get<std::string>();
    out.insert(kinds ? kind_of(device) : device);
  }
  return out;
}

std::int64_t hops_of(const Json& in) {
  std::set<std::string> wires;
  for (const Json& s : in.at("segments"))
    if (const auto device = s.at("device").get<std::string>(); device.find(" > ") != std::string::npos)
      wires.insert(device);
  return static_cast<std::int64_t>(wires.size());
}

StageDifference of_message(const Json& a, const Json& b) {
  const bool by_kind = hops_of(a) != hops_of(b) ||
                       (devices_of(a, false) != devices_of(b, false) && devices_of(a, true) == devices_of(b, true));
  Sums sums;
  for (const Json* in : {&a, &b})
    for (const Json& s : in->at("segments")) {
      const auto device = s.at("device").get<std::string>();
      sums.add(by_kind ? kind_of(device) : device, s.at("stage").get<std::string>(), fs(s, "duration_fs"), in == &b);
    }
  StageDifference out{both(message_text(a), message_text(b)), fs(a, "latency_fs"), fs(b, "latency_fs"), sums.take()};
  if (!by_kind) return out;
  out.hops_a = hops_of(a);
  out.hops_b = hops_of(b);
  return out;
}

/// The stages of all messages on two paths through ranks.
StageDifference of_stages(const Json& a, const Json& b) {
  Sums sums;
  StageDifference out{"the stages of the messages on it", 0, 0, {}};
  for (const Json* in : {&a, &b})
    for (const Json& s : in->at("stages")) {
      sums.add("", s.at("stage").get<std::string>(), fs(s, "duration_fs"), in == &b, fs(s, "times"));
      (in == &b ? out.b : out.a) += fs(s, "duration_fs");
    }
  out.stages = sums.take();
  return out;
}

bool is_same_message(const Json& a, const Json& b) { return message_text(a) == message_text(b); }

/// Whether stages are told by kind: each stands for several.
bool by_kind(const StageDifference& d) {
  return d.hops_a > 0 || (!d.stages.empty() && d.stages.front().device.empty());
}

/// "9 -> 3 times" of what the two pass several times.
std::string times_text(const StageTimes& s) {
  if (s.times_a == s.times_b) return s.times_a > 1 ? fmt::format(", {} times", s.times_a) : "";
  return fmt::format(", {} -> {} times", s.times_a, s.times_b);
}

/// "6 fewer hops of 8.000 ns", if that is what makes the difference.
std::string hops_text(const StageDifference& d) {
  const std::int64_t more = d.hops_b - d.hops_a;
  if (more == 0) return "";
  const std::int64_t each = (d.b - d.a) / more;
  const std::string many =
      fmt::format("{} {} hop{}", std::abs(more), more > 0 ? "more" : "fewer", std::abs(more) == 1 ? "" : "s");
  return (each > 0 ? many + " of " + to_string(Time::from_fs(each)) : many) +
         fmt::format(" ({} -> {} wires)\n", d.hops_a, d.hops_b);
}

StageDifference of_ranks(const Json& a, const Json& b) {
  Sums sums;
  for (const Json* in : {&a, &b})
    for (const Json& leg : in->at("critical_path")) {
      const auto kind = leg.at("kind").get<std::string>();
      std::int64_t rest = fs(leg, "duration_fs");
      for (const auto& [part, time] : leg.at("parts_fs").items()) {
        sums.add(kind, part, time.get<std::int64_t>(), in == &b);
        rest -= time.get<std::int64_t>();
      }
      sums.add(kind, "", rest, in == &b);
    }
  const auto what = [](const Json& in) {
    const auto algorithm = in.at("algorithm").get<std::string>();
    return fmt::format("{}{} of {} ranks", in.at("name").get<std::string>(),
                       algorithm.empty() ? "" : " by " + algorithm, fs(in, "ranks"));
  };
  return {both(what(a), what(b)), fs(a, "duration_fs"), fs(b, "duration_fs"), sums.take()};
}

/// Times of one table in one unit, so that they can be compared by eye.
class TimeText {
 public:
  explicit TimeText(std::int64_t longest)
      : unit_(longest < 1'000'000           ? "fs"
              : longest < 1'000'000'000'000 ? "ns"
                                            : "us"),
        fs_(longest < 1'000'000           ? 1
            : longest < 1'000'000'000'000 ? 1e6
                                          : 1e9) {}
  std::string operator()(std::int64_t fs, const char* sign = "") const {
    const double value = static_cast<double>(fs) / fs_;
    return fmt::format("{}{:.{}f} {}", fs > 0 ? sign : "", value, fs_ == 1 ? 0 : 3, unit_);
  }

 private:
  const char* unit_;
  double fs_;
};

}  // namespace

std::vector<StageDifference> stage_differences(const Json& a, const Json& b) {
  std::vector<StageDifference> out;
  const auto have = [&](const char* key) { return a.contains(key) && b.contains(key); };
  if (have("segments")) out.push_back(of_message(a, b));
  if (have("critical_path")) out.push_back(of_ranks(a, b));
  if (have("stages")) out.push_back(of_stages(a, b));
  if (have("longest_message") && is_same_message(a["longest_message"], b["longest_message"])) {
    out.push_back(of_message(a["longest_message"], b["longest_message"]));
    out.back().what = "the longest message on it, " + out.back().what;
  }
  return out;
}

bool StageDifference::moved() const {
  return std::any_of(stages.begin(), stages.end(), [](const StageTimes& s) { return s.a != s.b; });
}

std::string text(const StageDifference& d) {
  using report::Align;
  report::TextTable table;
  table.column("", Align::left);
  for (const char* side : {"A", "B", "difference"}) table.column(side, Align::right);
  std::vector<StageTimes> moved;
  StageTimes rest;
  std::size_t same = 0;
  for (const StageTimes& s : d.stages) {
    if (s.a != s.b) {
      moved.push_back(s);
      continue;
    }
    ++same;
    rest.a += s.a;
    rest.b += s.b;
  }
  std::stable_sort(moved.begin(), moved.end(),
                   [](const StageTimes& x, const StageTimes& y) { return std::abs(x.b - x.a) > std::abs(y.b - y.a); });
  const TimeText time(std::max(d.a, d.b));
  const auto line = [&](const std::string& name, std::int64_t a, std::int64_t b) {
    table.row({name, a == 0 ? "-" : time(a), b == 0 ? "-" : time(b), a == b ? "0" : time(b - a, "+")});
  };
  for (const StageTimes& s : moved) {
    const char* between = s.device.empty() || s.stage.empty() ? "" : ": ";
    line(s.device + between + s.stage + (by_kind(d) ? times_text(s) : ""), s.a, s.b);
  }
  if (same > 0) line(fmt::format("{} other stage{}", same, same == 1 ? "" : "s"), rest.a, rest.b);
  line("in all", d.a, d.b);
  return d.what + ":\n" + table.text() + hops_text(d);
}

Json to_json(const StageDifference& d) {
  Json out{{"of", d.what}, {"a_fs", d.a}, {"b_fs", d.b}, {"difference_fs", d.b - d.a}};
  Json& stages = out["stages"] = Json::array();
  for (const StageTimes& s : d.stages)
    stages.push_back({{"device", s.device},
                      {"stage", s.stage},
                      {"a_fs", s.a},
                      {"b_fs", s.b},
                      {"difference_fs", s.b - s.a},
                      {"a_times", s.times_a},
                      {"b_times", s.times_b}});
  return out;
}

}  // namespace tsunagi::compare
