// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/verbs/messages/verbs_windows.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "units/parse.hpp"

namespace tsunagi::libraries {

using comm::Milestone;
using infiniband::Operation;
using infiniband::WorkRequest;

namespace {

constexpr int windows_rail = 0;  // by which everything goes: flags come behind what they tell of

constexpr int most_windows = 64;
constexpr int most_copies = 64;  // of puts that are under way
constexpr Bytes flag_place{8};

}  // namespace

void describe(VerbsWindowsConfig& c, config::Describer& d) {
  using namespace config;
  using Path = VerbsWindowsConfig::Path;
  d.choice("path", c.path,
           {{"direct", static_cast<std::int64_t>(Path::direct), "by RDMA"},
            {"messages", static_cast<std::int64_t>(Path::messages), "by two-sided messages"}},
           "how windows are accessed");
  d.field("put_limit", c.put_limit, "puts up to that go by messages all the same", within(0_B, 1_GiB));
  d.field("get_limit", c.get_limit, "and gets up to that", within(0_B, 1_GiB));
  d.field("copy_limit", c.copy_limit, "of the others puts up to that are copied into a registered buffer",
          within(0_B, 1_MiB));
  d.field("operation_cycles", c.operation_cycles, "core cycles of a put, get or flag, beside copies and posts",
          within(std::int64_t{0}, std::int64_t{1'000'000}), ideal(std::int64_t{0}));
}

VerbsWindows::VerbsWindows(VerbsEngine& engine, VerbsRendezvous& registration, const VerbsWindowsConfig& c, int ranks)
    : engine_(engine),
      registration_(registration),
      config_(c),
      ranks_(ranks),
      states_(static_cast<std::size_t>(ranks)),
      open_(most_windows) {
  const auto places = static_cast<std::int64_t>(place(most_windows, Flag::posted, 0));
  for (int rank = 0; rank < ranks; ++rank) {
    State& s = states_[rank];
    s.flags = node(rank).take_for_peers("flags of windows", flag_place * places);
    s.sources = node(rank).take("copies of those flags", flag_place * places);
    s.copies = node(rank).take("buffers of puts", c.copy_limit * most_copies);
    for (int i = most_copies; i > 0; --i) s.free.push_back(i - 1);
  }
}

int VerbsWindows::open() {
  const auto i = std::find(open_.begin(), open_.end(), false);
  if (i == open_.end())
    throw std::runtime_error("library mpi has memory for the flags of " + std::to_string(most_windows) +
                             " windows at a time");
  *i = true;
  return static_cast<int>(i - open_.begin());
}

void VerbsWindows::close(int window) { open_[static_cast<std::size_t>(window)] = false; }

void VerbsWindows::check(int rank, const comm::Buffer& b) const {
  if (b.offset + b.size > node(rank).user_memory())
    throw std::runtime_error("rank " + std::to_string(rank) + " accesses a window: " + to_string(b.offset + b.size) +
                             " of " + to_string(node(rank).user_memory()));
}

void VerbsWindows::show(Fiber& f, int rank, const comm::Buffer& b) {
  check(rank, b);
  registration_.expose(f, rank, user(rank, b), b.size);
}

bool VerbsWindows::room(int rank, int peer) const {
  return engine_.room(rank, peer, windows_rail, 1, 0) && !states_[rank].free.empty();
}

void VerbsWindows::begin(Fiber& f, int rank) const {
  if (config_.operation_cycles > 0)
    engine_.step()(f, rank, "begin a one-sided operation",
                   [&] { node(rank).core().execute(f, "one-sided", config_.operation_cycles); });
}

comm::Request VerbsWindows::post(Fiber& f, int rank, int peer, const char* name, const WorkRequest& w, int copy,
                                 flow::ByteView last) {
  const comm::Request request = requests_.make(f.now());
  request.reach(Milestone::started, f.now());
  engine_.post(
      f, rank, peer, windows_rail, name, w,
      [this, rank, copy, request](Fiber& by) {
        if (copy >= 0) states_[rank].free.push_back(copy);
        request.reach(Milestone::delivered, by.now());
        request.reach(Milestone::completed, by.now());
      },
      last);
  return request;
}

comm::Request VerbsWindows::put(Fiber& f, int rank, int peer, const comm::Buffer& from, const comm::Buffer& to) {
  check(rank, from);
  begin(f, rank);
  WorkRequest w;
  w.operation = Operation::write;
  w.length = from.size;
  w.local = user(rank, from);
  w.remote = user(peer, to);
  int copy = -1;
  if (from.size <= config_.copy_limit) {
    copy = states_[rank].free.back();
    states_[rank].free.pop_back();
    w.local = states_[rank].copies.base + unsigned_of(config_.copy_limit * copy);
    engine_.step().copied(comm::Copier::core, from.size);
    engine_.step()(f, rank, "copy the put",
                   [&] { node(rank).core().copy(f, node(rank).memory(), w.local, user(rank, from), from.size); });
  } else {
    registration_.expose(f, rank, w.local, from.size);
  }
  engine_.step().sent(from.size);
  engine_.step().copied(comm::Copier::dma, from.size);
  return post(f, rank, peer, "post the put", w, copy, {});
}

comm::Request VerbsWindows::get(Fiber& f, int rank, int peer, const comm::Buffer& from, const comm::Buffer& to) {
  check(rank, to);
  begin(f, rank);
  WorkRequest w;
  w.operation = Operation::read;
  w.length = from.size;
  w.local = user(rank, to);
  w.remote = user(peer, from);
  registration_.expose(f, rank, w.local, from.size);
  engine_.step().sent(from.size);
  engine_.step().copied(comm::Copier::dma, from.size);
  return post(f, rank, peer, "post the get", w, -1, {});
}

comm::Request VerbsWindows::raise(Fiber& f, int rank, int window, Flag flag, int peer) {
  begin(f, rank);
  State& s = states_[rank];
  const std::size_t mine = place(window, flag, peer);
  const Bytes n = width(flag);
  const flow::WordBytes said(++s.counts[mine].raised);
  const flow::ByteView last{said.bytes, static_cast<std::size_t>(n.count())};
  WorkRequest w;
  w.operation = Operation::write;
  w.length = n;
  w.local = s.sources.base + unsigned_of(flag_place) * mine;
  w.remote = states_[peer].flags.base + unsigned_of(flag_place) * place(window, flag, rank);
  engine_.step()(f, rank, "store a flag", [&] { node(rank).core().store(f, w.local, last); });
  return post(f, rank, peer, "post a flag", w, -1, last);
}

host::Core::Polled VerbsWindows::word(int rank, const Raised& r) const {
  const std::size_t at = place(r.window, r.flag, r.peer);
  const auto& counts = states_[rank].counts;
  const auto count = counts.find(at);
  const std::uint32_t taken = count == counts.end() ? 0 : count->second.taken;
  return {states_[rank].flags.base + unsigned_of(flag_place) * at + unsigned_of(width(r.flag)), width(r.flag),
          [taken](std::uint64_t said) { return static_cast<std::uint32_t>(said) != taken; }};
}

void VerbsWindows::take(Fiber& f, int rank, const Raised& r) {
  const host::Core::Polled w = word(rank, r);
  // The loop has fetched its line, if it ended with that.
  if (!engine_.fetched(rank, w.end)) engine_.step()(f, rank, "poll a flag", [&] { node(rank).await(f, w); });
  ++states_[rank].counts[place(r.window, r.flag, r.peer)].taken;
}

void VerbsWindows::await(int rank, const std::vector<Raised>& all) {
  std::vector<host::Core::Polled> words;
  for (const Raised& r : all) words.push_back(word(rank, r));
  engine_.await(rank, std::move(words));
}

}  // namespace tsunagi::libraries
