// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "comm/library.hpp"

namespace tsunagi::test {

/// A library whose messages of more than no bytes all wait for their receiver; they travel by another library, one that
/// has every message eager.
class Rendezvous final : public comm::Library, private comm::Transport {
 public:
  explicit Rendezvous(comm::Library& carrier) : carrier_(carrier), below_(*carrier.facet<comm::Transport>()) {
    add_facet<comm::Transport>(*this);
  }
  int ranks() const override { return carrier_.ranks(); }
  Bytes largest_message() const override { return carrier_.largest_message(); }
  std::string place(int rank) const override { return carrier_.place(rank); }
  void send(Fiber& f, int from, int to, const comm::Buffer& b) override { carrier_.send(f, from, to, b); }
  void recv(Fiber& f, int to, int from, const comm::Buffer& b) override { carrier_.recv(f, to, from, b); }

 private:
  Bytes eager_limit() const override { return {}; }
  void post(Fiber& f, int from, int to, const comm::Envelope& e, const comm::Buffer* b,
            const comm::Request* request) override {
    const comm::Buffer nothing{};
    const comm::Request own = requests_.make(f.now());
    below_.post(f, from, to, e, b != nullptr ? b : &nothing, request != nullptr ? request : &own);
  }
  void put(Fiber& f, int from, int to, const comm::Buffer& b, std::uint64_t, const comm::Envelope& last,
           const comm::Request& request) override {
    below_.post(f, from, to, last, &b, &request);
  }
  std::optional<comm::Arrival> next(Fiber& f, int rank) override { return below_.next(f, rank); }
  void wait(Fiber& f, int rank, const std::vector<Event*>& events, Time until) override {
    below_.wait(f, rank, events, until);
  }

  comm::Library& carrier_;
  comm::Transport& below_;
  comm::RequestPool requests_;
};

}  // namespace tsunagi::test
