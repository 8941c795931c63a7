// SPDX-License-Identifier: Apache-2.0
#include "support/random/random_rank.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "support/random/random_program.hpp"

namespace tsunagi::test {

using comm::Buffer;
using Kind = RandomOperation::Kind;

int RandomRank::me(const Operation& o) {
  const auto it = groups_.find(o.group);
  return it == groups_.end() ? -1 : it->second.rank();
}

void RandomRank::complain(const Operation& o, const std::string& what) {
  wrong_.push_back(fmt::format("rank {}, operation {}: {}", rank_->id(), o.number, what));
}

void RandomRank::run(comm::Rank& r, const Memory& memory) {
  rank_ = &r;
  memory_ = memory;
  groups_.emplace(0, r.world());
  for (const Operation& o : plan_->operations) {
    if (me(o) < 0) continue;
    perform(o);
    log_.push_back(fmt::format("rank {} operation {} at {}", r.id(), o.number, r.now().fs()));
  }
  groups_.clear();
}

void RandomRank::perform(const Operation& o) {
  switch (o.kind) {
    case Kind::message:
      return message(o);
    case Kind::exchange:
      return exchange(o);
    case Kind::collective:
      return collective(o);
    case Kind::split:
      return split(o);
    case Kind::wait:
      return o.from == me(o) ? wait(o) : void();
    case Kind::compute:
      return o.from == me(o) ? rank_->compute(o.time) : void();
    case Kind::fence:
      return fence(o);
    case Kind::epoch:
      return epoch(o);
    case Kind::flush:
      return flush(o);
  }
}

Buffer RandomRank::into(const Operation& o) const {
  const bool tight = pattern(o, o.to) <= RandomGroup::any_tag && o.which % 2 == 0;
  return {target_of(o.number), tight ? o.size : most, {}, {}};
}

void RandomRank::message(const Operation& o) {
  comm::Group& g = group(o.group);
  const int rank = me(o);
  if (o.from == rank) {
    const Buffer b{source_of(o.number), o.size, {}, {}};
    const bool wild = pattern(o, o.to) >= RandomGroup::any_source;
    if (o.send == 0 && o.to != rank && !wild)
      g.send(o.to, o.tag, b);
    else
      open_.push_back({o.send == 2 ? g.start({true, o.to, o.tag, b}) : g.isend(o.to, o.tag, b), o.number, false,
                       !wild && o.to != rank});
  }
  if (o.to == rank) receive(o);
}

void RandomRank::receive(const Operation& o) {
  comm::Group& g = group(o.group);
  const RandomGroup::Pattern p = pattern(o, o.to);
  int source = p >= RandomGroup::any_source ? comm::any_source : o.from;
  int tag = p == RandomGroup::any_tag || p == RandomGroup::any ? comm::any_tag : o.tag;
  const Buffer b = into(o);
  if (o.recv == 1 || o.recv == 4) {
    open_.push_back({o.recv == 1 ? g.irecv(source, tag, b) : g.start({false, source, tag, b}), o.number, true, true});
    return;
  }
  if (o.recv >= 2) {
    comm::Status s;
    if (o.recv == 2) {
      s = g.probe(source, tag);
    } else {
      std::optional<comm::Status> found;
      while (!(found = g.iprobe(source, tag))) rank_->compute(o.time);
      s = *found;
    }
    const comm::Status r = g.recv(s.source, s.tag, {b.offset, s.size, {}, {}});
    if (r.source != s.source || r.tag != s.tag || r.size != s.size) complain(o, "what was probed is not what came");
    return got(o, r);
  }
  got(o, g.recv(source, tag, b));
}

/// Two messages at once, one each way: its own number and the next one.
void RandomRank::exchange(const Operation& o) {
  comm::Group& g = group(o.group);
  const Operation& back = plan_->operations[static_cast<std::size_t>(o.number) + 1];
  const int rank = me(o);
  if (rank != o.from && rank != o.to) return;
  const Operation& out = rank == o.from ? o : back;
  const Operation& in = rank == o.from ? back : o;
  if (o.which == 1) return;  // the second half
  const int tag = pattern(o, rank) == RandomGroup::any_tag ? comm::any_tag : in.tag;
  got(in, g.sendrecv(out.to, out.tag, {source_of(out.number), out.size, {}, {}}, in.from, tag,
                     {target_of(in.number), most, {}, {}}));
}

void RandomRank::got(const Operation& o, const comm::Status& s) {
  const comm::Group& g = group(o.group);
  RandomReceived r{o.number, -1};
  if (s.size > Bytes::zero()) {
    const Buffer b{target_of(o.number), s.size, {}, {}};
    const comm::Ledger::Pieces pieces = rank_->ledger()->read(rank_->id(), b);
    const std::string text = rank_->ledger()->text(pieces);
    if (pieces.size() != 1 || text != fmt::format("{}[{}, {})", g.in_world(s.source), pieces[0].offset.count(),
                                                  (pieces[0].offset + s.size).count()))
      return complain(o, "has " + text + " of rank " + std::to_string(g.in_world(s.source)));
    r.message = static_cast<int>(pieces[0].offset / Bytes(64));
    check_status(o, &plan_->operations.at(static_cast<std::size_t>(r.message)), s);
    check_bytes(o, b);
  } else {
    check_status(o, nullptr, s);
  }
  received_.push_back(r);
}

void RandomRank::check_status(const Operation& o, const Operation* m, const comm::Status& s) {
  const RandomGroup::Pattern p = pattern(o, o.to);
  const bool known = p <= RandomGroup::any_tag;
  if (known && m == nullptr) m = &o;
  if (m == nullptr) return;
  if (known && m->number != o.number) complain(o, "got message " + std::to_string(m->number));
  if (s.source != m->from || s.tag != m->tag || s.size != m->size || m->to != o.to || m->group != o.group)
    complain(o, fmt::format("says it got {} B of {} with tag {}, but message {} has {} B", s.size.count(), s.source,
                            s.tag, m->number, m->size.count()));
}

void RandomRank::check_bytes(const Operation& o, const Buffer& b) {
  if (!memory_) return;
  const std::vector<std::uint8_t> there = memory_(b.offset, b.size);
  std::size_t at = 0;
  for (const comm::Ledger::Piece& p : rank_->ledger()->read(rank_->id(), b)) {
    const std::string whose = rank_->ledger()->text({p});
    const bool known = p.value != 0 && whose[0] >= '0' && whose[0] <= '9';
    for (std::int64_t i = 0; i < p.size.count(); ++i, ++at)
      if (known && there[at] != RandomProgram::byte_of(std::stoi(whose), p.offset.count() + i))
        return complain(o, fmt::format("byte {} of {} is not that of {}", at, b.size.count(), whose));
  }
}

void RandomRank::expect(const Operation& o, Bytes at, Bytes n, int of, Bytes from) {
  const Buffer b{at, n, {}, {}};
  try {
    rank_->ledger()->expect(rank_->id(), b, std::to_string(of), from, "collective");
  } catch (const std::runtime_error& e) {
    return complain(o, e.what());
  }
  check_bytes(o, b);
}

void RandomRank::wait(const Operation& o) {
  std::vector<Open> some;
  for (const Open& x : open_)
    if (x.may_wait && (x.operation * 7 + o.which) % 3 != 0) some.push_back(x);
  wait_for(some, o.send);
}

/// How: 0 all at once, 1 whichever comes first, 2 by looking now and then.
void RandomRank::wait_for(std::vector<Open> some, int how) {
  comm::Group& g = group(0);
  const auto done = [&](const Open& x) {
    const Operation& o = plan_->operations[static_cast<std::size_t>(x.operation)];
    if (x.receives) got(o, group(o.group).wait(x.request));
    log_.push_back(fmt::format("rank {} request {} at {}", rank_->id(), x.operation, rank_->now().fs()));
    open_.erase(std::find_if(open_.begin(), open_.end(),
                             [&](const Open& y) { return y.operation == x.operation && y.receives == x.receives; }));
  };
  std::vector<comm::Request> requests;
  for (const Open& x : some) requests.push_back(x.request);
  if (how == 0 && !some.empty()) {
    g.wait_all(requests);
    for (const Open& x : some) done(x);
    return;
  }
  while (!some.empty()) {
    std::size_t i = 0;
    if (how == 1)
      i = g.wait_any(requests);
    else
      for (; !g.test(requests[i]); i = (i + 1) % some.size()) rank_->compute(Time::from_fs(300'000'000));
    done(some[i]);
    some.erase(some.begin() + static_cast<std::ptrdiff_t>(i));
    requests.erase(requests.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void RandomRank::flush(const Operation& o) {
  std::vector<Open> some;
  for (const Open& x : open_)
    if (plan_->operations[static_cast<std::size_t>(x.operation)].group == o.group) some.push_back(x);
  wait_for(some, o.send);
  group(o.group).barrier();
}

void RandomRank::split(const Operation& o) {
  comm::Group& g = group(o.group);
  const int mine = o.to_groups[static_cast<std::size_t>(me(o))];
  const int key = plan_->groups[static_cast<std::size_t>(mine)].key_sign * me(o);
  comm::Group made = g.split(mine, key);
  for (int i = 0; i < made.size(); ++i)
    if (made.in_world(i) != plan_->groups[static_cast<std::size_t>(mine)].members[static_cast<std::size_t>(i)])
      complain(o, "a group has other members than it should");
  groups_.emplace(mine, std::move(made));
}

}  // namespace tsunagi::test
