// SPDX-License-Identifier: Apache-2.0
#include "comm/group.hpp"

#include <algorithm>
#include <stdexcept>

namespace tsunagi::comm {

namespace {

Calls::Entry blocking(const char* name, int peer, int tag, Bytes size) { return {name, peer, tag, size, peer >= 0}; }

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
  world_->check_shape(world_rank(), b);
  const Calls::Scope call(world_->calls(), world_rank(), {"isend", world_peer(to), tag, b.size, false});
  return world_->messages().isend(*fiber_, world_rank(), in_world(to), members_->context, tag, b);
}

Request Group::irecv(int from, int tag, const Buffer& b) {
  check_peer("irecv", from, tag, true);
  world_->check_shape(world_rank(), b);
  const Calls::Scope call(world_->calls(), world_rank(), {"irecv", world_peer(from), tag, b.size, false});
  return world_->messages().irecv(*fiber_, world_rank(), pattern(from, tag), b);
}

void Group::send(int to, int tag, const Buffer& b) {
  check_peer("send", to, tag, false);
  world_->check_shape(world_rank(), b);
  const Calls::Scope call(world_->calls(), world_rank(), blocking("send", world_peer(to), tag, b.size));
  world_->messages().wait_all(
      *fiber_, world_rank(),
      {world_->messages().isend(*fiber_, world_rank(), in_world(to), members_->context, tag, b)});
}

Status Group::recv(int from, int tag, const Buffer& b) {
  check_peer("recv", from, tag, true);
  world_->check_shape(world_rank(), b);
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

void Group::copy(const Buffer& to, const Buffer& from) { world_->copy(*fiber_, world_rank(), to, from); }

Request Group::start(const Persistent& p) {
  return p.sends ? isend(p.peer, p.tag, p.buffer) : irecv(p.peer, p.tag, p.buffer);
}

}  // namespace tsunagi::comm
