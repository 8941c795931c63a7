// SPDX-License-Identifier: Apache-2.0
#include "trace/output.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <ostream>
#include <stdexcept>
#include <utility>

#include "units/parse.hpp"

namespace tsunagi::trace {
namespace {

Bytes size_of(std::string_view text) { return Bytes(static_cast<std::int64_t>(text.size())); }

}  // namespace

Output::Output(std::string path, Bytes limit)
    : name_(std::move(path)), limit_(limit), file_(std::fopen(name_.c_str(), "wb")) {
  if (file_ == nullptr) fail(errno);
  constexpr std::size_t buffer = 1 << 20;
  std::setvbuf(file_, nullptr, _IOFBF, buffer);
}

Output::Output(std::ostream& stream, Bytes limit) : name_("the trace"), limit_(limit), stream_(&stream) {}

Output::~Output() {
  if (file_ != nullptr) std::fclose(file_);
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
  if (file_ != nullptr) {
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail(errno);
  } else {
    if (!stream_->write(text.data(), static_cast<std::streamsize>(text.size()))) fail(EIO);
  }
  written_ += size_of(text);
}

void Output::close() {
  if (file_ != nullptr && std::fclose(std::exchange(file_, nullptr)) != 0) fail(errno);
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
