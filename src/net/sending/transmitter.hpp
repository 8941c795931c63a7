// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "flow/framing.hpp"
#include "net/link_layer/acknowledgements.hpp"
#include "net/link_layer/bit_errors.hpp"
#include "net/link_layer/link_timeline.hpp"
#include "net/schedule.hpp"
#include "net/specs.hpp"

namespace tsunagi::net {

/// What one packet takes of a direction of a wire.
struct Weight {
  flow::WireSize size;
  flow::Credits cost;
  flow::Credits needs;     // cost, and what the source must leave free
  Time length;             // on the wire
  std::int64_t beats = 0;  // on the datapath
  Time crossing;           // beats, where they are whole femtoseconds
};

/// When a packet passes what.
struct Passage {
  Span datapath;
  Time piped;      // its head has left the pipeline
  Time first_try;  // start of the first attempt on the wire
  Span wire;       // of the attempt that arrived
  Time complete;   // all of it, or of the flit that ends it, has left
  Time left;       // it has left the buffer upstream
  int replays = 0;
};

/// The sending end of one direction: the chip's datapath, the port's pipeline and FIFO, and the wire with its bit
/// errors.
class Transmitter {
 public:
  /// The specs must outlive it.
  Transmitter(const WireSpec& wire, const TxSpec& tx);
  /// Gives the wire its own stream of bit errors, if it has any.
  void seed_errors(std::uint64_t seed, const std::string& name);

  LinkTimeline& timeline() { return timeline_; }
  const LinkTimeline& timeline() const { return timeline_; }
  const TxSpec& spec() const { return *tx_; }
  BitErrors* errors() { return errors_.get(); }

  /// First time from `from` on at which the next packet can be granted.
  Time next_grant(Time from) const;
  /// Beats that a packet takes on the datapath, and its time on the wire.
  void weigh(Weight& w) const;
  /// Sends the next packet, granted at `at` as `next_grant` said; its last byte is there at `ready`. What arrives
  /// corrupted is sent again when `acks` say so, the opposite direction being `reverse`.
  Passage send(Time at, Time ready, const Weight& weight, Acknowledgements& acks, const LinkTimeline& reverse,
               const LinkObserver& observer);
  /// Occupies the wire with `size` bytes that the receiver has already.
  void send_duplicates(Time now, Bytes size) { timeline_.place_packet(now, size, tx_->word_clock); }

 private:
  /// Of the datapath's clock, where it is whole.
  Time period() const { return tx_->datapath->clock.whole_period(); }
  bool same_clock() const { return piped_ >= Time::zero(); }
  /// When a packet granted at `at` crosses the datapath: its beats follow each other without a gap, so late that the
  /// last one is there in time.
  Span cross(Time at, Time ready, const Weight& weight) const;

  /// Sends again what lay in flits that arrive corrupted.
  void replay_flits(Passage& p, Acknowledgements& acks, const FlitStream& reverse, const LinkObserver& observer);

  const TxSpec* tx_;
  Time not_before_;  // the datapath is free then, or the last packet, perhaps ahead of time, was granted then
  Time ahead_;       // how long before the wire is free the datapath may take the next packet
  LinkTimeline timeline_;
  Time piped_;  // latency of the pipeline for what leaves the datapath, if they share a clock; else below zero
  Time gap_;    // WireSpec::gap
  std::unique_ptr<BitErrors> errors_;
};

}  // namespace tsunagi::net
