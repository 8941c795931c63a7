// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <string>
#include <vector>

#include "trace/mend.hpp"
#include "trace/output.hpp"
#include "trace/selection.hpp"
#include "trace/trace.hpp"

namespace tsunagi::trace {

/// How a dump becomes valid that was not written to its end.
extern const Mending vcd_mending;

/// A value change dump (IEEE 1364-2005, 18.2), which GTKWave and other viewers of waves read; timescale 1 fs. Each
/// channel has `busy` (a packet is on the wire), `packet` (its number, else 0), `payload` (its bytes, else 0), `dllp`
/// (link layer or ordered set on the wire) and a `credits_CLASS` of header credits left, x until they first change or
/// if infinite. What passes in no time, on an infinitely fast wire, leaves no change. Ranks and stages are not in it.
///
/// Changes have to be written in the order of their times: those of the last 50 us are held back. What is told later
/// than that is moved to the earliest time that is not yet written, and counted.
class VcdTrace final : public Trace {
 public:
  VcdTrace(Output& output, const std::vector<net::ChannelInfo>& channels, Selection selection,
           const std::string& version);

  void stage(const net::StageEvent&) override {}
  void hop(const net::Hop& h) override;
  void overhead(const net::OverheadEvent& e) override;
  void credits(const net::CreditEvent& e) override;
  void call(const comm::Call& c) override { reached(c.end); }
  void step(const comm::Step& s) override { reached(s.end); }
  void together(const comm::Together& t) override { reached(t.end); }
  void finish(Time end) override;
  std::int64_t late() const override { return late_; }

 private:
  struct Signal {
    std::string code;
    int bits = 1;
    std::optional<std::uint64_t> value;  // unknown: x
    std::string text() const;            // the line that says the value
  };
  struct Change {
    Time when;
    bool after;  // of changes at one time: what ends a span goes first, what begins the next after it
    std::uint64_t number;
    std::size_t signal;
    std::uint64_t value;
    bool operator>(const Change& o) const;
  };

  void write_header(const std::vector<net::ChannelInfo>& channels, const std::string& version);
  void declare(std::size_t channel, const net::ChannelInfo& info);
  /// The signal is `value` during the span, 0 before and after.
  void pulse(std::size_t signal, net::Span span, std::uint64_t value);
  void change(Time when, bool after, std::size_t signal, std::uint64_t value);
  /// Simulated time has come to `now`, as far as is known: writes what nothing can precede any more.
  void reached(Time now);
  void write_until(Time t);
  void write_next();
  void write_initial_values();
  void write(Time when, const std::string& changes);

  Output& output_;
  Selection selection_;
  std::vector<std::size_t> first_signal_;  // of each channel; `unselected` for none
  std::vector<Signal> signals_;
  std::priority_queue<Change, std::vector<Change>, std::greater<>> pending_;
  std::uint64_t changes_ = 0;
  std::int64_t late_ = 0;
  Time safe_;     // all before is written
  Time written_;  // the last time in the file
  bool begun_ = false;
};

}  // namespace tsunagi::trace
