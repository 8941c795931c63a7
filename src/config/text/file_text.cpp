// SPDX-License-Identifier: Apache-2.0
#include "config/text/file_text.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

namespace tsunagi::config::detail {

namespace {

constexpr auto patience = std::chrono::seconds(1);
constexpr auto between_looks = std::chrono::milliseconds(10);

class OpenFile {
 public:
  /// Without O_NONBLOCK to open a FIFO is to wait for its writer.
  explicit OpenFile(const std::filesystem::path& file) : fd_(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
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

/// Reads what comes until the end. Returns why that fails, or "".
class FileReader {
 public:
  explicit FileReader(int fd) : fd_(fd) {}

  std::string all(std::string& text) {
    const auto begin = std::chrono::steady_clock::now();
    for (bool written = false;;) {
      const ssize_t n = ::read(fd_, part_.data(), part_.size());
      if (n > 0) {
        text.append(part_.data(), static_cast<std::size_t>(n));
        written = true;
        if (text.size() > largest_file) return "is larger than 64 MiB";
      } else if (n == 0) {
        if (written || ended()) return {};
        if (std::chrono::steady_clock::now() - begin > patience) return "is a FIFO that nobody writes to";
        std::this_thread::sleep_for(between_looks);
      } else if (errno == EAGAIN) {
        written = true;  // somebody has it open
        wait();
      } else if (errno != EINTR) {
        return std::strerror(errno);
      }
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
  void wait() const {
    pollfd polled{fd_, POLLIN, 0};
    ::poll(&polled, 1, -1);
  }

  int fd_;
  std::array<char, 1 << 13> part_{};
};

}  // namespace

std::optional<std::string> read_text(const std::filesystem::path& file, std::string& why) {
  const OpenFile opened(file);
  if (opened.fd() < 0) {
    why = std::strerror(errno);
    return std::nullopt;
  }
  std::string text;
  why = refusal(opened.fd());
  if (why.empty()) why = FileReader(opened.fd()).all(text);
  if (!why.empty()) return std::nullopt;
  return text;
}

}  // namespace tsunagi::config::detail
