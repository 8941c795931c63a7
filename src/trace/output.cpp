// SPDX-License-Identifier: Apache-2.0
#include "trace/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ostream>
#include <stdexcept>
#include <utility>

#include "report/whole_file.hpp"
#include "units/parse.hpp"

namespace tsunagi::trace {
namespace {

Bytes size_of(std::string_view text) { return Bytes(static_cast<std::int64_t>(text.size())); }

}  // namespace

Output::Output(std::string path, Bytes limit)
    : name_(std::move(path)),
      limit_(limit),
      descriptor_(::open(name_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) fail(errno);
}

Output::Output(int descriptor, Bytes limit)
    : name_("to standard output"), is_named_(false), limit_(limit), descriptor_(descriptor) {}

Output::Output(std::ostream& stream, Bytes limit)
    : name_("the trace"), is_named_(false), limit_(limit), stream_(&stream) {}

Output::~Output() {
  if (descriptor_ < 0) return;
  report::write_all(descriptor_, buffer_);
  ::close(descriptor_);
}

bool Output::add(std::string_view record, Time when) {
  if (full_) return false;
  if (written_ + size_of(record) > limit_) {
    full_ = true;
    full_since_ = when;
    return false;
  }
  add_frame(record);
  return true;
}

void Output::add_frame(std::string_view text) {
  if (descriptor_ >= 0) {
    constexpr std::size_t enough = 1 << 16;  // is lost when the process is killed
    buffer_ += text;
    if (buffer_.size() >= enough) flush();
  } else {
    if (!stream_->write(text.data(), static_cast<std::streamsize>(text.size()))) fail(EIO);
  }
  written_ += size_of(text);
}

void Output::flush() {
  if (descriptor_ < 0) return;
  const int error = report::write_all(descriptor_, buffer_);
  buffer_.clear();
  if (error != 0) fail(error);
}

void Output::close() {
  if (descriptor_ < 0) return;
  flush();
  if (::close(std::exchange(descriptor_, -1)) != 0) fail(errno);
}

void Output::discard() {
  struct stat what {};
  if (descriptor_ < 0 || ::fstat(descriptor_, &what) != 0) return;
  ::close(std::exchange(descriptor_, -1));
  if (is_named_ && S_ISREG(what.st_mode)) ::unlink(name_.c_str());
}

std::string Output::full_message() const {
  return fmt::format(
      "the trace reached its limit of {} at {}; choose a window (--from, --to), a name pattern (--match) or a higher "
      "--limit-size",
      to_string(limit_), to_string(full_since_));
}

void Output::fail(int error) const {
  throw std::runtime_error(fmt::format("cannot write {}: {}", name_, std::strerror(error)));
}

}  // namespace tsunagi::trace
