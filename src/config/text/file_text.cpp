// SPDX-License-Identifier: Apache-2.0
#include "config/text/file_text.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

namespace tsunagi::config::detail {

namespace {

constexpr auto patience = std::chrono::seconds(1);
constexpr auto between_looks = std::chrono::milliseconds(10);
constexpr int look_for_signals_ms = 50;

std::string too_large(std::size_t largest) { return "is larger than " + std::to_string(largest >> 20u) + " MiB"; }

class OpenFile {
 public:
  /// Without O_NONBLOCK to open a FIFO is to wait for its writer.
  explicit OpenFile(const std::filesystem::path& file, int flags = 0)
      : fd_(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags)) {}
  ~OpenFile() {
    if (fd_ >= 0) ::close(fd_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

/// What cannot be read as a config; empty if it can.
std::string refusal(int fd) {
  struct stat what {};
  if (::fstat(fd, &what) != 0) return std::strerror(errno);
  if (S_ISDIR(what.st_mode)) return "is a directory";
  const bool readable = S_ISREG(what.st_mode) || S_ISFIFO(what.st_mode) || ::isatty(fd) == 1;
  return readable ? "" : "is a device";
}

/// What is no result that somebody kept; empty if it may be one.
std::string refusal_of_own(int fd) {
  struct stat what {};
  if (::fstat(fd, &what) != 0) return std::strerror(errno);
  if (S_ISDIR(what.st_mode)) return std::strerror(EISDIR);
  if (!S_ISREG(what.st_mode)) return "is no regular file";
  return what.st_size > static_cast<off_t>(largest_own_file) ? too_large(largest_own_file) : "";
}

/// Whether a signal waits that ends programs, for somebody who has blocked it to look at it later.
bool interrupted() {
  sigset_t pending;
  ::sigpending(&pending);
  return ::sigismember(&pending, SIGINT) == 1 || ::sigismember(&pending, SIGTERM) == 1 ||
         ::sigismember(&pending, SIGHUP) == 1;
}

/// Reads what comes until the end. Returns why that fails, or "".
class FileReader {
 public:
  FileReader(int fd, std::size_t largest) : fd_(fd), largest_(largest) {}

  std::string all(std::string& text) {
    const auto begin = std::chrono::steady_clock::now();
    for (bool written = false;;) {
      const ssize_t n = ::read(fd_, part_.data(), part_.size());
      if (n > 0) {
        text.append(part_.data(), static_cast<std::size_t>(n));
        written = true;
        if (text.size() > largest_) return too_large(largest_);
      } else if (n == 0) {
        if (written || ended()) return {};
        if (std::chrono::steady_clock::now() - begin > patience) return "is a FIFO that nobody writes to";
        std::this_thread::sleep_for(between_looks);
      } else if (errno == EAGAIN) {
        if (!waits()) return "has nothing to read for now, as no file has";
        written = true;  // somebody has it open
        pollfd polled{fd_, POLLIN, 0};
        ::poll(&polled, 1, look_for_signals_ms);
      } else if (errno != EINTR) {
        return std::strerror(errno);
      }
      if (interrupted()) return "interrupted";
    }
  }

 private:
  /// Whether "nothing was read" means the end: of a FIFO that nobody has opened for writing yet it does not.
  bool ended() const {
    struct stat what {};
    if (::fstat(fd_, &what) != 0 || !S_ISFIFO(what.st_mode)) return true;
    pollfd polled{fd_, POLLIN, 0};
    return ::poll(&polled, 1, 0) > 0 && (polled.revents & POLLHUP) != 0;
  }
  /// Whether it is of a kind to wait for. The system's log says that it is a file, and is none.
  bool waits() const {
    struct stat what {};
    return ::fstat(fd_, &what) == 0 && !S_ISREG(what.st_mode);
  }

  int fd_;
  std::size_t largest_;
  std::array<char, 1 << 13> part_{};
};

}  // namespace

std::optional<std::string> read_text(const std::filesystem::path& file, std::string& why) {
  const OpenFile opened(file);
  why = opened.fd() < 0 ? std::strerror(errno) : refusal(opened.fd());
  std::string text;
  if (why.empty()) why = FileReader(opened.fd(), largest_file).all(text);
  if (!why.empty()) return std::nullopt;
  return text;
}

std::optional<std::string> read_own_text(const std::filesystem::path& file, std::string& why) {
  const OpenFile opened(file, O_NOFOLLOW);
  const bool is_link = opened.fd() < 0 && errno == ELOOP;
  why = is_link ? "is a symbolic link" : opened.fd() < 0 ? std::strerror(errno) : refusal_of_own(opened.fd());
  std::string text;
  if (why.empty()) why = FileReader(opened.fd(), largest_own_file).all(text);
  if (!why.empty()) return std::nullopt;
  return text;
}

}  // namespace tsunagi::config::detail
