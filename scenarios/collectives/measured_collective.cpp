// SPDX-License-Identifier: Apache-2.0
#include "scenarios/collectives/measured_collective.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "config/error_at.hpp"
#include "scenarios/collectives/collective_data.hpp"
#include "scenarios/two_sided.hpp"
#include "units/checked.hpp"

namespace tsunagi::scenarios {

using comm::Collective;
using comm::CollectiveCall;

void describe_sizes(CollectiveConfig& c, config::Describer& d, std::string_view what) {
  using namespace config;
  d.field("sizes", c.sizes, what, within(1_B, largest_given));
  d.field("memory", c.memory, "where they lie, as the library names places (\"gpu0\"); none: host memory");
  d.field("algorithms", c.algorithms, "by their names, each in turn; none: the library's choice");
  d.field("segment", c.segment, "pieces of pipelined algorithms that are named", within(1_B, largest_given));
  d.field("radix", c.radix, "k of k-nomial trees that are named", within(2, 1'000'000));
  d.require(!c.sizes.empty(), "\"sizes\" is empty");
}

void describe_root(CollectiveConfig& c, config::Describer& d) {
  d.field("root", c.root, "the rank that has the data, or gets them", config::within(0, 1'000'000));
  d.field("rotate", c.rotate, "the root of each iteration is the rank behind that of the last");
}

void describe_iterations(CollectiveConfig& c, config::Describer& d) {
  using namespace config;
  d.field("ranks", c.ranks, "the first so many ranks take part, a row each; 0: all", within(0, 1'000'000), or_one);
  d.field("back_to_back", c.back_to_back,
          "timed calls follow each other, without a common start; their time is that of all over their number");
  d.field("iterations", c.iterations, "calls that are timed", within(1, 1'000'000));
  d.field("warm_up", c.warm_up, "calls before that", within(0, 1'000'000));
  d.require(!c.ranks.empty(), "\"ranks\" is empty");
}

MeasuredCollective::MeasuredCollective(Collective kind, CollectiveConfig c) : kind_(kind), config_(std::move(c)) {
  if (kind == Collective::barrier) config_.sizes = {Bytes::zero()};
  if (config_.algorithms.empty()) config_.algorithms = {""};
}

/// The call of all ranks; `size` is that of what each has, or of a block.
CollectiveCall MeasuredCollective::call(int ranks, Bytes size, int root) const {
  const auto buffer = [this](Bytes offset, Bytes n) { return comm::Buffer{offset, n, config_.memory, {}}; };
  const Bytes all = many(size, ranks);
  CollectiveCall c{kind_, root, buffer({}, size), buffer(size, size)};
  switch (kind_) {
    case Collective::broadcast:
      c.out = c.in;
      break;
    case Collective::scatter:
      c.in = buffer({}, all);
      c.out = buffer(all, size);
      break;
    case Collective::gather:
    case Collective::allgather:
      c.out = buffer(size, all);
      break;
    case Collective::all_to_all:
      c.in = buffer({}, all);
      c.out = buffer(all, all);
      break;
    default:
      break;
  }
  c.segment = config_.segment;
  c.radix = config_.radix;
  c.order = config_.order;
  return c;
}

Bytes MeasuredCollective::footprint(int ranks) const {
  const Bytes largest = *std::max_element(config_.sizes.begin(), config_.sizes.end());
  Bytes most;
  for (const std::int64_t given : config_.ranks) {
    const CollectiveCall c = call(taking_part(static_cast<int>(given), ranks), largest, 0);
    most = std::max({most, c.in.offset + c.in.size, c.out.offset + c.out.size});
  }
  return most;
}

MeasuredCollective::Setting MeasuredCollective::setting(comm::World& w, int ranks, Bytes size, std::size_t i) const {
  const std::string& name = config_.algorithms[i];
  const CollectiveCall c = call(ranks, size, config_.root);
  comm::Means means = comm::means(w, w.groups().first(ranks)->ranks, c);
  means.scratch = largest_given;  // whether there is as much is looked at when all else fits
  try {
    const comm::Algorithm& chosen = comm::choose(ranks, c, name, means);
    if (!w.library().has_messages() && chosen.name != std::string("software"))
      throw std::invalid_argument("the library has no two-sided messages, and does not do this itself" +
                                  (means.software.empty() ? "" : ": " + means.software));
    return {name, &chosen, comm::scratch_need(ranks, c, name, means), ranks, size};
  } catch (const std::invalid_argument& e) {
    throw config::error_at(name.empty() ? "/scenario" : "/scenario/algorithms/" + std::to_string(i), e.what());
  }
}

void MeasuredCollective::fit(comm::World& w) {
  const int most = static_cast<int>(*std::max_element(config_.ranks.begin(), config_.ranks.end()));
  // Messages or, where it has none, collectives of its own.
  if (w.library().facet<comm::SoftwareCollectives>() != nullptr)
    expect_ranks(w, most);
  else
    expect_messages(w, most);
  std::vector<int> numbers;
  for (const std::int64_t given : config_.ranks) {
    const int n = numbers.emplace_back(taking_part(static_cast<int>(given), w.library().ranks()));
    if (config_.root >= n)
      throw config::error_at("/scenario/root",
                             "\"root\" is rank " + std::to_string(config_.root) + " of " + std::to_string(n));
  }
  if (!comm::is_host(config_.memory)) check_memory(w.library(), *std::max_element(numbers.begin(), numbers.end()));
  for (std::size_t i = 0; i < config_.algorithms.size(); ++i)
    for (const int n : numbers)
      for (const Bytes size : config_.sizes) settings_.push_back(setting(w, n, size, i));
}

/// Places that the ranks send from and receive at.
void MeasuredCollective::check_memory(const comm::Library& c, int ranks) const {
  for (int rank = 0; rank < ranks; ++rank)
    for (const int peer : {(rank + 1) % ranks, (rank + ranks - 1) % ranks})
      c.check_message(rank, peer, {{}, footprint(ranks), config_.memory, {}, config_.memory});
}

Bytes MeasuredCollective::scratch(int /*ranks*/) const {
  Bytes most;
  for (const Setting& s : settings_) most = std::max(most, s.scratch);
  return most;
}

void MeasuredCollective::declare(report::Recorder& r, const comm::Library&) const {
  if (kind_ != Collective::barrier) r.rate("bandwidth", kind_ == Collective::all_to_all ? "bytes" : "size", "time");
}

int MeasuredCollective::root(int ranks, int iteration) const {
  return config_.rotate ? (config_.root + iteration + config_.warm_up) % ranks : config_.root;
}

void MeasuredCollective::program(comm::Rank& rank, report::Recorder& r) {
  for (const Setting& s : settings_)
    if (rank.id() < s.ranks) one_row(rank, r, s);
}

void MeasuredCollective::one_row(comm::Rank& rank, report::Recorder& r, const Setting& s) {
  const int ranks = s.ranks;
  comm::StartLine& line = lines_[ranks];
  comm::Group group = rank.first(ranks);
  Time mine;
  for (int i = -config_.warm_up; i < config_.iterations; ++i) {
    const CollectiveCall c = call(ranks, s.size, root(ranks, i));
    fill(*rank.ledger(), rank.id(), c);
    if (starts(i))
      rank.meet(line, ranks, [&] {
        measured_.begin = rank.now();
        if (i == 0) r.begin_account();
      });
    group.collective(c, {s.name, config_.segment, config_.radix, config_.order});
    const Time begin = measured_.begin;
    if (i >= 0 && ends(i)) mine += rank.now() - begin;
    expect_done(*rank.ledger(), rank.id(), ranks, c);
    if (ends(i))
      rank.meet(line, ranks, [&] {
        if (i >= 0) measured_.total += rank.now() - begin;
      });
  }
  measured_.of_rank.push_back(mine);
  rank.meet(line, ranks, [&] {
    report(r.row(), s);
    measured_ = {};
  });
}

void MeasuredCollective::report(report::Row& row, const Setting& s) const {
  const auto mean = [this](Time t) { return Time::from_fs(t / Time::from_fs(config_.iterations)); };
  const auto [least, most] = std::minmax_element(measured_.of_rank.begin(), measured_.of_rank.end());
  row.text("algorithm", s.chosen->name).count("ranks", s.ranks);
  if (kind_ != Collective::barrier) row.bytes("size", s.size);
  if (kind_ == Collective::all_to_all) row.bytes("bytes", s.size * (s.ranks - 1));
  row.time("time", mean(measured_.total)).time("rank_min", mean(*least)).time("rank_max", mean(*most));
  row.headline({"time", "the time until all have what they must have"});
}

}  // namespace tsunagi::scenarios
