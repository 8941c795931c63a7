// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/collectives/catalog.hpp"
#include "comm/window.hpp"
#include "scenarios/process_grid.hpp"
#include "scenarios/scenario.hpp"

namespace tsunagi::scenarios {

enum class HaloBy : std::uint8_t { messages, window };

/// How ranks lie that nobody gave a grid.
enum class HaloLayout : std::uint8_t { even, network };

struct HaloExchangeConfig {
  HaloBy by = HaloBy::messages;
  std::vector<std::int64_t> grid;
  HaloLayout layout = HaloLayout::even;
  std::vector<Bytes> faces = {64_KiB};
  std::vector<std::int64_t> scales = {1};
  std::vector<std::int64_t> open;
  bool packing = true;
  std::string memory;
  Time compute;
  bool overlap = false;
  Bytes reduction;
  int ranks = 0;
  int iterations = 5;
  int warm_up = 1;
};
void describe(HaloExchangeConfig& c, config::Describer& d);

/// Ranks that own the parts of a grid of up to four dimensions (as lattice QCD and stencil codes do) send their faces
/// to their neighbours, compute, and may reduce something. Iterations follow each other without a barrier. Faces go by
/// the library of halo exchanges, where a run has one, reductions by the other. A row a scale: the mean time of an
/// iteration up to the end of the last rank, what of it is not computation, the most bytes of faces that a rank sends
/// in an iteration; the grid, if nobody gave it. Which faces arrive is checked every time.
class HaloExchange final : public Scenario {
 public:
  explicit HaloExchange(HaloExchangeConfig c) : config_(std::move(c)) {}
  int ranks() const override { return 1; }
  void place(const comm::World& w) override;
  Bytes footprint(int ranks) const override;
  Bytes scratch(int ranks) const override;
  void fit(comm::World& w) override;
  void declare(report::Recorder& r, const comm::Communicator& c) const override;
  void program(comm::Rank& rank, report::Recorder& r) override;

 private:
  /// One of the two sides of a rank in a dimension.
  struct Side {
    int dimension = 0;
    bool up = false;
    std::optional<int> peer;
    comm::Buffer face;
    comm::Buffer halo;  // where the peer's face goes to
    // What is sent and received: with packing copies of these, which lie together.
    comm::Buffer out;
    comm::Buffer in;
    int send_tag() const { return 2 * dimension + (up ? 0 : 1); }
    int receive_tag() const { return 2 * dimension + (up ? 1 : 0); }
  };
  Bytes face(int dimension) const;
  int dimensions() const { return static_cast<int>(config_.grid.size()); }
  std::vector<Side> sides_of(int rank, std::int64_t scale) const;
  /// What a rank sends to others in an iteration.
  Bytes sent(int rank, std::int64_t scale) const;
  /// What is reduced behind an iteration.
  comm::CollectiveCall reduction(int ranks) const;
  void fit_reduction(comm::World& w, int ranks);
  void reduce(comm::Rank& rank, int ranks) const;
  /// A rank's part: its group, its window if there is one, and what it exchanges.
  struct Part {
    comm::Group& group;
    comm::Window* window;
    std::int64_t scale;
    std::vector<Side> sides;
  };
  void iteration(comm::Rank& rank, const Part& p, std::uint64_t number) const;
  void exchange(comm::Rank& rank, const Part& p) const;
  /// Starts to send the faces; returns what ends that.
  std::function<void()> send_by_messages(comm::Rank& rank, const Part& p) const;
  std::function<void()> put_into_windows(comm::Rank& rank, const Part& p) const;
  void report(report::Row& row, int ranks, std::int64_t scale, Time total) const;

  HaloExchangeConfig config_;
  bool placed_ = false;  // nobody gave the grid: rows say how
  std::optional<ProcessGrid> grid_;
  Bytes scratch_;  // of a reduction
  Time begin_;
  comm::StartLine line_;
};

std::unique_ptr<Scenario> make_halo_exchange(const config::AnyConfig& c);

}  // namespace tsunagi::scenarios
