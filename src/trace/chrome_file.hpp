// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "trace/mend.hpp"
#include "trace/output.hpp"
#include "units/time.hpp"

namespace tsunagi::trace {

/// `text` as JSON writes it, in quotes.
std::string quoted(std::string_view text);
/// Exact decimal: "12.000000001", "0.5", "3". `t` >= 0.
std::string microseconds(Time t);

/// How a file of these becomes valid that was not written to its end.
extern const Mending chrome_mending;

/// The events of Chrome's Trace Event Format, as text. `args` are the members of a JSON object, without its braces.
class ChromeFile {
 public:
  /// A row of spans, which may only nest, in a group that viewers call a process. Numbers > 0.
  struct Track {
    int process = 0;
    int number = 0;
  };

  ChromeFile(Output& output, const std::string& version) : output_(output) { begin(version); }

  /// Tells the viewer what a process is called, before its first event. Processes stand in order of `sort_index`.
  void name_process(int process, std::string_view name, int sort_index, Time when);
  void name_track(Track track, std::string_view name, Time when);

  void span(Track track, std::string_view name, Time begin, Time end, std::string_view args);
  /// A span that overlaps others; `id` is unique.
  void async_span(int process, std::string_view category, std::string_view id, std::string_view name, Time begin,
                  Time end, std::string_view args);
  /// Values that hold from `when` on: args are numbers.
  void counter(int process, std::string_view name, Time when, std::string_view args);
  void finish();

 private:
  void begin(const std::string& version);
  void add(std::string_view event, Time when);

  Output& output_;
  std::set<std::pair<int, int>> named_;  // process and track; 0: the process itself
  bool first_ = true;
};

}  // namespace tsunagi::trace
