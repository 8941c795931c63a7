// SPDX-License-Identifier: Apache-2.0
// Which runs measure a server's matrix, and where in their rows each cell stands.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "box/alike.hpp"
#include "box/places.hpp"
#include "box/twin.hpp"
#include "units/bytes.hpp"

namespace tsunagi::box {

/// What is measured between two places.
enum class What {
  one_way,    ///< bandwidth, nothing else under way; from GPU to GPU the first one writes
  read,       ///< the same, but who gets the bytes asks for them: GPUs that reach each other; adapters, by RDMA reads
  both_ways,  ///< the sum of both directions at the same time
  at_once,    ///< bandwidth of this pair while all of its kind are under way
  latency,    ///< of a small message
};
constexpr What all_whats[] = {What::one_way, What::read, What::both_ways, What::at_once, What::latency};
/// "one_way", "read", "both_ways", "all_at_once", "latency".
const char* name_of(What w);
inline bool is_rate(What w) { return w != What::latency; }

/// A run on the machine, but for that: JSON of its library and its scenario.
struct Run {
  nlohmann::ordered_json library;
  nlohmann::ordered_json scenario;
  std::optional<Twin> twin = {};  ///< on two servers
  /// Of copies: what calls of the driver cost, of what they do.
  double calls = 1;
  nlohmann::ordered_json shorter = {};  ///< the scenario with less of the same, simulated beside it; null: none
};

/// What is moved without a pause takes as much longer as it is longer: the times of two lengths give that of any other
/// one. They are copies of one run, or all that a run and its shorter scenario move.
struct Lengths {
  Bytes shorter;
  Bytes longer;
  Bytes wanted;  ///< whose rate is the value
};

/// Where a cell's value stands.
struct Reading {
  std::size_t run = 0;  ///< of the plan
  /// Rows whose text cells say that; a value of several is their sum.
  std::vector<std::vector<std::pair<std::string, std::string>>> rows;
  std::string time;                     ///< the column: a rate is "bytes" over it
  double times = 1;                     ///< the value counts so often
  std::optional<Lengths> lengths = {};  ///< of a run that has two
};

struct Cell {
  std::size_t from = 0;  ///< of the server's places
  std::size_t to = 0;
  What what = What::one_way;
  bool near = true;                   ///< both at one socket
  std::string how;                    ///< what moves the bytes: "copy engine of gpu0"
  std::vector<std::size_t> way = {};  ///< the wires between them, in the graph, the sender's own first; an adapter's
                                      ///< cable to the other server has the number behind the graph's last link, of
                                      ///< several at once the next ones
  bool chunks = false;                ///< by way of host memory
  /// Closed forms that the run does not tell: names with their places, bytes a second in one direction.
  std::vector<std::pair<std::string, double>> bounds = {};
  std::optional<Reading> reading = {};
  std::string why_not = {};  ///< without a reading: why this is not simulated
  /// The cell of the plan that measures the same, with parts of the same kind in other slots; its own reading would
  /// give its value.
  std::optional<std::size_t> alike = {};
  std::size_t group = 0;  ///< of the plan
};

/// How much is moved.
struct Wish {
  Bytes size = Bytes(32 * 1024 * 1024);  ///< of a copy whose rate is told: bandwidthTest's
  Bytes piece = Bytes(512 * 1024);       ///< that is simulated where one length says it; see piece_for
  bool each = false;                     ///< no cell is measured in another one's place
  Bytes small = Bytes(8);                ///< of a message whose latency is measured
};

/// Pairs of places that are measured together.
struct Group {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  Reach reach = Reach::all;  ///< what those that are alike have in common
};

struct Plan {
  Server server;
  std::vector<Run> runs;  ///< of each cell's reading, of those that are alike, too
  std::vector<Group> groups;
  std::vector<Cell>
      cells;  ///< of each pair of different places and each `What`; "both_ways" once a pair, "read" of few
};

/// A size of copies that take long enough to queue others behind them: 512 KiB up to PCIe Gen3 x16, more for faster
/// links.
Bytes piece_for(const topo::Graph& graph);

/// The places from or to which there are such cells, in their order.
std::vector<std::size_t> places_of(const Plan& plan, What what);

/// The runs that give all values: those of cells that are like no other one, each once, in their order.
std::vector<std::size_t> needed_runs(const Plan& plan);

/// About how many bytes a run moves, so that the long ones can go first.
double bytes_moved(const Run& run);

/// The plan of a machine. Throws what server_of throws.
Plan plan_of(const topo::Graph& graph, const Wish& wish);

}  // namespace tsunagi::box
