// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "comm/rank.hpp"

namespace tsunagi::scenarios {

/// Faces of a GPU's part of a lattice that go to the neighbours by way of host memory, as QUDA 0.6.0 does it
/// (dslash_quda.cu, face_buffer.cpp, read in its source; built with pinned memory that MPI shares, its default): each
/// is copied to the host in a stream of its own, sent by a persistent request when an event says that it is there, and
/// what comes is copied into the GPU. A direction is asked for only when the one before has got so far.
class StagedFaces {
 public:
  /// A direction: what goes there, and what comes from the other side at the same time. In host memory both lie where
  /// they do in the GPU's.
  struct Direction {
    int dimension = 0;
    bool up = false;
    int to = 0;
    int from = 0;
    int tag = 0;
    Bytes size;
    Bytes face;   ///< where it lies
    Bytes ghost;  ///< where what comes belongs
    /// The streams behind the first one are for this: a direction's copies to the host have their own, a dimension's
    /// copies into the GPU that of its lower side.
    int gather_stream() const { return scatter_stream() + (up ? 1 : 0); }
    int scatter_stream() const { return 1 + 2 * dimension; }
    comm::DeviceCopy gathered(const std::string& gpu) const { return {{gpu, face}, {{}, face}, size}; }
    comm::DeviceCopy scattered(const std::string& gpu) const { return {{{}, ghost}, {gpu, ghost}, size}; }
  };
  /// `halo` is of the library that moves faces, among ranks 0 .. `ranks` - 1. `directions` are asked for in their
  /// order, those of a dimension behind each other.
  StagedFaces(comm::Rank& halo, int ranks, std::string gpu, std::vector<Direction> directions)
      : halo_(halo), group_(halo.first(ranks)), gpu_(std::move(gpu)), directions_(std::move(directions)) {}

  /// Has all faces copied to the host when `packed` is over.
  void gather(const comm::StreamEvent& packed);
  /// Sends them; returns when all that comes is on its way into the GPU. `there` is told of a dimension when that is
  /// so, with the event that its faces are in the GPU.
  void exchange(const std::function<void(int dimension, const comm::StreamEvent& scattered)>& there);

 private:
  struct State {
    comm::StreamEvent gathered;
    comm::Request received;
    comm::Request sent;
  };
  void start(const Direction& d, State& s);
  /// Whether what goes in a direction has gone, and what comes has come; `alone`: nothing else is asked for.
  bool has_come(const State& s, bool alone);
  void scatter(const Direction& d);
  comm::Stream stream(int number) const { return {gpu_, number}; }

  comm::Rank& halo_;
  comm::Group group_;
  std::string gpu_;
  std::vector<Direction> directions_;
  std::vector<State> states_;
};

}  // namespace tsunagi::scenarios
