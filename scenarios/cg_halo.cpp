// SPDX-License-Identifier: Apache-2.0
#include "scenarios/cg_halo.hpp"

#include <algorithm>
#include <stdexcept>

#include "config/error_at.hpp"
#include "scenarios/two_sided.hpp"

namespace tsunagi::scenarios {

namespace {

constexpr int dimensions = 4;
constexpr int windows = 2;  // a dslash's faces come while those of the one before may still be read
constexpr int dslashes = 4;

Lattice lattice_of(const CgHaloConfig& c) {
  try {
    return {c.lattice, c.grid, c.precision};
  } catch (const std::invalid_argument& e) {
    throw config::error_at("/scenario/lattice", e.what());
  }
}

std::string face_of(int rank, const char* side, int dimension, std::uint64_t number) {
  return "the " + std::string(side) + " face in dimension " + std::to_string(dimension) + " of rank " +
         std::to_string(rank) + ", dslash " + std::to_string(number);
}

const char* side_name(bool up) { return up ? "upper" : "lower"; }

}  // namespace

void describe(CgHaloConfig& c, config::Describer& d) {
  using namespace config;
  d.field("lattice", c.lattice, "sites in x, y, z and t", within(2, 1 << 12));
  d.field("grid", c.grid, "ranks in x, y, z and t, x running fastest", within(1, 1 << 12));
  d.field("ranks_at", c.ranks_at, "the rank at each place of the grid; none: in their order", within(0, 1 << 20));
  d.choice("precision", c.precision,
           {{"single", static_cast<std::int64_t>(comm::Precision::single), "reals of 4 B"},
            {"double", static_cast<std::int64_t>(comm::Precision::double_precision), "reals of 8 B"}},
           "of the vectors");
  d.choice("by", c.by,
           {{"puts", static_cast<std::int64_t>(comm::RmaBy::puts), "prepared puts with notices"},
            {"window", static_cast<std::int64_t>(comm::RmaBy::window), "puts into windows (MPI-3 RMA)"},
            {"messages", static_cast<std::int64_t>(comm::RmaBy::messages), "persistent sends and receives"}},
           "how faces get to the neighbours");
  d.field("method", c.method, "the library's way to prepare puts; none: its default");
  d.field("gpu", c.gpu, "the GPU that computes, as the library names it");
  d.field("overlap", c.overlap, "the interior is computed while faces are under way, else behind them");
  d.field("iterations", c.iterations, "iterations that are timed", within(1, 1'000'000));
  d.field("warm_up", c.warm_up, "iterations before that", within(0, 1'000'000));
  d.require(c.lattice.size() == dimensions && c.grid.size() == dimensions,
            "\"lattice\" and \"grid\" have four entries: x, y, z and t");
}

CgHalo::CgHalo(CgHaloConfig c) : config_(std::move(c)), lattice_(lattice_of(config_)) {}

int CgHalo::rank_at(int place) const {
  return config_.ranks_at.empty() ? place : static_cast<int>(config_.ranks_at[static_cast<std::size_t>(place)]);
}

int CgHalo::place_of(int rank) const {
  if (config_.ranks_at.empty()) return rank;
  return static_cast<int>(std::find(config_.ranks_at.begin(), config_.ranks_at.end(), rank) - config_.ranks_at.begin());
}

Bytes CgHalo::faces() const {
  Bytes out;
  for (int d = 0; d < dimensions; ++d)
    if (lattice_.partitioned(d)) out += lattice_.face(d) * 2;
  return out;
}

std::vector<CgHalo::Side> CgHalo::sides_of(int rank) const {
  std::vector<Side> out;
  Bytes end;
  for (int d = 0; d < dimensions; ++d) {
    if (!lattice_.partitioned(d)) continue;
    for (const bool up : {true, false}) {
      const Bytes n = lattice_.face(d);
      out.push_back({d, up, rank_at(*grid_->neighbour(place_of(rank), d, up ? 1 : -1)), n, end, end});
      end += n;
    }
  }
  return out;
}

Bytes CgHalo::footprint(int) const { return faces() * (1 + windows) + 32_B; }

comm::CollectiveCall CgHalo::reduction(Bytes size) const {
  comm::CollectiveCall c;
  c.kind = comm::Collective::allreduce;
  const Bytes begin = footprint(ranks()) - 32_B;
  c.in = {begin, size, {}, {}};
  c.out = {begin + 16_B, size, {}, {}};
  return c;
}

Bytes CgHalo::scratch(int) const { return std::max(scratch_, comm::Window::scratch(ranks(), 2 * dimensions)); }

void CgHalo::fit_reduction(comm::World& w) {
  const comm::CollectiveCall c = reduction(16_B);
  comm::Means means = comm::means(w, w.first(ranks())->ranks, c);
  means.scratch = largest_given;
  scratch_ = comm::scratch_need(ranks(), c, {}, means);
}

void CgHalo::fit(comm::World& whole) {
  comm::World& w = whole.halo();
  comm::Communicator& c = w.library();
  const auto n = static_cast<std::size_t>(ranks());
  expect_messages(w, ranks());
  expect_messages(whole, ranks());
  grid_.emplace(config_.grid, std::vector<std::int64_t>(), ranks());
  std::vector<std::int64_t> once = config_.ranks_at;
  std::sort(once.begin(), once.end());
  for (std::size_t i = 0; i < once.size(); ++i)
    if (once.size() != n || once[i] != static_cast<std::int64_t>(i))
      throw config::error_at("/scenario/ranks_at", "names each of the ranks 0 to " + std::to_string(n - 1) + " once");
  fit_reduction(whole);
  if (c.streams() == nullptr)
    throw config::error_at("/scenario", "the library queues no work in GPUs, of which this program's consists");
  for (int rank = 0; rank < ranks(); ++rank)
    for (const int stream : {0, 1}) c.streams()->check(rank, {config_.gpu, stream});
  switch (config_.by) {
    case comm::RmaBy::puts: {
      if (c.puts() == nullptr) throw config::error_at("/scenario/by", "the library has no prepared puts");
      const std::vector<std::string> known = c.puts()->methods();
      if (config_.method.empty()) config_.method = known.front();
      if (std::find(known.begin(), known.end(), config_.method) == known.end())
        throw config::error_at("/scenario/method", "the library does not prepare puts by \"" + config_.method + "\"");
      break;
    }
    case comm::RmaBy::window:
      expect_windows(w);
      break;
    case comm::RmaBy::messages:
      expect_tags(w, 2 * dimensions);
      break;
  }
  for (int rank = 0; rank < ranks(); ++rank) {
    // Both windows together, and each face with a notice, which are a few descriptors more than are written.
    std::vector<comm::Put> all;
    for (const Side& s : sides_of(rank)) {
      if (config_.by != comm::RmaBy::puts) {
        c.check_message(rank, s.peer, {{}, footprint(ranks()), config_.gpu, {}, config_.gpu});
        continue;
      }
      for (int i = 1; i <= windows; ++i) {
        all.push_back({s.peer, {config_.gpu, s.face}, {config_.gpu, faces() * i + s.halo}, s.size});
        all.back().notify = true;
      }
    }
    if (!all.empty()) c.puts()->check(rank, all, config_.method);
  }
}

void CgHalo::declare(report::Recorder&, const comm::Communicator&) const {}

struct CgHalo::Part {
  comm::Rank& rank;
  comm::Rank halo;
  std::vector<Side> sides;
  comm::Stream main;
  comm::Stream packing;
  std::vector<std::unique_ptr<comm::RmaWindow>> window = {};
  std::vector<std::unique_ptr<comm::RmaQueue>> queue = {};
  std::uint64_t dslash = 0;  // times that it was applied
  comm::StreamEvent packed = {};
  comm::StreamEvent inside = {};
  // Since the warm-up:
  Time in_halo = {};
  Time exposed = {};
  Time in_reductions = {};
};

void CgHalo::fill(comm::RmaQueue& q, const std::vector<Side>& sides) const {
  for (const Side& s : sides) {
    // At the peer the face is what comes from the other side.
    const auto theirs = sides_of(s.peer);
    const auto there = std::find_if(theirs.begin(), theirs.end(),
                                    [&](const Side& t) { return t.dimension == s.dimension && t.up != s.up; });
    q.push({s.peer, s.send_tag(), {s.face, s.size, config_.gpu, {}}, there->halo});
    q.add_origin({s.peer, s.receive_tag(), s.halo, s.size});
  }
}

void CgHalo::program(comm::Rank& rank, report::Recorder& r) {
  if (rank.id() >= ranks()) return;
  Part p{rank, rank.halo(), sides_of(rank.id()), {config_.gpu, 0}, {config_.gpu, 1}};
  if (!p.sides.empty())
    for (int i = 1; i <= windows; ++i) {
      const comm::Buffer mine{faces() * i, faces(), config_.gpu, {}};
      p.window.push_back(std::make_unique<comm::RmaWindow>(p.halo, ranks(), mine, config_.by));
      p.queue.push_back(std::make_unique<comm::RmaQueue>(p.halo, *p.window.back(), config_.method));
      fill(*p.queue.back(), p.sides);
      const Time begin = rank.now();
      p.queue.back()->commit();
      if (i == 1) commit_ += rank.now() - begin;
    }
  for (int i = -config_.warm_up; i < config_.iterations; ++i) {
    if (i == 0) {
      p.in_halo = p.exposed = p.in_reductions = Time::zero();
      rank.meet(line_, ranks(), [&] {
        begin_ = rank.now();
        r.begin_account();
      });
    }
    iteration(p);
  }
  halo_ += p.in_halo;
  exposed_ += p.exposed;
  reduced_ += p.in_reductions;
  rank.meet(line_, ranks(), [&] {
    total_ = rank.now() - begin_;
    report(r.row());
  });
}

void CgHalo::iteration(Part& p) const {
  // p . A p, with A the operator and its adjoint, two dslashes each.
  for (int i = 0; i < dslashes; ++i) dslash(p);
  p.halo.launch(p.main, lattice_.vectors(2));
  reduce(p, 8_B);
  // r - alpha A p and its norm; then p and x.
  p.halo.launch(p.main, lattice_.vectors(3));
  reduce(p, 16_B);
  p.halo.launch(p.main, lattice_.vectors(5));
}

void CgHalo::dslash(Part& p) const {
  if (!p.sides.empty()) {
    p.halo.wait(p.packing, p.halo.record(p.main));  // the vector that is packed is computed there
    p.halo.launch(p.packing, lattice_.pack());
    p.packed = p.halo.record(p.packing);
  }
  const auto inside = [&] {
    p.halo.launch(p.main, lattice_.interior());
    p.inside = p.halo.record(p.main);
  };
  if (config_.overlap || p.sides.empty()) inside();
  if (!p.sides.empty()) exchange(p);
  if (!config_.overlap && !p.sides.empty()) inside();
  for (int d = 0; d < dimensions; ++d)
    if (lattice_.partitioned(d)) p.halo.launch(p.main, lattice_.boundary(d));
}

void CgHalo::exchange(Part& p) const {
  comm::Ledger& ledger = *p.rank.ledger();
  const int me = p.rank.id();
  const std::uint64_t number = p.dslash++;
  const std::size_t turn = number % windows;
  p.halo.synchronise(p.packed);
  for (const Side& s : p.sides)
    ledger.fill(me, {s.face, s.size, config_.gpu, {}}, face_of(me, side_name(s.up), s.dimension, number));
  const Time begin = p.rank.now();
  p.rank.first(ranks()).together("halo exchange", number, faces(), [&] {
    p.queue[turn]->start();
    p.queue[turn]->wait();
  });
  const Time end = p.rank.now();
  p.in_halo += end - begin;
  const Time computed = config_.overlap ? p.halo.since(p.inside) : begin;
  p.exposed += end > computed ? end - std::max(begin, computed) : Time::zero();
  for (const Side& s : p.sides)
    ledger.expect(me, p.window[turn]->part_of(me, s.halo, s.size),
                  face_of(s.peer, side_name(!s.up), s.dimension, number), {}, "cg_halo");
}

void CgHalo::reduce(Part& p, Bytes size) const {
  p.halo.synchronise(p.halo.record(p.main));  // the kernel writes its sum to host memory
  const comm::CollectiveCall c = reduction(size);
  p.rank.ledger()->fill(p.rank.id(), c.in, "a sum");
  const Time begin = p.rank.now();
  p.rank.change_library();
  p.rank.first(ranks()).allreduce(c.in, c.out);
  p.rank.change_library();
  p.in_reductions += p.rank.now() - begin;
}

void CgHalo::report(report::Row& row) const {
  const auto each = [](Time t, std::int64_t n) { return Time::from_fs(t / Time::from_fs(n)); };
  const std::int64_t all = std::int64_t{config_.iterations} * ranks();
  row.count("ranks", ranks()).text("lattice", grid_text(config_.lattice)).text("grid", grid_text(config_.grid));
  row.bytes("bytes", faces()).time("time", each(total_, config_.iterations));
  row.time("halo", each(halo_, all)).time("exposed", each(exposed_, all));
  row.time("reductions", each(reduced_, all)).time("commit", each(commit_, ranks()));
  row.headline({"time", "the time of an iteration"});
}

std::unique_ptr<Scenario> make_cg_halo(const config::AnyConfig& c) {
  return std::make_unique<CgHalo>(c.as<CgHaloConfig>());
}

}  // namespace tsunagi::scenarios
