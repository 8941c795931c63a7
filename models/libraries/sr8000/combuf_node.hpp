// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "comm/by_rank.hpp"
#include "comm/library.hpp"
#include "config/describe.hpp"
#include "machine/machine.hpp"
#include "models/host/core.hpp"
#include "models/host/memory/memory.hpp"
#include "models/process/host_process.hpp"
#include "models/sr8000/nia.hpp"

namespace tsunagi::libraries {

/// Hitachi's remote DMA library on one node (paper 002, 4.1 and 5.1).
struct ComBufNodeConfig {
  std::string core = "core0";
  std::string memory = "memory";
  std::string nia = "nia";
  std::int64_t kick_cycles = 100;
  std::int64_t build_cycles = 400;
  std::int64_t wait_cycles = 20;
  std::int64_t sent_cycles = 200;
};
void describe(ComBufNodeConfig& c, config::Describer& d);

/// What a rank's messages ask for while it waits for something else.
class Attended {
 public:
  virtual ~Attended() = default;
  /// Words that say that something is to be done.
  virtual std::vector<host::Core::Polled> words(int rank) = 0;
  /// Does what number `which` of them says.
  virtual void attend(Fiber& f, int rank, std::size_t which) = 0;
};

/// A node of a library over remote DMA: the core that runs its rank builds transfer control words (TCWs) in memory and
/// has its adapter send them. What sets up memory and fields takes no time: before the run.
class ComBufNode : public process::HostProcess {
 public:
  /// `prefix`: what the names of the node's devices begin with. Throws config::ConfigError if it lacks a part.
  ComBufNode(const ComBufNodeConfig& c, Machine& m, const std::string& prefix);

  // Before the run. Areas are handed out alike on all nodes of a library, so that the addresses, and the identifiers of
  // fields, are the same on all.
  process::Area take(const std::string& name, Bytes size) { return areas().take(name, size); }
  /// An area that peers write to; its remote DMA field.
  int take_field(const std::string& name, Bytes size, std::uint64_t* base);
  /// All that is left becomes the rank's memory, and a field of its own. Throws config::ConfigError if what was taken
  /// does not fit.
  void close();
  /// A TCW that has always been there.
  void preset(std::uint64_t at, const sr8000::Tcw& t);

  /// From now on `wait_count` and `wait_flag` attend to messages of rank `rank`, which this node runs; `a` outlives it.
  void attend_to(Attended& a, int rank) {
    attended_ = &a;
    rank_ = rank;
  }

  // A program's steps:
  /// Builds a TCW at `at`.
  void build(Fiber& f, std::uint64_t at, const sr8000::Tcw& t);
  /// Changes one: reads what is there, and writes it.
  void change(Fiber& f, std::uint64_t at, const sr8000::Tcw& t);
  /// combuf_kick_tcw_fast: has the TCW at `at` sent as it is; looks at nothing. `before`: stores that come first.
  /// Returns the number of the transfer.
  std::uint64_t kick(Fiber& f, std::uint64_t at, std::vector<host::Core::Said> before = {});
  /// Where the adapter writes the number of the last transfer that has left: the word before that.
  std::uint64_t sent_word_end() const { return status_ + 8; }
  /// What says that the transfer of that number has left.
  host::Core::Polled sent(std::uint64_t number) const {
    return {sent_word_end(), 8_B, [number](std::uint64_t said) { return said >= number; }};
  }
  /// Returns when it has.
  void wait_sent(Fiber& f, std::uint64_t number);
  /// Polls a word of 8 B until it says `number` or more.
  void wait_count(Fiber& f, std::uint64_t at, std::uint64_t number) const;
  /// Polls a word of 8 B until it says something else than `last`, and makes that `last`.
  void wait_flag(Fiber& f, std::uint64_t at, std::uint64_t& last) const;
  /// The same of a flag behind data: until it is that of a later transfer of `node` than `last`.
  void wait_flag(Fiber& f, std::uint64_t at, std::uint32_t node, std::uint64_t& last) const;

  /// What the word of 8 B before `end` says to who looks at it now, before anything that is written at this very time.
  std::uint64_t said(std::uint64_t end) const {
    return memory().word_ending_at(end).value_before(core().simulation().now());
  }
  /// Where the adapter counts barriers of a colour.
  std::uint64_t barrier_word(int colour) const { return barriers_ + 64 * static_cast<std::uint64_t>(colour); }

  sr8000::Nia& nia() const { return *nia_; }
  /// The field that programs' memory is.
  int user_field() const { return user_field_; }

 private:
  ComBufNodeConfig config_;
  /// Polls for a word, and attends to messages meanwhile.
  void wait_for(Fiber& f, const host::Core::Polled& word) const;

  sr8000::Nia* nia_;
  Attended* attended_ = nullptr;
  int rank_ = -1;
  int user_field_ = -1;
  std::uint64_t status_ = 0;  // where the number of the last transfer is written that has left
  std::uint64_t barriers_ = 0;
  std::uint64_t kicked_ = 0;
};

/// The machine's nodes with network interface adapters, by their numbers. Throws config::ConfigError, which names the
/// library, if there are fewer than two.
comm::ByRank<ComBufNode> combuf_nodes(const ComBufNodeConfig& c, Machine& m, const std::string& library);

/// Throws config::ConfigError for a message that does not fit a rank's memory, which all have alike. Before time 0.
void combuf_check(const ComBufNode& node, int from, int to, const comm::Buffer& b);

/// What bounds the bandwidth of messages that a node sends: its link.
std::vector<comm::Ceiling> combuf_ceilings(const ComBufNode& from);

}  // namespace tsunagi::libraries
