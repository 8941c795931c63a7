// SPDX-License-Identifier: Apache-2.0
#include "comm/group.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "units/parse.hpp"

namespace tsunagi::comm {

namespace {

Calls::Entry blocking(const char* name, int peer, int tag, Bytes size) { return {name, peer, tag, size, peer >= 0}; }

/// What has to be the same at all ranks.
std::string text_of(const CollectiveCall& c, const Members& m) {
  std::string out = name_of(c.kind);
  const bool rooted = c.kind == Collective::broadcast || c.kind == Collective::reduce ||
                      c.kind == Collective::scatter || c.kind == Collective::gather;
  if (!c.sizes.empty() && c.kind == Collective::all_to_all) return out + " of blocks of different sizes";
  if (c.kind != Collective::barrier) out += " of " + to_string(c.weight());
  if (rooted) out += ", root " + std::to_string(m.ranks[static_cast<std::size_t>(c.root)]);
  return out;
}

}  // namespace

void Group::check_peer(const char* call, int peer, int tag, bool wild) const {
  const auto refuse = [&](const std::string& why) {
    throw std::runtime_error("rank " + std::to_string(world_rank()) + ": " + call + ": " + why);
  };
  if (peer >= size() || peer < (wild ? any_source : 0))
    refuse("there is no rank " + std::to_string(peer) + " in a group of " + std::to_string(size()));
  if (tag > largest_tag || tag < (wild ? any_tag : 0))
    refuse("tag " + std::to_string(tag) + " is not within 0 .. " + std::to_string(largest_tag));
}

Status Group::in_group(Status s) const {
  const auto it = std::find(members_->ranks.begin(), members_->ranks.end(), s.source);
  if (it != members_->ranks.end()) s.source = static_cast<int>(it - members_->ranks.begin());
  return s;
}

Request Group::isend(int to, int tag, const Buffer& b) {
  check_peer("isend", to, tag, false);
  const Calls::Scope call(world_->calls(), world_rank(), {"isend", world_peer(to), tag, b.size, false});
  return world_->messages().isend(*fiber_, world_rank(), in_world(to), members_->context, tag, b);
}

Request Group::irecv(int from, int tag, const Buffer& b) {
  check_peer("irecv", from, tag, true);
  const Calls::Scope call(world_->calls(), world_rank(), {"irecv", world_peer(from), tag, b.size, false});
  return world_->messages().irecv(*fiber_, world_rank(), pattern(from, tag), b);
}

void Group::send(int to, int tag, const Buffer& b) {
  check_peer("send", to, tag, false);
  const Calls::Scope call(world_->calls(), world_rank(), blocking("send", world_peer(to), tag, b.size));
  world_->messages().wait_all(
      *fiber_, world_rank(),
      {world_->messages().isend(*fiber_, world_rank(), in_world(to), members_->context, tag, b)});
}

Status Group::recv(int from, int tag, const Buffer& b) {
  check_peer("recv", from, tag, true);
  const Calls::Scope call(world_->calls(), world_rank(), blocking("recv", world_peer(from), tag, b.size));
  const Request r = world_->messages().irecv(*fiber_, world_rank(), pattern(from, tag), b);
  world_->messages().wait_all(*fiber_, world_rank(), {r});
  return in_group(r.status());
}

Status Group::sendrecv(int to, int send_tag, const Buffer& out, int from, int recv_tag, const Buffer& in) {
  const Request r = irecv(from, recv_tag, in);
  const Request s = isend(to, send_tag, out);
  const Calls::Scope call(world_->calls(), world_rank(), blocking("sendrecv", world_peer(from), recv_tag, in.size));
  world_->messages().wait_all(*fiber_, world_rank(), {s, r});
  return in_group(r.status());
}

bool Group::test(const Request& r) { return world_->messages().test(*fiber_, world_rank(), r); }

Status Group::wait(const Request& r) {
  wait_all({r});
  return in_group(r.status());
}

void Group::wait_all(const std::vector<Request>& all) {
  const Calls::Scope call(world_->calls(), world_rank(), {"wait", -1, any_tag, {}, false});
  world_->messages().wait_all(*fiber_, world_rank(), all);
}

std::size_t Group::wait_any(const std::vector<Request>& all) {
  if (all.empty()) throw std::logic_error("wait_any waits for nothing");
  const Calls::Scope call(world_->calls(), world_rank(), {"wait_any", -1, any_tag, {}, false});
  return world_->messages().wait_any(*fiber_, world_rank(), all);
}

Status Group::probe(int from, int tag) {
  check_peer("probe", from, tag, true);
  const Calls::Scope call(world_->calls(), world_rank(), blocking("probe", world_peer(from), tag, {}));
  return in_group(world_->messages().wait_probe(*fiber_, world_rank(), pattern(from, tag)));
}

std::optional<Status> Group::iprobe(int from, int tag) {
  check_peer("iprobe", from, tag, true);
  std::optional<Status> s = world_->messages().probe(*fiber_, world_rank(), pattern(from, tag));
  if (s) s = in_group(*s);
  return s;
}

Request Group::start(const Persistent& p) {
  return p.sends ? isend(p.peer, p.tag, p.buffer) : irecv(p.peer, p.tag, p.buffer);
}

void Group::collective(CollectiveCall c, const Choice& how) {
  const int me = world_rank();
  if (c.root < 0 || c.root >= size())
    throw std::runtime_error("rank " + std::to_string(me) + ": " + name_of(c.kind) + ": there is no rank " +
                             std::to_string(c.root) + " in a group of " + std::to_string(size()));
  c.segment = how.segment;
  const std::uint64_t number = world_->enter_collective(*members_, me, text_of(c, *members_));
  const Calls::Scope call(world_->calls(), me, {name_of(c.kind), -1, any_tag, c.weight(), false});
  const Algorithm& algorithm = choose(size(), c, how.algorithm);
  Participant participant(*world_, *fiber_, *members_, rank_, number);
  algorithm.run(participant, c);
}

void Group::barrier(const Choice& how) { collective({Collective::barrier, 0, {}, {}}, how); }

void Group::broadcast(int root, const Buffer& b, const Choice& how) {
  collective({Collective::broadcast, root, b, b}, how);
}

void Group::reduce(int root, const Buffer& in, const Buffer& out, const Choice& how) {
  collective({Collective::reduce, root, in, out}, how);
}

void Group::allreduce(const Buffer& in, const Buffer& out, const Choice& how) {
  collective({Collective::allreduce, 0, in, out}, how);
}

void Group::scatter(int root, const Buffer& in, const Buffer& out, const Choice& how) {
  collective({Collective::scatter, root, in, out}, how);
}

void Group::gather(int root, const Buffer& in, const Buffer& out, const Choice& how) {
  collective({Collective::gather, root, in, out}, how);
}

void Group::allgather(const Buffer& in, const Buffer& out, const Choice& how) {
  collective({Collective::allgather, 0, in, out}, how);
}

void Group::all_to_all(const Buffer& in, const Buffer& out, const Choice& how) {
  collective({Collective::all_to_all, 0, in, out}, how);
}

void Group::scatter_v(int root, const Buffer& in, const Buffer& out, const std::vector<Bytes>& sizes,
                      const Choice& how) {
  collective({Collective::scatter, root, in, out, sizes}, how);
}

void Group::gather_v(int root, const Buffer& in, const Buffer& out, const std::vector<Bytes>& sizes,
                     const Choice& how) {
  collective({Collective::gather, root, in, out, sizes}, how);
}

void Group::allgather_v(const Buffer& in, const Buffer& out, const std::vector<Bytes>& sizes, const Choice& how) {
  collective({Collective::allgather, 0, in, out, sizes}, how);
}

void Group::all_to_all_v(const Buffer& in, const Buffer& out, const std::vector<Bytes>& to,
                         const std::vector<Bytes>& from, const Choice& how) {
  collective({Collective::all_to_all, 0, in, out, to, from}, how);
}

Group Group::split(int colour, int key) {
  const int me = world_rank();
  const std::uint64_t number = world_->enter_collective(*members_, me, "split");
  const Calls::Scope call(world_->calls(), me, {"split", -1, any_tag, {}, false});
  world_->leave(*members_, number, rank_, static_cast<std::int64_t>(colour) << 32 | static_cast<std::uint32_t>(key));
  // Colour and key of all go round: eight bytes a rank.
  Participant participant(*world_, *fiber_, *members_, rank_, number);
  const Buffer all = participant.scratch(Bytes::zero(), Bytes(8) * size());
  CollectiveCall c{Collective::allgather, 0, part(all, Bytes(8) * rank_, Bytes(8)), all};
  choose(size(), c, "").run(participant, c);
  const std::vector<std::int64_t> said = world_->look(*members_, number);
  std::vector<int> same;
  for (int i = 0; i < size(); ++i)
    if (said[static_cast<std::size_t>(i)] >> 32 == colour) same.push_back(i);
  const auto key_of = [&](int i) { return static_cast<std::int32_t>(said[static_cast<std::size_t>(i)]); };
  std::stable_sort(same.begin(), same.end(), [&](int a, int b) { return key_of(a) < key_of(b); });
  auto group = std::make_shared<Members>();
  group->context = world_->context_of(*members_, number, colour);
  int mine = 0;
  for (const int i : same) {
    if (i == rank_) mine = static_cast<int>(group->ranks.size());
    group->ranks.push_back(in_world(i));
  }
  return {*world_, *fiber_, std::move(group), mine};
}

}  // namespace tsunagi::comm
