// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "comm/library.hpp"
#include "comm/messages/who.hpp"

namespace tsunagi::test {

/// A library without a machine whose messages meet at their sender: a receive says so to the rank it names, and a send
/// moves its bytes when it knows of a receive. A call takes `call`, whatever goes from rank to rank `flight`.
class SenderMatched final : public comm::Library, private comm::TwoSided {
 public:
  static constexpr Time call = 10_ns;
  static constexpr Time flight = 100_ns;

  explicit SenderMatched(int ranks) : ends_(static_cast<std::size_t>(ranks)) { add_facet<comm::TwoSided>(*this); }
  int ranks() const override { return static_cast<int>(ends_.size()); }
  Bytes largest_message() const override { return 1_GiB; }
  std::string place(int rank) const override { return "core" + std::to_string(rank); }
  bool direct() const override { return false; }
  int finished = 0;  // ranks that have said that they have no more to send

 private:
  struct Receive {
    comm::Pattern pattern;
    comm::Buffer into;
    comm::Request request;
    Time at;                  // when its sender knows of it; later when the bytes are here
    bool sent = false;        // they are on their way
    comm::Envelope envelope;  // then: what they are
  };
  struct Send {
    comm::Envelope envelope;
    int to = 0;
    comm::Request request;
  };
  struct End {
    std::list<Receive> receives;
    std::list<Send> sends;
    std::map<int, std::uint32_t> sent;
    Event told;
  };
  End& end(int rank) { return ends_[static_cast<std::size_t>(rank)]; }

  comm::Request isend(Fiber& f, int from, int to, int context, int tag, const comm::Buffer& b) override {
    const comm::Request request = requests_.make(f.now());
    const comm::Envelope e = envelope(from, to, context, tag, b.size);
    carried_.leaves(e, to, b);
    accounts().sent(b.size);
    witness_.begins(e, to, request);
    f.wait_for(call);
    end(from).sends.push_back({e, to, request});
    look(f, from);
    witness_.sent(e, to, b.method, request, f.now());
    return request;
  }
  comm::Request irecv(Fiber& f, int rank, const comm::Pattern& p, const comm::Buffer& b) override {
    if (p.source == comm::any_source)
      throw std::runtime_error("rank " + std::to_string(rank) + " has to name a source");
    Receive r{p, b, requests_.make(f.now()), {}, false, {}};
    f.wait_for(call);
    r.at = f.now() + flight;
    end(rank).receives.push_back(r);
    end(p.source).told.notify();
    return r.request;
  }
  bool test(Fiber& f, int rank, const comm::Request& r) override {
    look(f, rank);
    return r.at(comm::Milestone::completed) <= f.now();
  }
  void wait_all(Fiber& f, int rank, const std::vector<comm::Request>& all) override {
    for (const comm::Request& r : all) wait_any(f, rank, {r});
  }
  std::size_t wait_any(Fiber& f, int rank, const std::vector<comm::Request>& all) override {
    for (;;) {
      look(f, rank);
      for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].at(comm::Milestone::completed) <= f.now()) {
          witness_.left(rank, all, f.now());
          return i;
        }
      const Time begin = f.now();
      f.wait_any({&end(rank).told}, next(f, rank), "a receive or bytes");
      witness_.idle(rank, begin, f.now());
    }
  }
  void finish(Fiber&, int) override { ++finished; }
  std::vector<std::string> leftovers() const override {
    std::vector<std::string> out;
    for (std::size_t rank = 0; rank < ends_.size(); ++rank) {
      for (const Send& s : ends_[rank].sends)
        out.push_back("nobody received a message of " + comm::who(s.envelope) + " to rank " + std::to_string(s.to));
      for (const Receive& r : ends_[rank].receives)
        out.push_back("rank " + std::to_string(rank) + " posted a receive of " + comm::who(r.pattern));
    }
    return out;
  }

  comm::Envelope envelope(int from, int to, int context, int tag, Bytes size) {
    comm::Envelope e;
    e.kind = comm::Envelope::Kind::finished;
    e.source = from;
    e.context = context;
    e.tag = tag;
    e.size = size;
    e.sequence = end(from).sent[to]++;
    return e;
  }
  /// Sends what is known to be wanted, and completes what has come.
  void look(Fiber& f, int rank) {
    End& me = end(rank);
    for (auto s = me.sends.begin(); s != me.sends.end();) s = depart(f, rank, *s) ? me.sends.erase(s) : std::next(s);
    for (auto r = me.receives.begin(); r != me.receives.end();) {
      if (!r->sent || r->at > f.now()) {
        ++r;
        continue;
      }
      const comm::Envelope& e = r->envelope;
      witness_.found(rank, e.source, {e, 0, r->at});
      carried_.arrives(e, rank, r->into);
      r->request.set_status({e.source, e.tag, e.size});
      r->request.reach(comm::Milestone::completed, f.now());
      witness_.received(e, rank, r->into.method, r->request.at(comm::Milestone::posted), f.now());
      r = me.receives.erase(r);
    }
  }
  bool depart(Fiber& f, int rank, const Send& s) {
    for (Receive& r : end(s.to).receives) {
      if (r.sent || r.at > f.now() || !r.pattern.takes(s.envelope)) continue;
      comm::Envelope wanted;
      wanted.kind = comm::Envelope::Kind::clear_to_send;
      wanted.source = rank;
      wanted.sequence = s.envelope.sequence;
      witness_.found(rank, s.to, {wanted, 0, r.at});
      witness_.handed(s.envelope, rank, s.to, s.request, f.now());
      r.sent = true;
      r.envelope = s.envelope;
      r.at = f.now() + flight;
      s.request.reach(comm::Milestone::completed, f.now());
      end(s.to).told.notify();
      return true;
    }
    return false;
  }
  /// When a rank may have something to do without being told.
  Time next(const Fiber& f, int rank) {
    Time t = Time::max();
    const auto sooner = [&](Time at) {
      if (at > f.now()) t = std::min(t, at);
    };
    for (const Receive& r : end(rank).receives)
      if (r.sent) sooner(r.at);
    for (const Send& s : end(rank).sends)
      for (const Receive& r : end(s.to).receives)
        if (!r.sent && r.pattern.takes(s.envelope)) sooner(r.at);
    return t;
  }

  std::vector<End> ends_;
  comm::RequestPool requests_;
};

}  // namespace tsunagi::test
