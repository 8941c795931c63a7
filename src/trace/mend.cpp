// SPDX-License-Identifier: Apache-2.0
#include "trace/mend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace tsunagi::trace {
namespace {

namespace fs = std::filesystem;

/// No record is as long.
constexpr std::size_t longest_tail = 1 << 20;

std::string part(std::ifstream& in, std::size_t from, std::size_t size) {
  std::string out(size, '\0');
  in.seekg(static_cast<std::streamoff>(from));
  in.read(out.data(), static_cast<std::streamsize>(size));
  return out;
}

/// With as much of the file to be kept.
std::optional<Ending> ending_of(std::ifstream& in, std::size_t size, const Mending& format) {
  if (format.ending_of_all != nullptr) {
    in.seekg(0);
    return format.ending_of_all(in);
  }
  const std::string tail = part(in, size - std::min(size, longest_tail), std::min(size, longest_tail));
  std::optional<Ending> out = format.ending(tail);
  if (out) out->keep += size - tail.size();
  return out;
}

}  // namespace

bool mend(const std::string& path, const Mending& format) {
  if (!fs::is_regular_file(path)) return false;
  const std::size_t size = fs::file_size(path);
  std::ifstream in(path, std::ios::binary);
  const std::string head = part(in, 0, std::min(size, format.begins.size()));
  if (!in) throw std::runtime_error(fmt::format("cannot read {}", path));
  if (head != format.begins) return false;
  const std::optional<Ending> ending = ending_of(in, size, format);
  if (in.bad()) throw std::runtime_error(fmt::format("cannot read {}", path));
  if (!ending) return false;
  fs::resize_file(path, ending->keep);
  std::ofstream out(path, std::ios::binary | std::ios::app);
  out << ending->text << std::flush;
  if (!out) throw std::runtime_error(fmt::format("cannot write {}", path));
  return true;
}

}  // namespace tsunagi::trace
