// SPDX-License-Identifier: Apache-2.0
// What a rank finds when it looks: work requests that are done, and headers that have come.
#include <algorithm>
#include <utility>

#include "comm/world/start_line.hpp"
#include "models/libraries/verbs/messages/verbs_engine.hpp"

namespace tsunagi::libraries {

namespace {

// Of handles; below: buffers of the receive queue.
constexpr std::uint64_t first_fast = std::uint64_t{1} << 40;  // and the peer and 32 bits of the message's number
constexpr std::uint64_t fast_numbers = std::uint64_t{1} << 32;

MessageHeader header_before(const host::Memory& memory, std::uint64_t end) {
  return MessageHeader::read([&](Bytes n) { return memory.bytes(end - unsigned_of(n), n); });
}

}  // namespace

void VerbsEngine::complete(Fiber& f, int rank) {
  while (rails_.any_sent(rank))
    step_(f, rank, "poll a send's completion", [&] {
      const VerbsRails::Posted done = rails_.take_sent(f, rank);
      if (done.buffer >= 0) state(rank).free.push_back(done.buffer);
      if (done.then) done.then(f);
    });
}

host::Core::Polled VerbsEngine::fast_word(int rank, int peer) const {
  const FastPath& fast = state(rank).fast;
  const std::uint64_t number = fast.expected(peer);
  return {fast.incoming(peer, number) + unsigned_of(FastPath::word), FastPath::word,
          [number](std::uint64_t said) { return FastPath::says(said, number); }};
}

int VerbsEngine::fast_arrival(int rank) {
  State& s = state(rank);
  for (std::size_t i = 1; i <= s.polled_peers.size(); ++i) {
    const std::size_t at = (s.looked + i) % s.polled_peers.size();
    if (!node(rank).says(fast_word(rank, s.polled_peers[at]))) continue;
    s.looked = at;
    return s.polled_peers[at];
  }
  return -1;
}

VerbsEngine::Arrived VerbsEngine::receive_fast(Fiber& f, int rank, int peer) {
  FastPath& fast = state(rank).fast;
  VerbsNode& me = node(rank);
  const host::Core::Polled first = fast_word(rank, peer);
  const Bytes n = FastPath::length(me.memory().word_ending_at(first.end, first.width).value);
  const std::uint64_t number = fast.expected(peer), end = first.end + unsigned_of(n);
  const std::uint64_t mark = end + unsigned_of(FastPath::word);
  Arrived a;
  const host::Core::Polled behind{mark, FastPath::word, [number](std::uint64_t said) { return said == number; }};
  const std::uint64_t line = unsigned_of(host::Core::line);
  step_(f, rank, "poll a slot", [&] {
    // The loop has fetched the first word's line, if it ended with that.
    if (std::exchange(state(rank).fetched, -1) != peer) me.await(f, first);
    const bool same_line = (first.end - 1) / line == (mark - 1) / line;
    if (!same_line || !me.says(behind)) me.await(f, behind);
  });
  a.at = me.memory().word_ending_at(mark, FastPath::word).since;
  const std::uint64_t last = flow::read_word(me.memory().bytes(end - 8, FastPath::word).data(), 8);
  a.header = MessageHeader::is_repeated(last) ? MessageHeader::decode(last, fast.last_received(peer))
                                              : header_before(me.memory(), end);
  fast.last_received(peer) = a.header;
  fast.received(peer);
  a.peer = peer;
  a.handle = first_fast + static_cast<std::uint64_t>(peer) * fast_numbers + number % fast_numbers;
  return a;
}

VerbsEngine::Arrived VerbsEngine::receive(Fiber& f, int rank) {
  State& s = state(rank);
  VerbsRails::Received r;
  std::uint64_t end = 0;
  step_(f, rank, "poll a receive's completion", [&] {
    r = rails_.take_received(f, rank);
    end = buffer(s.incoming, r.buffer) + unsigned_of(r.length);
    const Bytes header = std::min(r.length, config_.header);
    node(rank).core().read(f, node(rank).memory(), end - unsigned_of(header), header, "fetch the header");
  });
  Arrived a;
  a.at = r.at;
  a.peer = r.peer;
  a.header = header_before(node(rank).memory(), end);
  a.handle = static_cast<std::uint64_t>(r.buffer);
  const bool polled = s.fast.polls(r.peer);
  s.fast.count_received(r.peer);
  if (!polled && s.fast.polls(r.peer)) s.polled_peers.push_back(r.peer);
  s.fast.returned(r.peer, a.header.credits);
  return a;
}

std::optional<VerbsEngine::Arrived> VerbsEngine::next(Fiber& f, int rank) {
  State& s = state(rank);
  VerbsNode& me = node(rank);
  if (!std::exchange(s.polled, false))
    step_(f, rank, "look at the completion queues", [&] {
      me.core().execute(f, "look at the completion queues", me.core().config().poll_cycles * rails_.cards());
    });
  Arrived a;
  if (const int peer = fast_arrival(rank); peer >= 0) {
    a = receive_fast(f, rank, peer);
    s.fast.returned(peer, a.header.credits);
  } else if (rails_.any_received(rank)) {
    a = receive(f, rank);
  } else {
    return std::nullopt;
  }
  --headers_;
  if (config_.arrival_cycles > 0)
    step_(f, rank, "handle a header", [&] { me.core().execute(f, "receive", config_.arrival_cycles); });
  return a;
}

std::vector<host::Core::Polled> VerbsEngine::words(int rank) const {
  const State& s = state(rank);
  std::vector<host::Core::Polled> out;
  for (std::size_t i = 1; i <= s.polled_peers.size(); ++i)
    out.push_back(fast_word(rank, s.polled_peers[(s.looked + i) % s.polled_peers.size()]));
  rails_.add_words(rank, out);
  return out;
}

void VerbsEngine::attend(Fiber& f, int rank, bool run_out, Event& told, const std::function<bool()>& over) const {
  const std::vector<host::Core::Polled> words = run_out ? rails_.last_receives(rank) : this->words(rank);
  std::vector<Event*> events{&told};
  for (const host::Core::Polled& w : words)
    events.push_back(&node(rank).memory().word_ending_at(w.end, w.width).changed);
  const auto says = [&](const host::Core::Polled& w) { return node(rank).says(w); };
  while (!over() && std::none_of(words.begin(), words.end(), says))
    f.wait_any(events, Time::max(), run_out ? comm::StartLine::why : "the other ranks, whose programs have not ended");
}

void VerbsEngine::wait(Fiber& f, int rank) {
  State& s = state(rank);
  VerbsNode& me = node(rank);
  std::vector<host::Core::Polled> words = this->words(rank);
  const std::size_t beside = words.size();
  words.insert(words.end(), s.awaited.begin(), s.awaited.end());
  std::size_t found = 0;
  step_(f, rank, "poll the completion queues", [&] { found = me.core().poll_any(f, me.memory(), words); });
  const std::size_t peers = s.polled_peers.size();
  s.fetched = found < peers ? s.polled_peers[(s.looked + 1 + found) % peers] : -1;
  s.found = found < beside ? 0 : words[found].end;
  s.polled = true;
}

void VerbsEngine::give_slot_back(Fiber& f, int rank, std::uint64_t handle, bool tell) {
  State& s = state(rank);
  VerbsNode& me = node(rank);
  const auto peer = static_cast<int>((handle - first_fast) / fast_numbers);
  const std::uint64_t number = handle % fast_numbers;
  step_(f, rank, "clear the slot", [&] { me.core().store(f, s.fast.incoming(peer, number), FastPath::word, 0, 0); });
  s.fast.give_back(peer, number);
  if (tell && s.fast.owes(peer) && room(rank, peer)) send(f, rank, peer, {{}, 0, MessageHeader::Notice::slots});
}

void VerbsEngine::post_again(Fiber& f, int rank, int i) {
  step_(f, rank, "post a receive",
        [&] { rails_.post_receive(f, rank, i / config_.slots, i, buffer(state(rank).incoming, i), buffer_size()); });
}

std::uint64_t VerbsEngine::place_of(int rank, std::uint64_t handle) const {
  const State& s = state(rank);
  if (handle < first_fast) return buffer(s.incoming, static_cast<int>(handle));
  return s.fast.incoming(static_cast<int>((handle - first_fast) / fast_numbers), handle % fast_numbers) +
         unsigned_of(FastPath::word);
}

bool VerbsEngine::takes_receive(std::uint64_t handle) { return handle < first_fast; }

void VerbsEngine::give_back(Fiber& f, int rank, std::uint64_t handle, bool tell) {
  if (handle >= first_fast)
    give_slot_back(f, rank, handle, tell);
  else
    post_again(f, rank, static_cast<int>(handle));
}

}  // namespace tsunagi::libraries
