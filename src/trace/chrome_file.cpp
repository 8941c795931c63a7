// SPDX-License-Identifier: Apache-2.0
#include "trace/chrome_file.hpp"

#include <fmt/format.h>

#include <iterator>

namespace tsunagi::trace {
namespace {

constexpr std::string_view first_words = R"({"displayTimeUnit":"ns","otherData":{"version":"tsunagi )";
constexpr std::string_view first_bracket = R"("traceEvents":[)";
constexpr std::string_view last_words = "\n]}\n";
constexpr std::string_view between = ",\n";  // events

std::optional<Ending> ending_of_chrome(std::string_view tail) {
  if (tail.size() >= last_words.size() && tail.substr(tail.size() - last_words.size()) == last_words)
    return Ending{tail.size(), ""};
  std::size_t keep = tail.rfind(between);
  if (keep == std::string_view::npos) {
    const std::size_t bracket = tail.find(first_bracket);
    if (bracket == std::string_view::npos) return std::nullopt;
    keep = bracket + first_bracket.size();
  }
  return Ending{keep, std::string(last_words)};
}

}  // namespace

const Mending chrome_mending{first_words, ending_of_chrome};

void append(Text& to, std::string_view text) { to.append(text.data(), text.data() + text.size()); }

void append_number(Text& to, std::int64_t number) {
  const fmt::format_int digits(number);
  to.append(digits.data(), digits.data() + digits.size());
}

void append_microseconds(Text& to, Time t) {
  constexpr std::int64_t fs_in_us = 1'000'000'000;
  append_number(to, t.fs() / fs_in_us);
  std::int64_t rest = t.fs() % fs_in_us;
  if (rest == 0) return;
  char digits[10] = {'.', '0', '0', '0', '0', '0', '0', '0', '0', '0'};
  int last = 9;
  for (; rest % 10 == 0; rest /= 10) --last;
  for (int place = last; rest != 0; rest /= 10) digits[place--] = static_cast<char>('0' + rest % 10);
  to.append(digits, digits + last + 1);
}

void append_quoted(Text& to, std::string_view text) {
  to.push_back('"');
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(to), "\\u{:04x}", static_cast<int>(c));
      continue;
    }
    if (c == '"' || c == '\\') to.push_back('\\');
    to.push_back(c);
  }
  to.push_back('"');
}

std::string quoted(std::string_view text) {
  Text out;
  append_quoted(out, text);
  return fmt::to_string(out);
}

std::string microseconds(Time t) {
  Text out;
  append_microseconds(out, t);
  return fmt::to_string(out);
}

void ChromeFile::begin(const std::string& version) {
  // quoted() begins with a quotation mark, which first_words has.
  output_.add_frame(fmt::format("{}{}}},{}", first_words, quoted(version).substr(1), first_bracket));
}

void ChromeFile::name_process(int process, std::string_view name, int sort_index, Time when) {
  if (!is_new(process, 0)) return;
  start();
  fmt::format_to(std::back_inserter(event_),
                 R"({{"ph":"M","pid":{0},"name":"process_name","args":{{"name":{1}}}}},
{{"ph":"M","pid":{0},"name":"process_sort_index","args":{{"sort_index":{2}}}}})",
                 process, quoted(name), sort_index);
  add(when);
}

void ChromeFile::name_track(Track track, std::string_view name, Time when) {
  if (!is_new(track.process, track.number)) return;
  start();
  fmt::format_to(std::back_inserter(event_),
                 R"({{"ph":"M","pid":{0},"tid":{1},"name":"thread_name","args":{{"name":{2}}}}},
{{"ph":"M","pid":{0},"tid":{1},"name":"thread_sort_index","args":{{"sort_index":{1}}}}})",
                 track.process, track.number, quoted(name));
  add(when);
}

void ChromeFile::span(Track track, std::string_view name, Time begin, Time end, std::string_view args) {
  start();
  append(event_, R"({"ph":"X","pid":)");
  append_number(event_, track.process);
  append(event_, R"(,"tid":)");
  append_number(event_, track.number);
  append(event_, R"(,"name":)");
  append_quoted(event_, name);
  append(event_, R"(,"ts":)");
  append_microseconds(event_, begin);
  append(event_, R"(,"dur":)");
  append_microseconds(event_, end - begin);
  append(event_, R"(,"args":{)");
  append(event_, args);
  append(event_, "}}");
  add(begin);
}

void ChromeFile::async_span(int process, std::string_view category, Id id, std::string_view name, Time begin, Time end,
                            std::string_view args) {
  common_.clear();
  append(common_, R"("pid":)");
  append_number(common_, process);
  append(common_, R"(,"tid":1,"cat":)");
  append_quoted(common_, category);
  append(common_, R"(,"id":")");
  append_number(common_, static_cast<std::int64_t>(id.item));
  common_.push_back('.');
  append_number(common_, static_cast<std::int64_t>(id.number));
  append(common_, R"(","name":)");
  append_quoted(common_, name);
  append(common_, R"(,"ts":)");
  const std::string_view common(common_.data(), common_.size());
  start();
  append(event_, R"({"ph":"b",)");
  append(event_, common);
  append_microseconds(event_, begin);
  append(event_, R"(,"args":{)");
  append(event_, args);
  append(event_, "}},\n{\"ph\":\"e\",");
  append(event_, common);
  append_microseconds(event_, end);
  append(event_, "}");
  add(begin);
}

void ChromeFile::counter(int process, std::string_view name, Time when, std::string_view args) {
  start();
  append(event_, R"({"ph":"C","pid":)");
  append_number(event_, process);
  append(event_, R"(,"name":)");
  append_quoted(event_, name);
  append(event_, R"(,"ts":)");
  append_microseconds(event_, when);
  append(event_, R"(,"args":{)");
  append(event_, args);
  append(event_, "}}");
  add(when);
}

void ChromeFile::finish() { output_.add_frame(last_words); }

bool ChromeFile::is_new(int process, int track) {
  const auto p = static_cast<std::size_t>(process);
  const auto t = static_cast<std::size_t>(track);
  if (named_.size() <= p) named_.resize(p + 1);
  if (named_[p].size() <= t) named_[p].resize(t + 1);
  if (named_[p][t]) return false;
  named_[p][t] = true;
  return true;
}

void ChromeFile::start() {
  event_.clear();
  append(event_, first_ ? "\n" : between);
  first_ = false;
}

void ChromeFile::add(Time when) { output_.add({event_.data(), event_.size()}, when); }

}  // namespace tsunagi::trace
