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
#include <sstream>
#include <stdexcept>

#include "plot/script.hpp"
#include "report/whole_file.hpp"

namespace tsunagi::plot {
namespace {

namespace fs = std::filesystem;

/// A file without a name that goes when it is closed.
class Scratch {
 public:
  explicit Scratch(const std::string& text = "") : file_(std::tmpfile()) {
    if (file_ == nullptr) throw std::runtime_error(std::string("no temporary file: ") + std::strerror(errno));
    const int error = report::write_all(descriptor(), text);
    ::lseek(descriptor(), 0, SEEK_SET);
    if (error == 0) return;
    std::fclose(file_);
    throw std::runtime_error(std::string("cannot write a temporary file: ") + std::strerror(error));
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
  report::write_whole_file(stem + ".dat", data_text(plot));
  report::write_whole_file(stem + ".gp", svg_script(plot, name));
  const std::string svg =
      run_gnuplot(svg_script(plot, name, false), path.has_parent_path() ? path.parent_path().string() : ".");
  if (svg.find("</svg>") == std::string::npos)
    throw std::runtime_error("gnuplot drew only a part of " + stem + ".svg; is the folder for temporary files full?");
  report::write_whole_file(stem + ".svg", svg);
}

std::string in_terminal(const Plot& plot, int columns, int rows, bool colour) {
  const int width = std::max(40, columns);
  std::string out = plot.title.empty() ? "" : plot.title + "\n";
  for (std::size_t panel = 0; panel < plot.panels.size(); ++panel)
    out += "\n" + trimmed(run_gnuplot(terminal_script(plot, panel, width, std::max(12, rows), colour), "."));
  const std::string legend = terminal_legend(plot, width);
  return legend.empty() ? out : out + "\n" + legend;
}

}  // namespace tsunagi::plot
