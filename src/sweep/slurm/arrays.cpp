// SPDX-License-Identifier: Apache-2.0
#include "sweep/slurm/arrays.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace tsunagi::sweep::slurm {

std::string ranges(const std::vector<std::uint64_t>& ascending) {
  std::string out;
  for (std::size_t begin = 0, end = 0; begin < ascending.size(); begin = end) {
    for (end = begin + 1; end < ascending.size() && ascending[end] == ascending[end - 1] + 1;) ++end;
    if (!out.empty()) out += ',';
    out += begin + 1 == end ? fmt::format("{}", ascending[begin])
                            : fmt::format("{}-{}", ascending[begin], ascending[end - 1]);
  }
  return out;
}

std::vector<Array> arrays_of(const std::vector<std::uint64_t>& shards, std::uint64_t max_array_size) {
  if (max_array_size < 2) throw std::runtime_error("this Slurm has no job arrays: its MaxArraySize is below 2");
  const std::uint64_t most = max_array_size - 1;
  std::vector<Array> out;
  for (std::size_t begin = 0, end = 0; begin < shards.size(); begin = end) {
    const std::uint64_t offset = (shards[begin] - 1) / most * most;
    std::vector<std::uint64_t> tasks;
    for (; end < shards.size() && shards[end] - offset <= most; ++end) tasks.push_back(shards[end] - offset);
    out.push_back({offset, ranges(tasks), tasks.size()});
  }
  return out;
}

}  // namespace tsunagi::sweep::slurm
