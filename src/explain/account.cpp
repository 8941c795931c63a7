// SPDX-License-Identifier: Apache-2.0
#include "explain/account.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "explain/path.hpp"
#include "units/wide.hpp"

namespace tsunagi::explain {
namespace {

constexpr int overhead_kinds = 4;
constexpr std::array<const char*, overhead_kinds> overhead_names{"ack", "credit update", "nak", "skip"};

/// part/whole of t, rounded down.
Time fraction(Time t, std::int64_t part, std::int64_t whole) {
  return Time::from_fs(static_cast<std::int64_t>(static_cast<Wide>(t.fs()) * part / whole));
}

Time within(Time t, Time low, Time high) { return std::max(low, std::min(t, high)); }

/// Why the wire was idle while the next packet was in this segment of its own hop.
std::string own_reason(const Segment& s) {
  switch (s.kind) {
    case Kind::credit:
    case Kind::replay_space:
    case Kind::arbitration:
      return s.what;
    case Kind::pipeline:
      return "transmit pipeline";
    default:
      return "datapath bubble";
  }
}

class Accountant {
 public:
  Accountant(const History& history, std::uint32_t channel, Time from, Time to)
      : history_(history), overheads_(history.overheads_on(channel)), overhead_(overheads_.begin()), at_(from) {
    account_.channel = channel;
    account_.from = from;
    account_.to = to;
    for (const char* name : {"payload", "header", "framing", "coding"}) account_.uses.push_back({name, {}, true});
    for (const char* name : overhead_names) account_.uses.push_back({name, {}, true});
    account_.uses.push_back({"replay", {}, true});
    for (const std::string& c : history.channels()[channel].classes) add("credit wait (" + c + ")", {});
    for (const char* name : {"replay buffer full", "arbitration", "datapath bubble", "transmit pipeline", "tag wait",
                             "buffer wait", "source idle"})
      add(name, {});
  }

  Account run() {
    while (overhead_ != overheads_.end() && (*overhead_)->wire.tail <= account_.from) ++overhead_;
    for (const net::Hop* h : history_.hops_on(account_.channel)) {
      if (h->wire.tail <= account_.from) continue;
      idle(clip(h->first_try), h);
      if (h->first_try >= account_.to) break;
      carry(*h);
    }
    idle(account_.to, nullptr);
    take_coding_off();
    for (const Use& u : account_.uses)
      if (u.busy) account_.busy += u.time;
    return std::move(account_);
  }

 private:
  struct Piece {
    Time begin;
    Time end;
  };

  Time clip(Time t) const { return within(t, account_.from, account_.to); }

  void add(const std::string& name, Time t) {
    auto& uses = account_.uses;
    auto use = std::find_if(uses.begin(), uses.end(), [&](const Use& u) { return u.name == name; });
    if (use == uses.end()) use = uses.insert(use, {name, {}, false});
    use->time += t;
  }

  /// The wire is taken up to the end of a packet.
  void carry(const net::Hop& h) {
    const Time head = std::max(at_, clip(h.wire.head));
    const Time length = std::max(head, clip(h.wire.tail)) - head;
    add("replay", head - at_);
    at_ = head + length;
    if (h.wire.tail <= account_.to) {
      account_.payload += h.size.payload;
      account_.sent += h.size.total();
    }
    std::array<std::pair<const char*, std::int64_t>, 3> parts{
        {{"payload", h.size.payload.count()}, {"header", h.size.header.count()}, {"framing", h.size.framing.count()}}};
    const auto largest =
        std::max_element(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    const std::int64_t total = h.size.total().count();
    Time rest = length;
    for (const auto& [name, bytes] : parts) {
      const Time t = total == 0 ? Time::zero() : fraction(length, bytes, total);
      add(name, t);
      rest -= t;
    }
    add(largest->first, rest);
  }

  /// The wire carries no packet up to `end`; `next` is the next one, if any.
  void idle(Time end, const net::Hop* next) {
    if (end <= at_) return;
    const Time begin = at_;
    std::vector<Piece> pieces;
    // What was placed within a packet, or reaches into one, is owed: it takes its time where there is some.
    for (; overhead_ != overheads_.end() && clip((*overhead_)->wire.head) < end; ++overhead_) {
      const net::OverheadEvent& o = **overhead_;
      const Time from = within(o.wire.head, at_, end);
      const Time to = within(o.wire.tail, from, end);
      pieces.push_back({at_, from});
      at_ = to;
      const auto kind = static_cast<std::size_t>(o.kind);
      add(overhead_names[kind], to - from);
      owed_[kind] += (clip(o.wire.tail) - clip(o.wire.head)) - (to - from);
    }
    pieces.push_back({at_, end});
    at_ = end;
    for (Piece& p : pieces)
      for (std::size_t kind = 0; kind < overhead_kinds; ++kind) {
        const Time t = std::min(owed_[kind], p.end - p.begin);
        add(overhead_names[kind], t);
        owed_[kind] -= t;
        p.begin += t;
      }
    explain(pieces, begin, next);
  }

  void explain(const std::vector<Piece>& pieces, Time begin, const net::Hop* next) {
    if (next == nullptr) {
      for (const Piece& p : pieces) add("source idle", p.end - p.begin);
      return;
    }
    const Path path = walk(history_, *next, begin);
    std::string reason = "source idle";
    for (auto s = path.segments.rbegin(); s != path.segments.rend(); ++s) {
      const bool own = s->end > next->ready.head;
      // What came before a tag or buffer space was free, was its way home.
      if (!own && s->kind == Kind::tag) reason = "tag wait";
      if (!own && s->kind == Kind::buffer) reason = "buffer wait";
      const std::string why = own ? own_reason(*s) : reason;
      for (const Piece& p : pieces) {
        const Time from = std::max(p.begin, s->begin);
        const Time to = std::min(p.end, s->end);
        if (from < to) add(why, to - from);
      }
    }
  }

  /// Of what the wire carried, the line code takes its share.
  void take_coding_off() {
    const net::ChannelInfo& c = history_.channels()[account_.channel];
    if (c.coding_line <= c.coding_data) return;
    Time carried;
    Time left;
    Use* coding = nullptr;
    Use* largest = nullptr;
    for (Use& u : account_.uses) {
      if (u.name == "coding") coding = &u;
      if (!u.busy || u.name == "coding" || u.name == "replay") continue;
      carried += u.time;
      u.time = fraction(u.time, c.coding_data, c.coding_line);
      left += u.time;
      if (largest == nullptr || u.time > largest->time) largest = &u;
    }
    coding->time = fraction(carried, c.coding_line - c.coding_data, c.coding_line);
    largest->time += carried - coding->time - left;
  }

  const History& history_;
  Account account_;
  Range<net::OverheadEvent> overheads_;
  const net::OverheadEvent* const* overhead_;
  std::array<Time, overhead_kinds> owed_{};
  Time at_;  // all before is accounted for
};

/// Time for which something was on the wire.
Time busy_time(const History& history, std::uint32_t channel, Time from, Time to) {
  Time sum;
  const auto add = [&](const net::Span& s) { sum += within(s.tail, from, to) - within(s.head, from, to); };
  for (const net::Hop* h : history.hops_on(channel)) add(h->wire);
  for (const net::OverheadEvent* o : history.overheads_on(channel)) add(o->wire);
  return sum;
}

}  // namespace

double Account::payload_rate() const {
  return to <= from ? 0 : 1e15 * static_cast<double>(payload.count()) / static_cast<double>((to - from).fs());
}

double Account::payload_ceiling(const net::ChannelInfo& info) const {
  if (sent == Bytes::zero()) return 0;
  return info.rate.bytes_per_second() * static_cast<double>(payload.count()) / static_cast<double>(sent.count());
}

Account account(const History& history, std::uint32_t channel, Time from, Time to) {
  return Accountant(history, channel, from, to).run();
}

std::vector<Account> busiest(const History& history, Time from, Time to, std::size_t most) {
  std::vector<std::pair<Time, std::uint32_t>> order;
  for (std::uint32_t c = 0; c < history.channels().size(); ++c) {
    const Time busy = busy_time(history, c, from, to);
    if (busy > Time::zero()) order.emplace_back(busy, c);
  }
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  if (order.size() > most) order.resize(most);
  std::vector<Account> out;
  for (const auto& [busy, channel] : order) out.push_back(account(history, channel, from, to));
  return out;
}

}  // namespace tsunagi::explain
