// SPDX-License-Identifier: Apache-2.0
#include "scenarios/traffic/backlogs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "stats/samples.hpp"

namespace tsunagi::scenarios {

namespace {

constexpr int rank_bits = 26, batch_bits = 5;

struct Move {
  int from;
  int to;
  int batch;
  bool out;
};

Move move_of(std::uint64_t packed) {
  constexpr std::uint64_t rank = (1ULL << rank_bits) - 1, batch = (1ULL << batch_bits) - 1;
  return {static_cast<int>(packed >> (rank_bits + batch_bits + 1) & rank),
          static_cast<int>(packed >> (batch_bits + 1) & rank), static_cast<int>(packed >> 1 & batch),
          (packed & 1) != 0};
}

/// Of one sender, receiver or pair.
struct Backlog {
  std::array<std::int64_t, Backlogs::batches> growth{};  // of each batch, in messages
  std::int64_t posted = 0;

  void add(const Move& m) {
    growth[static_cast<std::size_t>(m.batch)] += m.out ? -1 : 1;
    posted += m.out ? 0 : 1;
  }
  std::int64_t total() const {
    std::int64_t sum = 0;
    for (const std::int64_t g : growth) sum += g;
    return sum;
  }
  bool grows() const { return total() * 100 > posted * 2 && stats::is_above_zero(growth.data(), growth.size()); }
};

/// Those of one kind that grow.
class Growing {
 public:
  template <class Name>
  void judge(const Backlog& b, const Name& name) {
    if (b.posted > 0) ++all_;
    if (!b.grows()) return;
    ++grow_;
    if (b.total() <= most_) return;
    most_ = b.total();
    name_ = name();
  }
  /// "3 of 16 senders, most 5"; empty: none.
  std::string told(const char* kind) const {
    return grow_ == 0 ? "" : fmt::format("{} of {} {}, most {}", grow_, all_, kind, name_);
  }

 private:
  std::int64_t all_ = 0;
  std::int64_t grow_ = 0;
  std::int64_t most_ = 0;
  std::string name_;
};

std::string growing_ranks(const std::vector<Backlog>& of, const char* kind) {
  Growing out;
  for (std::size_t rank = 0; rank < of.size(); ++rank) out.judge(of[rank], [&] { return fmt::format("{}", rank); });
  return out.told(kind);
}

}  // namespace

void Backlogs::open(int ranks) {
  ranks_ = ranks;
  moves_.clear();
}

void Backlogs::note(int from, int to, int batch, bool out) {
  moves_.push_back(((static_cast<std::uint64_t>(from) << rank_bits | static_cast<std::uint64_t>(to)) << batch_bits |
                    static_cast<std::uint64_t>(batch))
                       << 1 |
                   static_cast<std::uint64_t>(out));
}

std::string Backlogs::growing() {
  std::sort(moves_.begin(), moves_.end());  // pair by pair
  std::vector<Backlog> senders(static_cast<std::size_t>(ranks_)), receivers = senders;
  Growing pairs;
  for (auto first = moves_.begin(); first != moves_.end();) {
    const Move pair = move_of(*first);
    Backlog its;
    for (; first != moves_.end(); ++first) {
      const Move m = move_of(*first);
      if (m.from != pair.from || m.to != pair.to) break;
      its.add(m);
      senders[static_cast<std::size_t>(m.from)].add(m);
      receivers[static_cast<std::size_t>(m.to)].add(m);
    }
    pairs.judge(its, [&] { return fmt::format("{} > {}", pair.from, pair.to); });
  }
  if (std::string told = pairs.told("pairs"); !told.empty()) return told;
  if (std::string told = growing_ranks(senders, "senders"); !told.empty()) return told;
  return growing_ranks(receivers, "receivers");
}

}  // namespace tsunagi::scenarios
