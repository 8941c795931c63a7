// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/mend.hpp"
#include "trace/output.hpp"
#include "units/time.hpp"

namespace tsunagi::trace {

/// `text` as JSON writes it, in quotes.
std::string quoted(std::string_view text);
/// Exact decimal: "12.000000001", "0.5", "3". `t` >= 0.
std::string microseconds(Time t);

/// Text that grows: an event is written a million times a second.
using Text = fmt::memory_buffer;
void append(Text& to, std::string_view text);
void append_number(Text& to, std::int64_t number);
void append_microseconds(Text& to, Time t);
void append_quoted(Text& to, std::string_view text);

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
  /// Of an asynchronous span: "ITEM.NUMBER", which is unique.
  struct Id {
    std::uint64_t item = 0;
    std::uint64_t number = 0;
  };

  ChromeFile(Output& output, const std::string& version) : output_(output) { begin(version); }

  /// Tells the viewer what a process is called, before its first event. Processes stand in order of `sort_index`.
  void name_process(int process, std::string_view name, int sort_index, Time when);
  void name_track(Track track, std::string_view name, Time when);

  void span(Track track, std::string_view name, Time begin, Time end, std::string_view args);
  /// A span that overlaps others.
  void async_span(int process, std::string_view category, Id id, std::string_view name, Time begin, Time end,
                  std::string_view args);
  /// Values that hold from `when` on: args are numbers.
  void counter(int process, std::string_view name, Time when, std::string_view args);
  void finish();

 private:
  void begin(const std::string& version);
  /// Whether a process, or a track of it, is named for the first time; 0: the process itself.
  bool is_new(int process, int track);
  /// Begins an event in `event_`, which `add` writes.
  void start();
  void add(Time when);

  Output& output_;
  std::vector<std::vector<bool>> named_;  // by process and track
  Text event_;
  Text common_;  // of both ends of an asynchronous span
  bool first_ = true;
};

}  // namespace tsunagi::trace
