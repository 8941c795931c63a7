// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "units/bytes.hpp"
#include "units/time.hpp"

namespace tsunagi::trace {

/// The file that a trace goes to, as it grows: buffered, and with a limit of size, at which a trace stops being
/// recorded but stays valid. Every function throws std::runtime_error, with the system's reason, when the file cannot
/// be written.
class Output {
 public:
  static constexpr Bytes default_limit = 1_GiB;

  /// Creates or empties `path`. `limit` > 0.
  explicit Output(std::string path, Bytes limit = default_limit);
  /// Takes over a descriptor that is open for writing: standard output.
  explicit Output(int descriptor, Bytes limit = default_limit);
  /// Writes to a stream that outlives this.
  explicit Output(std::ostream& stream, Bytes limit = default_limit);
  /// Closes the file; errors are lost (`close` tells them).
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// Writes `record`, which tells of simulated time `when`, as a whole, or nothing of it and of all later ones when it
  /// would exceed the limit. Returns whether it was written.
  bool add(std::string_view record, Time when);
  /// Writes what makes the file valid: a header, an end. Not limited.
  void add_frame(std::string_view text);
  /// Hands over to the system what was written so far.
  void flush();
  /// All is written: flushes and closes. Does nothing the second time.
  void close();
  /// Closes and removes the file, if it is a regular one: nothing in it is of use. Never throws.
  void discard();

  Bytes written() const { return written_; }
  /// Whether a record was left out.
  bool full() const { return full_; }
  /// What to tell the user when it is full: where the trace ends and how to get the rest.
  std::string full_message() const;

 private:
  [[noreturn]] void fail(int error) const;

  std::string name_;
  bool is_named_ = true;  // a file that we opened
  Bytes limit_;
  int descriptor_ = -1;             // either this
  std::ostream* stream_ = nullptr;  // or that
  std::string buffer_;
  Bytes written_;
  bool full_ = false;
  Time full_since_;
};

}  // namespace tsunagi::trace
