// SPDX-License-Identifier: Apache-2.0
#include "report/whole_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <system_error>

namespace tsunagi::report {
namespace {

constexpr const char* part = ".part.";

/// The process that writes a half-written file; 0: it is none.
pid_t writer_of(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  const std::size_t at = name.rfind(part);
  return at == std::string::npos ? 0 : std::atoi(name.c_str() + at + std::string(part).size());
}

}  // namespace

int write_all(int fd, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    done += static_cast<std::size_t>(n);
  }
  return 0;
}

void write_whole_file(const std::filesystem::path& file, const std::string& text) {
  const std::string aside = file.string() + part + std::to_string(::getpid());
  const int fd = ::open(aside.c_str(), O_WRONLY | O_CLOEXEC | O_CREAT | O_TRUNC, 0666);
  int error = fd < 0 ? errno : write_all(fd, text);
  if (error == 0 && ::fsync(fd) != 0) error = errno;
  if (fd >= 0 && ::close(fd) != 0 && error == 0) error = errno;
  if (error == 0 && std::rename(aside.c_str(), file.c_str()) != 0) error = errno;
  if (error == 0) return;
  if (fd >= 0) ::unlink(aside.c_str());
  throw std::system_error(error, std::generic_category(), "cannot write " + file.string());
}

bool is_part(const std::filesystem::path& file) { return writer_of(file) > 0; }

bool is_leftover(const std::filesystem::path& file) {
  const pid_t writer = writer_of(file);
  return writer == ::getpid() || (writer > 0 && ::kill(writer, 0) != 0 && errno == ESRCH);
}

}  // namespace tsunagi::report
