// SPDX-License-Identifier: Apache-2.0
#include "trace/vcd.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "trace/names.hpp"
#include "trace/vcd_names.hpp"

namespace tsunagi::trace {
namespace {

constexpr Time horizon = 50_us;
constexpr std::size_t unselected = std::numeric_limits<std::size_t>::max();

// Signals of a channel, in this order; the credits of its classes follow.
enum : std::size_t { busy, packet, payload, dllp, first_credits };
constexpr int number_bits = 64;
constexpr int amount_bits = 32;

constexpr std::string_view first_words_of_vcd = "$version tsunagi ";

std::optional<Ending> ending_of_vcd(std::string_view tail) {
  const std::size_t dump = tail.rfind("$dumpvars\n");
  const bool whole = dump == std::string_view::npos || tail.find("$end\n", dump) != std::string_view::npos;
  const std::size_t line = whole ? tail.rfind('\n') + 1 : dump;  // 0: there is none
  if (line == 0) return std::nullopt;
  return Ending{line, ""};
}

}  // namespace

const Mending vcd_mending{first_words_of_vcd, ending_of_vcd};

bool VcdTrace::Change::operator>(const Change& o) const {
  return std::tie(when, after, number) > std::tie(o.when, o.after, o.number);
}

VcdTrace::VcdTrace(Output& output, const std::vector<net::ChannelInfo>& channels, Selection selection,
                   const std::string& version)
    : output_(output), selection_(std::move(selection)), first_signal_(channels.size(), unselected) {
  write_header(channels, version);
}

void VcdTrace::write_header(const std::vector<net::ChannelInfo>& channels, const std::string& version) {
  output_.add_frame(fmt::format("{}{} $end\n$timescale 1 fs $end\n", first_words_of_vcd, version));
  const auto scopes = channel_scopes(channels);
  std::vector<std::size_t> order(channels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scopes[a] < scopes[b]; });
  std::vector<std::string> open;
  const auto close_to = [&](std::size_t depth) {
    for (; open.size() > depth; open.pop_back()) output_.add_frame("$upscope $end\n");
  };
  for (const std::size_t i : order) {
    if (!selection_.place(channels[i].name())) continue;
    const auto& scope = scopes[i];
    const auto fork = std::mismatch(open.begin(), open.end(), scope.begin(), scope.end()).first - open.begin();
    close_to(static_cast<std::size_t>(fork));
    while (open.size() < scope.size()) {
      open.push_back(scope[open.size()]);
      output_.add_frame(fmt::format("$scope module {} $end\n", open.back()));
    }
    declare(i, channels[i]);
  }
  close_to(0);
  output_.add_frame("$enddefinitions $end\n");
}

void VcdTrace::declare(std::size_t channel, const net::ChannelInfo& info) {
  first_signal_[channel] = signals_.size();
  const auto signal = [&](const std::string& name, int bits, std::optional<std::uint64_t> initial) {
    signals_.push_back({signal_code(signals_.size()), bits, initial});
    output_.add_frame(fmt::format("$var wire {} {} {} $end\n", bits, signals_.back().code, name));
  };
  signal("busy", 1, 0);
  signal("packet", number_bits, 0);
  signal("payload", amount_bits, 0);
  signal("dllp", 1, 0);
  for (const std::string& name : info.classes) signal("credits_" + identifier(name), amount_bits, std::nullopt);
}

void VcdTrace::hop(const net::Hop& h) {
  if (output_.full()) return;
  if (const std::size_t first = first_signal_[h.channel]; first != unselected) {
    pulse(first + busy, h.wire, 1);
    pulse(first + packet, h.wire, h.item);
    pulse(first + payload, h.wire, static_cast<std::uint64_t>(h.size.payload.count()));
  }
  reached(h.granted);
}

void VcdTrace::overhead(const net::OverheadEvent& e) {
  if (output_.full() || first_signal_[e.channel] == unselected) return;
  pulse(first_signal_[e.channel] + dllp, e.wire, 1);
}

void VcdTrace::credits(const net::CreditEvent& e) {
  if (output_.full() || first_signal_[e.channel] == unselected) return;
  if (e.left.headers < 0) return;  // an infinite account is below zero, whatever was spent of it
  if (e.when < safe_) ++late_;
  change(std::max(e.when, safe_), true, first_signal_[e.channel] + first_credits + e.flow_class,
         static_cast<std::uint64_t>(e.left.headers));
}

void VcdTrace::pulse(std::size_t signal, net::Span span, std::uint64_t value) {
  if (span.head < safe_) ++late_;
  const Time head = std::max(span.head, safe_);
  if (span.tail <= head) return;
  change(head, true, signal, value);
  change(span.tail, false, signal, 0);
}

void VcdTrace::change(Time when, bool after, std::size_t signal, std::uint64_t value) {
  if (when <= selection_.to()) pending_.push({when, after, ++changes_, signal, value});
}

void VcdTrace::reached(Time now) {
  if (now - horizon <= safe_) return;
  safe_ = now - horizon;
  write_until(safe_);
}

void VcdTrace::write_until(Time t) {
  while (!pending_.empty() && pending_.top().when < t) write_next();
}

void VcdTrace::write_next() {
  const Time when = pending_.top().when;
  std::map<std::size_t, std::uint64_t> values;  // the last of each signal at this time
  for (; !pending_.empty() && pending_.top().when == when; pending_.pop())
    values[pending_.top().signal] = pending_.top().value;
  if (when > selection_.from()) write_initial_values();
  std::string text;
  for (const auto& [number, value] : values) {
    Signal& signal = signals_[number];
    if (signal.value == value) continue;
    signal.value = value;
    text += signal.text();
  }
  if (when > selection_.from() && !text.empty()) write(when, text);
}

void VcdTrace::write_initial_values() {
  if (begun_) return;
  begun_ = true;
  std::string text = "$dumpvars\n";
  for (const Signal& signal : signals_) text += signal.text();
  write(selection_.from(), text + "$end\n");
}

void VcdTrace::write(Time when, const std::string& changes) {
  if (output_.add(fmt::format("#{}\n{}", when.fs(), changes), when)) written_ = when;
}

void VcdTrace::finish(Time end) {
  safe_ = Time::max();
  while (!pending_.empty()) write_next();
  write_initial_values();
  if (const Time last = std::min(end, selection_.to()); last > written_) write(last, "");
}

std::string VcdTrace::Signal::text() const {
  if (!value) return fmt::format("bx {}\n", code);
  return bits == 1 ? fmt::format("{}{}\n", *value, code) : fmt::format("b{:b} {}\n", *value, code);
}

}  // namespace tsunagi::trace
