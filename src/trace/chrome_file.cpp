// SPDX-License-Identifier: Apache-2.0
#include "trace/chrome_file.hpp"

#include <fmt/format.h>

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

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<int>(c));
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out += '"';
}

std::string microseconds(Time t) {
  constexpr std::int64_t fs_in_us = 1'000'000'000;
  std::string text = fmt::format("{}.{:09}", t.fs() / fs_in_us, t.fs() % fs_in_us);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

void ChromeFile::begin(const std::string& version) {
  // quoted() begins with a quotation mark, which first_words has.
  output_.add_frame(fmt::format("{}{}}},{}", first_words, quoted(version).substr(1), first_bracket));
}

void ChromeFile::name_process(int process, std::string_view name, int sort_index, Time when) {
  if (!named_.insert({process, 0}).second) return;
  add(fmt::format(R"({{"ph":"M","pid":{0},"name":"process_name","args":{{"name":{1}}}}},
{{"ph":"M","pid":{0},"name":"process_sort_index","args":{{"sort_index":{2}}}}})",
                  process, quoted(name), sort_index),
      when);
}

void ChromeFile::name_track(Track track, std::string_view name, Time when) {
  if (!named_.insert({track.process, track.number}).second) return;
  add(fmt::format(R"({{"ph":"M","pid":{0},"tid":{1},"name":"thread_name","args":{{"name":{2}}}}},
{{"ph":"M","pid":{0},"tid":{1},"name":"thread_sort_index","args":{{"sort_index":{1}}}}})",
                  track.process, track.number, quoted(name)),
      when);
}

void ChromeFile::span(Track track, std::string_view name, Time begin, Time end, std::string_view args) {
  add(fmt::format(R"({{"ph":"X","pid":{},"tid":{},"name":{},"ts":{},"dur":{},"args":{{{}}}}})", track.process,
                  track.number, quoted(name), microseconds(begin), microseconds(end - begin), args),
      begin);
}

void ChromeFile::async_span(int process, std::string_view category, std::string_view id, std::string_view name,
                            Time begin, Time end, std::string_view args) {
  const std::string common = fmt::format(R"("pid":{},"tid":1,"cat":{},"id":{},"name":{})", process, quoted(category),
                                         quoted(id), quoted(name));
  add(fmt::format(R"({{"ph":"b",{0},"ts":{1},"args":{{{2}}}}},
{{"ph":"e",{0},"ts":{3}}})",
                  common, microseconds(begin), args, microseconds(end)),
      begin);
}

void ChromeFile::counter(int process, std::string_view name, Time when, std::string_view args) {
  add(fmt::format(R"({{"ph":"C","pid":{},"name":{},"ts":{},"args":{{{}}}}})", process, quoted(name), microseconds(when),
                  args),
      when);
}

void ChromeFile::finish() { output_.add_frame(last_words); }

void ChromeFile::add(std::string_view event, Time when) {
  output_.add(fmt::format("{}{}", first_ ? "\n" : between, event), when);
  first_ = false;
}

}  // namespace tsunagi::trace
