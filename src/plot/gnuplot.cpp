// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "plot/script.hpp"

namespace tsunagi::plot {
namespace {

namespace fs = std::filesystem;

/// A file without a name that goes when it is closed.
class Scratch {
 public:
  explicit Scratch(const std::string& text = "") : file_(std::tmpfile()) {
    if (file_ == nullptr) throw std::runtime_error(std::string("no temporary file: ") + std::strerror(errno));
    std::fwrite(text.data(), 1, text.size(), file_);
    std::rewind(file_);
  }
  ~Scratch() { std::fclose(file_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  int descriptor() const { return ::fileno(file_); }
  std::string text() const {
    std::string out;
    std::rewind(file_);
    char part[4096];
    for (std::size_t n = 0; (n = std::fread(part, 1, sizeof part, file_)) > 0;) out.append(part, n);
    return out;
  }

 private:
  std::FILE* file_;
};

/// Runs a script in a folder; returns what it prints. Throws std::runtime_error with gnuplot's own words.
std::string run_gnuplot(const std::string& script, const std::string& folder) {
  check_gnuplot();
  const Scratch in(script);
  const Scratch out;
  const Scratch err;
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error(std::string("cannot start gnuplot: ") + std::strerror(errno));
  if (child == 0) {
    const bool ready = ::chdir(folder.c_str()) == 0 && ::dup2(in.descriptor(), STDIN_FILENO) >= 0 &&
                       ::dup2(out.descriptor(), STDOUT_FILENO) >= 0 && ::dup2(err.descriptor(), STDERR_FILENO) >= 0;
    if (ready) ::execlp("gnuplot", "gnuplot", "-d", static_cast<char*>(nullptr));
    ::_exit(127);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw std::runtime_error("gnuplot failed:\n" + err.text());
  return out.text();
}

/// Without blanks at the ends of lines and without empty lines.
std::string trimmed(const std::string& text) {
  std::istringstream in(text);
  std::string out;
  for (std::string line; std::getline(in, line);) {
    line.erase(std::min(line.find_last_not_of(" \f\r") + 1, line.size()));
    if (!line.empty()) out += line + "\n";
  }
  return out;
}

void put(const std::string& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw std::runtime_error("cannot write " + file + ": " + std::strerror(errno));
}

}  // namespace

void check_gnuplot() {
  const char* path = std::getenv("PATH");
  std::string folders = path == nullptr ? "/usr/bin:/bin" : path;
  folders += ':';
  for (std::size_t start = 0, end = 0; (end = folders.find(':', start)) != std::string::npos; start = end + 1)
    if (::access((folders.substr(start, end - start) + "/gnuplot").c_str(), X_OK) == 0) return;
  throw std::runtime_error("plots need gnuplot, which is not installed; on Debian: apt-get install gnuplot-nox");
}

void write(const Plot& plot, const std::string& stem) {
  const fs::path path(stem);
  const std::string name = path.filename().string();
  put(stem + ".dat", data_text(plot));
  put(stem + ".gp", svg_script(plot, name));
  run_gnuplot(svg_script(plot, name), path.has_parent_path() ? path.parent_path().string() : ".");
  if (!fs::exists(stem + ".svg")) throw std::runtime_error("gnuplot wrote no " + stem + ".svg");
}

std::string in_terminal(const Plot& plot, int columns, int rows, bool colour) {
  std::string out = plot.title.empty() ? "" : plot.title + "\n";
  for (std::size_t panel = 0; panel < plot.panels.size(); ++panel)
    out += "\n" +
           trimmed(run_gnuplot(terminal_script(plot, panel, std::max(40, columns), std::max(12, rows), colour), "."));
  return out;
}

}  // namespace tsunagi::plot
