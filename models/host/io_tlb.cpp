// SPDX-License-Identifier: Apache-2.0
#include "models/host/io_tlb.hpp"

#include <algorithm>
#include <stdexcept>

namespace tsunagi::host {

void describe(IommuConfig& c, config::Describer& d) {
  using namespace config;
  d.field("entries", c.entries,
          "pages whose translations it has at a time (IO-TLB); 0: nothing is translated, and none of the other fields "
          "counts",
          within(0, 1 << 16));
  d.field("ways", c.ways, "entries of a set; 0: one set has all", within(0, 1 << 16));
  d.field("page_size", c.page_size, "bytes of a page", one_of({1 << 12, 1 << 21, 1 << 30}));
  d.field("walk_reads", c.walk_reads, "reads of memory, one after the other, to find a translation that it has not",
          within(1, 16));
  d.field("walk_read_latency", c.walk_read_latency, "what each of them takes", at_most(10_us), ideal(0_ns));
  d.field("walkers", c.walkers, "translations looked for at a time", within(1, 1024));
  d.require(c.ways == 0 || c.entries % c.ways == 0, "\"entries\" must be a multiple of \"ways\"");
}

IoTlb::IoTlb(const IommuConfig& c)
    : page_size_(unsigned_of(c.page_size)),
      walk_(c.walk_read_latency * c.walk_reads),
      ways_(static_cast<std::uint64_t>(c.ways == 0 ? c.entries : c.ways)),
      sets_(ways_ == 0 ? 0 : static_cast<std::uint64_t>(c.entries) / ways_) {
  if (sets_ == 0) throw std::logic_error("an IO-TLB without a set");
  entries_.resize(sets_ * ways_);
  for (int i = 0; i < c.walkers; ++i) walkers_.push_back(Time::zero());
}

Time IoTlb::translated(std::uint64_t address, Time now) {
  settle(now);
  const std::uint64_t page = address / page_size_;
  Entry* const set = set_of(page);
  Entry* const known = std::find_if(set, set + ways_, [&](const Entry& e) { return e.page == page; });
  if (known != set + ways_) {
    known->used = ++uses_;
    return now;
  }
  for (std::size_t i = 0; i < walks_.size(); ++i)
    if (walks_[i].page == page) return walks_[i].end;
  const Time end = std::max(now, walkers_.take_front()) + walk_;
  walkers_.push_back(end);  // all walks take the same time: who began last ends last
  walks_.push_back({page, end});
  return end;
}

void IoTlb::settle(Time now) {
  for (; !walks_.empty() && walks_.front().end <= now; walks_.pop_front()) {
    const std::uint64_t page = walks_.front().page;
    Entry* const set = set_of(page);
    *std::min_element(set, set + ways_, [](const Entry& a, const Entry& b) { return a.used < b.used; }) = {page,
                                                                                                           ++uses_};
  }
}

}  // namespace tsunagi::host
