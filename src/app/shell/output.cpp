// SPDX-License-Identifier: Apache-2.0
#include "app/shell/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "app/shell/errors.hpp"
#include "config/text/printable.hpp"
#include "report/whole_file.hpp"

namespace tsunagi::app {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(int error, const std::string& what) {
  throw std::system_error(error, std::generic_category(), what);
}

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

bool quiet = false;

bool is_special(const fs::path& path) { return fs::exists(path) && !fs::is_regular_file(path); }

}  // namespace

void write_stdout(const std::string& text) {
  if (const int error = report::write_all(STDOUT_FILENO, text); error != 0)
    fail(error, "cannot write to standard output");
}

void write_stderr(const std::string& text) { report::write_all(STDERR_FILENO, config::printable_lines(text)); }

void write_note(const std::string& text) {
  if (!quiet) write_stderr(text);
}

void be_quiet() { quiet = true; }

bool is_quiet() { return quiet; }

void write_progress(const std::string& text) { report::write_all(STDERR_FILENO, text); }

bool stdout_is_open() {
  const int flags = ::fcntl(STDOUT_FILENO, F_GETFL);
  return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

bool stdout_has_color() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool wanted = no_color == nullptr || *no_color == '\0';
  return ::isatty(STDOUT_FILENO) == 1 && wanted && (terminal == nullptr || terminal != std::string("dumb"));
}

bool stderr_is_watched() { return !quiet && ::isatty(STDERR_FILENO) == 1; }

void keep_inputs(const std::vector<std::string>& outputs, const std::vector<fs::path>& inputs) {
  for (const std::string& output : outputs)
    for (const fs::path& input : inputs) {
      std::error_code none;  // what is not there is not the same
      if (fs::is_regular_file(input, none) && fs::equivalent(output, input, none))
        throw UsageError(fmt::format("{} would be written over {}, which is read here", output, input.string()));
    }
}

void check_writable(const std::string& path) {
  const fs::path folder = folder_of(path);
  if (path.empty()) throw std::runtime_error("cannot write a file without a name");
  if (fs::is_directory(path)) throw std::runtime_error(fmt::format("cannot write {}: it is a folder", path));
  if (!fs::is_directory(folder))
    throw std::runtime_error(fmt::format("cannot write {}: there is no folder {}", path, folder.string()));
  const std::string place = is_special(path) ? path : folder.string();
  if (::access(place.c_str(), W_OK) != 0)
    throw std::runtime_error(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
}

void write_file(const std::string& path, const std::string& text) {
  // A symbolic link stays one: what it points to is replaced.
  if (!is_special(path))
    return report::write_whole_file(fs::is_symlink(path) ? fs::weakly_canonical(path) : fs::path(path), text);
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) fail(errno, "cannot write " + path);
  int error = report::write_all(fd, text);
  if (::close(fd) != 0 && error == 0) error = errno;
  if (error != 0) fail(error, "cannot write " + path);
}

}  // namespace tsunagi::app
