// SPDX-License-Identifier: Apache-2.0
#include "models/ethernet/card/descriptor_fetch.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tsunagi::ethernet {

bool DescriptorFetch::tail(std::uint64_t entry, const net::Cause& by) {
  const auto n = static_cast<std::uint64_t>(ring_.entries);
  if (entry >= n) return false;
  tail_ += (entry + n - tail_ % n) % n;
  fetch(by);
  return true;
}

void DescriptorFetch::preset(const std::vector<Descriptor>& all) {
  tail_ = all.size();
  for (; fetched_ < std::min(tail_, cached_); ++fetched_) here_.push_back({all[fetched_], fetched_, {}});
}

void DescriptorFetch::fetch(const net::Cause& by) {
  if (asked_) return;
  const auto n = static_cast<std::uint64_t>(ring_.entries);
  const std::uint64_t to_end = n - fetched_ % n;
  const std::uint64_t more = std::min({tail_ - fetched_, to_end, cached_ - (fetched_ - taken_)});
  if (more == 0) return;
  asked_ = true;
  host_.read(*this, more, ring_.at(fetched_), Descriptor::size * static_cast<std::int64_t>(more),
             {by.when, by, net::Stage::pipeline, "descriptors fetched"});
  fetched_ += more;
}

void DescriptorFetch::data_came(std::uint64_t token, flow::Contents bytes, net::Cause last) {
  asked_ = false;
  for (std::uint64_t i = 0; i < token; ++i) {
    std::array<std::uint8_t, 16> raw{};
    if (bytes) bytes.copy(Descriptor::size * static_cast<std::int64_t>(i), Descriptor::size, raw.data());
    here_.push_back({Descriptor::decode(raw.data()), fetched_ - token + i, last});
  }
  fetch(last);
  came_();
}

DescriptorFetch::Taken DescriptorFetch::take(const net::Cause& by) {
  ++taken_;
  Taken t = here_.take_front();
  fetch(by);
  return t;
}

}  // namespace tsunagi::ethernet
