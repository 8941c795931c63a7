// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>

#include "trace/mend.hpp"
#include "trace/output.hpp"
#include "units/time.hpp"

namespace tsunagi::trace {

/// How a file of these becomes valid that was not written to its end.
extern const Mending perfetto_mending;

/// The packets of a Perfetto trace (perfetto.dev: trace packets, track events; protobuf). Its unit of time is 1 ns:
/// times are rounded down. All packets are of one sequence, and names are interned: written once, numbers from then on.
/// What a span or a counter needs is written with it or not at all, so that a file which ends behind any packet is one.
class PerfettoFile {
 public:
  /// A row of spans, which may only nest; or of a counter's values; or a group of rows. 0: the group of all.
  using Track = std::uint64_t;
  /// Of a name.
  using Name = std::uint64_t;

  /// What is said of a span, by names that stand in every file.
  enum class Note : std::uint8_t {
    item = 1,
    parent,
    source,
    waited_fs,
    lacked,
    payload_bytes,
    header_bytes,
    framing_bytes,
    peer,
    bytes,
    method,
    algorithm,
    number,
    ranks,
    root,
  };
  struct Said {
    Note what;
    std::int64_t number = -1;
    Name text = 0;  // instead of the number, if it is not 0
  };
  static constexpr std::size_t most_notes = 5;
  using Notes = std::initializer_list<Said>;

  PerfettoFile(Output& output, const std::string& version);

  /// A group of tracks; a track of spans. They stand in order of `rank`, tracks with one name and parent together.
  Track add_track(Track parent, std::string_view name, int rank);
  Track add_counter(Track parent, std::string_view name, int rank);
  /// The number of a name, from its first use on.
  Name name(std::string_view text);
  /// The same of a text that stays what it is where it is.
  Name name_of_literal(const char* text);
  /// Of a text that is said of spans; 0: it is empty.
  Name text(std::string_view said);

  /// Told in order of time on each track. Notes whose number is below 0 and that have no text are left out;
  /// `most_notes` at most.
  void span(Track track, Name name, Time begin, Time end, Notes notes = {});
  void counter(Track track, Time when, std::int64_t value);
  /// Values of two counters at one time.
  void counters(Track track, std::int64_t value, Track other, std::int64_t other_value, Time when);

 private:
  using Numbers = std::unordered_map<std::string, Name>;

  void begin(const std::string& version);
  /// Appends a packet that is no event to what is to be written.
  void packet(std::uint32_t field, bool needs_names);
  Name interned(Numbers& known, std::uint32_t field, std::string_view text);
  /// Writes events of a time, and before them what they need.
  void write(std::string_view events, Time when);

  Output& output_;
  std::string record_;   // what is to be written with the next span or value
  std::string message_;  // being made
  Numbers names_;
  Numbers texts_;
  std::unordered_map<const char*, Name> literals_;
  Track tracks_ = 0;
};

}  // namespace tsunagi::trace
