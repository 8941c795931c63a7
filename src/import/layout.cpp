// SPDX-License-Identifier: Apache-2.0
#include "import/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace tsunagi::importing {

namespace {

constexpr std::int64_t kib_of_gib = std::int64_t{1} << 20;
// What root complexes and switches hold (models/host/root_complex.cpp, models/pcie/switch.cpp), with room left.
constexpr std::size_t most_root_ports = 120;
constexpr std::size_t most_downstream = 126;
constexpr std::size_t most_ways = 1 << 16;
constexpr int assumed_payload = 256, most_switch_payload = 2048;

std::int64_t round_up(std::int64_t value, std::int64_t to) { return (value + to - 1) / to * to; }

/// Whether GPUs can be called by their own numbers.
class GpuNumbers {
 public:
  explicit GpuNumbers(const Server& server) {
    for (const Socket& s : server.sockets) collect(s.cards);
    good_ = good_ && (numbers_.empty() ||
                      (*numbers_.begin() == 0 && *numbers_.rbegin() + 1 == static_cast<int>(numbers_.size())));
  }
  bool are_good() const { return good_; }

 private:
  void collect(const std::vector<Card>& cards) {
    for (const Card& c : cards) {
      if (c.role == Role::gpu) good_ = good_ && c.number && numbers_.insert(*c.number).second;
      collect(c.below);
    }
  }
  std::set<int> numbers_;
  bool good_ = true;
};

class Placing {
 public:
  Placing(const Server& server, Findings& findings)
      : findings_(findings),
        by_number_(GpuNumbers(server).are_good()),
        next_(std::max(256 * kib_of_gib, static_cast<std::int64_t>(server.sockets.size()) * memory_kib)) {}

  PlacedCard place(const Card& card, std::size_t ways) {
    PlacedCard out;
    out.card = &card;
    out.part = &part_of(card);
    out.name = name_of(card);
    const std::int64_t grain = card.role == Role::gpu ? kib_of_gib : 1024;
    next_ = round_up(next_, grain);
    out.begin = next_;
    if (card.role == Role::bridge) {
      ways *= card.below.size() + 1;
      if (card.below.size() > most_downstream || ways > most_ways)
        findings_.fail(card.place,
                       fmt::format("more than a machine's switches carry: {} ports below {} ({} below one "
                                   "switch; the product of the ports of switches above each other up to {})",
                                   card.below.size(), card.address, most_downstream, most_ways));
      for (const Card& below : card.below) out.below.push_back(place(below, ways));
      if (!out.below.empty()) out.begin = out.below.front().begin;
    } else {
      next_ += out.part->window_kib;
    }
    out.end = card.role == Role::bridge && !out.below.empty() ? out.below.back().end : next_;
    return out;
  }

 private:
  std::string name_of(const Card& card) {
    switch (card.role) {
      case Role::bridge:
        return fmt::format("switch{}", count_[card.role]++);
      case Role::gpu:
        return fmt::format("gpu{}", by_number_ ? *card.number : count_[card.role]++);
      case Role::infiniband:
        return from_the_second("hca", card.role);
      case Role::nic:
        return from_the_second("nic", card.role);
      case Role::nvme:
        return from_the_second("nvme", card.role);
    }
    return {};
  }
  std::string from_the_second(const char* name, Role role) {
    const int number = count_[role]++;
    return number == 0 ? name : fmt::format("{}{}", name, number);
  }

  Findings& findings_;
  bool by_number_;
  std::int64_t next_;
  std::map<Role, int> count_;
};

/// The least that is said below a slot, the address of who says more, and of who says less.
struct Payloads {
  int least = 0;
  int most = 0;
  void take(const Card& c) {
    if (c.max_payload > 0) {
      least = least == 0 ? c.max_payload : std::min(least, c.max_payload);
      most = std::max(most, c.max_payload);
    }
    for (const Card& below : c.below) take(below);
  }
};

void set_payload(PlacedCard& card, int payload) {
  card.max_payload = payload;
  for (PlacedCard& below : card.below) set_payload(below, payload);
}

/// Packets pass switches whole: one largest payload for all that is below a slot.
void set_payloads(PlacedCard& card, Findings& findings) {
  Payloads said;
  said.take(*card.card);
  int payload = said.least == 0 ? assumed_payload : said.least;
  if (said.most > said.least)
    findings.warn(card.card->place,
                  fmt::format("MaxPayload below the slot of {} is between {} and {} bytes; the least is taken for all",
                              comment(card.card->address), said.least, said.most));
  if (payload > most_switch_payload && !card.below.empty()) {
    findings.warn(card.card->place, fmt::format("MaxPayload is {} bytes, the switch's part carries {}: that is taken",
                                                payload, most_switch_payload));
    payload = most_switch_payload;
  }
  set_payload(card, payload);
}

}  // namespace

std::vector<PlacedSocket> layout_of(const Server& server, Findings& findings) {
  std::vector<PlacedSocket> out;
  Placing placing(server, findings);
  for (const Socket& socket : server.sockets) {
    PlacedSocket s;
    s.socket = &socket;
    s.part = &part_of(socket);
    s.suffix = out.empty() ? "" : fmt::format("{}", out.size());
    s.memory_begin = static_cast<std::int64_t>(out.size()) * memory_kib;
    if (socket.cards.size() + 2 * (server.sockets.size() - 1) + 1 > most_root_ports)
      findings.fail(socket.place, fmt::format("{} slots and {} other sockets are more than a root complex has ports",
                                              socket.cards.size(), server.sockets.size() - 1));
    for (const Card& card : socket.cards) {
      s.cards.push_back(placing.place(card, 1));
      set_payloads(s.cards.back(), findings);
    }
    if (!s.cards.empty()) {
      s.begin = s.cards.front().begin;
      s.end = s.cards.back().end;
    }
    out.push_back(std::move(s));
  }
  return out;
}

}  // namespace tsunagi::importing
