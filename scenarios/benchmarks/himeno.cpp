// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "comm/collectives/catalog.hpp"
#include "config/error_at.hpp"
#include "scenarios/process_grid.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/two_sided.hpp"
#include "units/checked.hpp"

namespace tsunagi::scenarios {

namespace {

enum class HimenoSize : std::uint8_t { S, M, L, XL };

struct HimenoConfig {
  HimenoSize size = HimenoSize::M;
  std::vector<std::int64_t> grid;
  Time point = 35_ns;
  int iterations = 3;
  int warm_up = 1;
};

void describe(HimenoConfig& c, config::Describer& d) {
  using namespace config;
  d.choice("size", c.size,
           {{"S", static_cast<std::int64_t>(HimenoSize::S), "128 x 64 x 64 points"},
            {"M", static_cast<std::int64_t>(HimenoSize::M), "256 x 128 x 128"},
            {"L", static_cast<std::int64_t>(HimenoSize::L), "512 x 256 x 256"},
            {"XL", static_cast<std::int64_t>(HimenoSize::XL), "1024 x 512 x 512"}},
           "of the benchmark");
  d.field("grid", c.grid, "ranks in x, y and z; none: as nearly equal as can be, most in x",
          within(std::int64_t{1}, std::int64_t{1} << 20));
  d.field("point", c.point, "computation of a rank for each of its points in an iteration", at_most(1_ms));
  d.field("iterations", c.iterations, "iterations that are timed", within(1, 1'000'000));
  d.field("warm_up", c.warm_up, "iterations before that", within(0, 1'000'000));
  d.require(c.grid.empty() || c.grid.size() == 3, "\"grid\" is not of three dimensions");
}

constexpr int flop_a_point = 34;
constexpr Bytes element{4};  // single precision

/// Riken's Himeno benchmark, in C with MPI (himenoBMTxpr.c): Jacobi's iterations on a grid that is cut in up to three
/// dimensions, with open ends, z the index that runs fastest. In each iteration ranks compute, then send the faces of
/// one dimension after the other, z, y, x, each of which they wait for, and sum up one number of all. Faces of z are
/// single elements, one each row, those of y rows; both are packed to be sent, as MPICH packs vectors.
///
/// A row: the mean time of an iteration up to the end of the last rank, the benchmark's rate (34 flop a point that is
/// not on the whole grid's surface), and what the slowest rank spent on what.
class Himeno final : public Scenario {
 public:
  explicit Himeno(HimenoConfig c) : config_(std::move(c)) {}
  int ranks() const override { return 1; }
  void place(const comm::World& w) override;
  Bytes footprint(int ranks) const override;
  Bytes scratch(int ranks) const override;
  void fit(comm::World& w) override;
  void declare(report::Recorder& /*r*/, const comm::Library& /*c*/) const override {}
  void program(comm::Rank& rank, report::Recorder& r) override;

 private:
  enum { x, y, z, dimensions };
  using Points = std::array<std::int64_t, dimensions>;
  Points whole() const {
    constexpr Points smallest{128, 64, 64};
    Points out = smallest;
    for (std::int64_t& n : out) n <<= static_cast<int>(config_.size);
    return out;
  }
  std::array<int, dimensions> place_of(int rank) const;
  /// A rank's own points in each dimension, and with those of its neighbours.
  Points own(int rank) const;
  Points with_halo(int rank) const;
  /// Points of an iteration: none on the surface of the whole grid.
  std::int64_t computed(int rank) const;
  /// The plane of dimension `d` at index `i` of a rank's array.
  comm::Buffer plane(int rank, int d, std::int64_t i) const;
  Bytes array(int rank) const;
  Bytes largest_plane(int rank) const;
  /// Where a plane of dimension `d` that is sent up or down, or has come from there, lies in one piece.
  comm::Buffer packed(int rank, const comm::Buffer& b, int which) const;
  struct Spent {
    Time compute, faces, reduction;
  };
  void exchange(comm::Rank& rank, comm::Group& g, int d) const;
  void iteration(comm::Rank& rank, comm::Group& g, Spent& spent) const;
  comm::CollectiveCall reduction(int ranks) const;
  Time mean(Time total) const { return Time::from_fs(total / Time::from_fs(config_.iterations)); }

  HimenoConfig config_;
  std::optional<ProcessGrid> grid_;
  Bytes scratch_;
  Time begin_;
  Spent most_;
  comm::StartLine line_;
};

void Himeno::place(const comm::World& w) {
  const int ranks = w.library().ranks();
  if (config_.grid.empty()) config_.grid = even_grid(ranks, dimensions);
  try {
    grid_.emplace(config_.grid, std::vector<std::int64_t>{x, y, z}, ranks);
  } catch (const std::invalid_argument& e) {
    throw config::error_at("/scenario/grid", e.what());
  }
}

std::array<int, Himeno::dimensions> Himeno::place_of(int rank) const {
  std::array<int, dimensions> at{};
  for (int d = 0; d < dimensions; ++d) {
    const auto side = static_cast<int>(config_.grid[static_cast<std::size_t>(d)]);
    at[static_cast<std::size_t>(d)] = rank % side;
    rank /= side;
  }
  return at;
}

Himeno::Points Himeno::own(int rank) const {
  Points out = whole();
  const std::array<int, dimensions> at = place_of(rank);
  for (std::size_t d = 0; d < dimensions; ++d) {
    const std::int64_t side = config_.grid[d];
    out[d] = out[d] / side + (at[d] < out[d] % side ? 1 : 0);
  }
  return out;
}

Himeno::Points Himeno::with_halo(int rank) const {
  Points out = own(rank);
  for (int d = 0; d < dimensions; ++d)
    for (const int step : {1, -1}) out[static_cast<std::size_t>(d)] += grid_->neighbour(rank, d, step) ? 1 : 0;
  return out;
}

std::int64_t Himeno::computed(int rank) const {
  const Points n = with_halo(rank);
  return (n[x] - 2) * (n[y] - 2) * (n[z] - 2);
}

Bytes Himeno::array(int rank) const {
  const Points n = with_halo(rank);
  return element * (n[x] * n[y] * n[z]);
}

comm::Buffer Himeno::plane(int rank, int d, std::int64_t i) const {
  const Points n = with_halo(rank);
  const Bytes row = element * n[z], slab = row * n[y];
  if (d == x) return {slab * i, slab, {}, {}};
  comm::Buffer b;
  b.offset = (d == y ? row : element) * i;
  b.block = d == y ? row : element;
  b.every = d == y ? slab : row;
  b.size = b.block * (d == y ? n[x] : n[x] * n[y]);
  return b;
}

Bytes Himeno::largest_plane(int rank) const {
  return std::max({plane(rank, x, 0).size, plane(rank, y, 0).size, plane(rank, z, 0).size});
}

comm::Buffer Himeno::packed(int rank, const comm::Buffer& b, int which) const {
  if (comm::is_contiguous(b)) return b;
  return {array(rank) + largest_plane(rank) * which, b.size, {}, {}};
}

Bytes Himeno::footprint(int ranks) const {
  Bytes most;
  for (int rank = 0; rank < ranks; ++rank) most = std::max(most, array(rank) + largest_plane(rank) * 4);
  return most + element * 2;
}

comm::CollectiveCall Himeno::reduction(int ranks) const {
  comm::CollectiveCall c;
  c.kind = comm::Collective::allreduce;
  const Bytes at = footprint(ranks) - element * 2;
  c.in = {at, element, {}, {}};
  c.out = {at + element, element, {}, {}};
  c.element = element;
  return c;
}

Bytes Himeno::scratch(int /*ranks*/) const { return scratch_; }

void Himeno::fit(comm::World& w) {
  expect_messages(w, 0);
  const int ranks = w.library().ranks();
  const Points all = whole();
  for (std::size_t d = 0; d < dimensions; ++d)
    if (all[d] - 2 < config_.grid[d])
      throw config::error_at("/scenario/grid", std::to_string(config_.grid[d]) + " ranks share " +
                                                   std::to_string(all[d] - 2) + " points inside the whole grid in " +
                                                   "xyz"[d] + ": some would have none");
  const comm::CollectiveCall c = reduction(ranks);
  comm::Means means = comm::means(w, w.groups().first(ranks)->ranks, c);
  means.scratch = largest_given;
  scratch_ = comm::scratch_need(ranks, c, {}, means);
  Bytes largest;
  for (int rank = 0; rank < ranks; ++rank) largest = std::max(largest, largest_plane(rank));
  expect_sends_first(w, {{}, largest, {}, {}}, 2 * dimensions, 1);
  for (int rank = 0; rank < ranks; ++rank)
    for (int d = 0; d < dimensions; ++d)
      if (grid_->neighbour(rank, d, 1))
        w.library().check_message(rank, *grid_->neighbour(rank, d, 1), packed(rank, plane(rank, d, 0), 0));
}

/// Both receives, then both sends, then all are waited for (sendp1, sendp2, sendp3).
void Himeno::exchange(comm::Rank& rank, comm::Group& g, int d) const {
  const int me = rank.id();
  const std::int64_t last = with_halo(me)[static_cast<std::size_t>(d)] - 1;
  const std::optional<int> down = grid_->neighbour(me, d, -1), up = grid_->neighbour(me, d, 1);
  struct Side {
    std::optional<int> peer;
    comm::Buffer out, in;
    int sent, received;  // tags
  };
  const std::array<Side, 2> sides{Side{up, plane(me, d, last - 1), plane(me, d, last), 2 * d, 2 * d + 1},
                                  Side{down, plane(me, d, 1), plane(me, d, 0), 2 * d + 1, 2 * d}};
  std::vector<comm::Request> all;
  for (int i = 0; i < 2; ++i) {
    const Side& s = sides[static_cast<std::size_t>(i)];
    if (s.peer) all.push_back(g.irecv(*s.peer, s.received, packed(me, s.in, 2 + i)));
  }
  for (int i = 1; i >= 0; --i) {
    const Side& s = sides[static_cast<std::size_t>(i)];
    if (!s.peer) continue;
    const comm::Buffer out = packed(me, s.out, i);
    rank.ledger()->fill(me, out, "a face");
    if (!comm::is_contiguous(s.out)) rank.copy(out, s.out);
    all.push_back(g.isend(*s.peer, s.sent, out));
  }
  g.wait_all(all);
  for (int i = 0; i < 2; ++i) {
    const Side& s = sides[static_cast<std::size_t>(i)];
    if (s.peer && !comm::is_contiguous(s.in)) rank.copy(s.in, packed(me, s.in, 2 + i));
  }
}

void Himeno::iteration(comm::Rank& rank, comm::Group& g, Spent& spent) const {
  const Time begin = rank.now();
  rank.compute(config_.point * computed(rank.id()));
  const Time done = rank.now();
  for (const int d : {z, y, x}) exchange(rank, g, d);
  const Time sent = rank.now();
  const comm::CollectiveCall c = reduction(rank.size());
  rank.ledger()->fill(rank.id(), c.in, "what is reduced");
  g.allreduce(c.in, c.out);
  spent.compute += done - begin;
  spent.faces += sent - done;
  spent.reduction += rank.now() - sent;
}

void Himeno::program(comm::Rank& rank, report::Recorder& r) {
  comm::Group g = rank.world();
  Spent spent;
  for (int i = -config_.warm_up; i < config_.iterations; ++i) {
    if (rank.id() == 0) r.iteration(i + config_.warm_up, config_.iterations + config_.warm_up);
    if (i == 0)
      rank.meet(line_, [&] {
        begin_ = rank.now();
        r.begin_account();
      });
    if (i == 0) spent = {};
    iteration(rank, g, spent);
  }
  most_.compute = std::max(most_.compute, spent.compute);
  most_.faces = std::max(most_.faces, spent.faces);
  most_.reduction = std::max(most_.reduction, spent.reduction);
  rank.meet(line_, [&] {
    const Points n = whole();
    const std::int64_t flop = flop_a_point * (n[x] - 2) * (n[y] - 2) * (n[z] - 2);
    const Time iteration = mean(rank.now() - begin_);
    constexpr std::int64_t fs_a_ns = 1'000'000;
    r.row()
        .text("grid", grid_text(config_.grid))
        .count("ranks", rank.size())
        .count("iterations", config_.iterations)
        .time("iteration", iteration)
        .time("compute", mean(most_.compute))
        .time("faces", mean(most_.faces))
        .time("reduction", mean(most_.reduction))
        .count("mflops", flop * 1000 / std::max<std::int64_t>(1, iteration.fs() / fs_a_ns))
        .headline({"iteration", "the mean up to the end of the last rank"});
  });
}

}  // namespace

ScenarioKind himeno_scenario() {
  return scenario<Himeno, HimenoConfig>("himeno", "the Himeno benchmark: faces of three dimensions, a reduction");
}

}  // namespace tsunagi::scenarios
