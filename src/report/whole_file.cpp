// SPDX-License-Identifier: Apache-2.0
#include "report/whole_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <random>
#include <system_error>

namespace tsunagi::report {
namespace {

namespace fs = std::filesystem;

constexpr const char* part = ".part.";
constexpr std::size_t digits = 16;  // of the computer, and of the random number, in hexadecimal

std::string hexadecimal(std::uint64_t value) {
  std::array<char, digits + 1> out{};
  std::snprintf(out.data(), out.size(), "%016llx", static_cast<unsigned long long>(value));
  return out.data();
}

/// The computer as it was started and the namespace in which a process number means something; zeros if unknown.
std::string computer() {
  static const std::string name = [] {
    std::string id;
    std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), id);
    std::error_code error;
    const fs::path space = fs::read_symlink("/proc/self/ns/pid", error);
    if (id.empty() || error) return std::string(digits, '0');
    std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
    for (const char c : id + space.string()) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return hexadecimal(hash);
  }();
  return name;
}

/// Who writes a half-written file.
struct Author {
  std::string computer;
  pid_t process = 0;
};

/// Of "<file>.part.<computer>-<process>-<random>"; nothing for any other name.
std::optional<Author> author_of(const fs::path& file) {
  const std::string name = file.filename().string();
  const std::size_t at = name.rfind(part);
  if (at == std::string::npos) return std::nullopt;
  const std::string suffix = name.substr(at + std::string(part).size());
  const auto is_hexadecimal = [](const std::string& text) {
    return text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string::npos;
  };
  if (suffix.size() < 2 * digits + 3) return std::nullopt;
  const std::string process = suffix.substr(digits + 1, suffix.size() - 2 * digits - 2);
  const bool fits = is_hexadecimal(suffix.substr(0, digits)) && suffix[digits] == '-' && process.size() < 10 &&
                    process.find_first_not_of("0123456789") == std::string::npos &&
                    suffix[suffix.size() - digits - 1] == '-' && is_hexadecimal(suffix.substr(suffix.size() - digits));
  if (!fits) return std::nullopt;
  return Author{suffix.substr(0, digits), std::atoi(process.c_str())};
}

/// Nobody takes that long to write a file.
bool is_old(const fs::path& file) {
  std::error_code error;
  const auto written = fs::last_write_time(file, error);
  return !error && fs::file_time_type::clock::now() - written > std::chrono::hours(1);
}

bool is_gone(const Author& author) {
  if (author.computer != computer() || author.computer == std::string(digits, '0')) return false;
  return author.process > 0 && ::kill(author.process, 0) != 0 && errno == ESRCH;
}

/// Writes the text beside its place; 0, or the errno.
int write_aside(const fs::path& aside, const std::string& text) {
  const int fd = ::open(aside.c_str(), O_WRONLY | O_CLOEXEC | O_CREAT | O_EXCL, 0666);
  int error = fd < 0 ? errno : write_all(fd, text);
  if (error == 0 && ::fsync(fd) != 0) error = errno;
  if (fd >= 0 && ::close(fd) != 0 && error == 0) error = errno;
  if (error != 0 && fd >= 0) ::unlink(aside.c_str());
  return error;
}

/// Writes the text beside its place; `place` takes it there and returns 0 or the errno.
template <class Place>
void write_and_place(const fs::path& file, const std::string& text, Place place) {
  int error = 0;
  for (int attempt = 0; attempt < 3; ++attempt) {
    const fs::path aside = part_of(file);
    error = write_aside(aside, text);
    if (error != 0) break;
    error = place(aside);
    if (error == 0) return;
    if (error != ENOENT) break;  // else somebody with another clock took it for a leftover
  }
  throw std::system_error(error, std::generic_category(), "cannot write " + file.string());
}

}  // namespace

int write_all(int fd, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) {  // somebody who shares the descriptor made it so
      pollfd polled{fd, POLLOUT, 0};
      ::poll(&polled, 1, -1);
      continue;
    }
    if (n < 0) return errno;
    done += static_cast<std::size_t>(n);
  }
  return 0;
}

fs::path part_of(const fs::path& file) {
  static std::random_device random;
  const std::uint64_t number = (static_cast<std::uint64_t>(random()) << 32u) | random();
  return file.string() + part + computer() + "-" + std::to_string(::getpid()) + "-" + hexadecimal(number);
}

void write_whole_file(const fs::path& file, const std::string& text) {
  write_and_place(file, text, [&file](const fs::path& aside) {
    if (std::rename(aside.c_str(), file.c_str()) == 0) return 0;
    const int error = errno;
    ::unlink(aside.c_str());
    return error;
  });
}

bool write_new_file(const fs::path& file, const std::string& text) {
  bool taken = false;
  write_and_place(file, text, [&](const fs::path& aside) {
    int error = ::link(aside.c_str(), file.c_str()) == 0 ? 0 : errno;
    taken = error == EEXIST;
    const bool cannot_link = error == EPERM || error == EOPNOTSUPP || error == ENOSYS || error == EMLINK;
    if (cannot_link) {  // the folder is of a kind without links
      taken = ::access(file.c_str(), F_OK) == 0;
      if (!taken) error = std::rename(aside.c_str(), file.c_str()) == 0 ? 0 : errno;
    }
    ::unlink(aside.c_str());
    return taken ? 0 : error;
  });
  return !taken;
}

bool is_part(const fs::path& file) { return author_of(file).has_value(); }

bool is_leftover(const fs::path& file) {
  const std::optional<Author> author = author_of(file);
  return author && (is_gone(*author) || is_old(file));
}

}  // namespace tsunagi::report
