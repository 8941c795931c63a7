// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/by_rank.hpp"
#include "comm/facets/buffered_messages.hpp"
#include "config/error_at.hpp"
#include "flow/ring.hpp"
#include "models/libraries/catalog.hpp"
#include "models/libraries/pm/pm_ethernet.hpp"
#include "models/libraries/pm/pm_infiniband.hpp"
#include "models/libraries/pm/pm_myrinet.hpp"
#include "units/parse.hpp"

namespace tsunagi::libraries {

namespace {

/// PM of SCore (its PMv2 calls as paper 004, 5.1 to 5.4 and 6, uses them): messages in buffers of the library, at most
/// one MTU each, and writes and reads of peers' memory. `send` and `recv` of longer ones go by as many messages as it
/// takes, copied into and out of those buffers.
class Pm : public comm::Library, private comm::BufferedMessages, private comm::Checkpoints {
 public:
  Pm(const PmBuffersConfig& c, std::unique_ptr<PmNetwork> network);
  std::string place(int rank) const override { return network_->process(rank).core().name(); }
  int ranks() const override { return network_->ranks(); }
  std::vector<comm::Ceiling> ceilings(int from, int to, const comm::Buffer& /*b*/) const override {
    return network_->ceilings(from, to);
  }
  Bytes largest_message() const override;
  void send(Fiber& f, int from, int to, const comm::Buffer& b) override;
  void recv(Fiber& f, int to, int from, const comm::Buffer& b) override;
  bool holds_back() const override { return true; }
  void check(int from, int to, const comm::Buffer& b) const override;
  comm::Processor& processor() override { return network_->processor(); }
  std::string advice() const override { return network_->advice(); }
  std::int64_t lost() const override { return network_->lost(); }

 private:
  Bytes longest() const override { return config_.longest; }
  bool get_buffer(Fiber& f, int rank, int peer, Bytes n) override;
  void send_buffer(Fiber& f, int rank) override;
  std::optional<comm::BufferedMessages::Received> receive(Fiber& f, int rank) override;
  void release(Fiber& f, int rank, const comm::BufferedMessages::Received& r) override;
  bool write(Fiber& f, int rank, int peer, Bytes offset, Bytes n) override {
    return transfer(f, rank, peer, PmNetwork::Transfer::write, offset, n);
  }
  bool read(Fiber& f, int rank, int peer, Bytes offset, Bytes n) override {
    return transfer(f, rank, peer, PmNetwork::Transfer::read, offset, n);
  }
  int pending(Fiber& f, int rank) override;
  void wait(Fiber& f, int rank, Time deadline) override;
  std::int64_t sending_reads(int rank) const override { return network_->sending_reads(rank); }
  Bytes receive_memory(int rank) const override { return network_->receive_memory(rank); }

  void send_stable(Fiber& f, int rank) override {
    step(f, rank, "stop, until what was sent is there", [&] { network_->checkpoints()->send_stable(f, rank); });
  }
  void resume(Fiber& f, int rank) override {
    step(f, rank, "send again", [&] { network_->checkpoints()->resume(f, rank); });
  }
  void save(Fiber& f, int rank) override {
    step(f, rank, "save the contexts", [&] { network_->checkpoints()->save(f, rank); });
  }
  void reset(Fiber& f, int rank) override {
    step(f, rank, "reset the queues", [&] { network_->checkpoints()->reset(f, rank); });
  }
  void restore(Fiber& f, int rank) override {
    step(f, rank, "restore the contexts", [&] { network_->checkpoints()->restore(f, rank); });
  }
  Bytes saved(int rank) const override { return network_->checkpoints()->saved(rank); }

  struct Sender {
    std::vector<int> free;  // send buffers
    int peer = 0;           // of the one that was got last
    Bytes size;
    int buffer = -1;
    int transfers = 0;  // writes and reads that are not done
  };
  /// What has come, by rank and who sent it, while another's was waited for.
  using Kept = comm::ByRank<flow::Ring<PmNetwork::Received>>;
  std::uint64_t address(int rank, Bytes offset) const {
    return network_->process(rank).user_base() + unsigned_of(offset);
  }
  void execute(Fiber& f, int rank, const char* what, std::int64_t cycles) {
    network_->process(rank).core().execute(f, what, cycles);
  }
  bool transfer(Fiber& f, int rank, int peer, PmNetwork::Transfer t, Bytes offset, Bytes n);
  void take_done(Fiber& f, int rank);
  std::optional<PmNetwork::Received> look(Fiber& f, int rank);
  PmNetwork::Received next_from(Fiber& f, int rank, int peer);

  PmBuffersConfig config_;
  std::unique_ptr<PmNetwork> network_;
  comm::ByRank<Sender> senders_;
  comm::ByRank<Kept> kept_;
};

Pm::Pm(const PmBuffersConfig& c, std::unique_ptr<PmNetwork> network)
    : config_(c),
      network_(std::move(network)),
      senders_(static_cast<std::size_t>(network_->ranks())),
      kept_(static_cast<std::size_t>(network_->ranks())) {
  for (int rank = 0; rank < ranks(); ++rank)
    for (auto i = static_cast<int>(c.send_memory / c.longest); i > 0; --i) senders_[rank].free.push_back(i - 1);
  add_facet<comm::BufferedMessages>(*this);
  if (network_->checkpoints() != nullptr) add_facet<comm::Checkpoints>(*this);
}

Bytes Pm::largest_message() const {
  Bytes least = network_->process(0).user_memory();
  for (int rank = 1; rank < ranks(); ++rank) least = std::min(least, network_->process(rank).user_memory());
  return least;
}

void Pm::check(int /*from*/, int /*to*/, const comm::Buffer& b) const {
  for (const std::string& place : {b.place, b.target})
    if (!place.empty() && place != "host")
      throw config::error_at("/scenario", "library pm moves host memory, not \"" + place + "\"");
  if (b.offset + b.size > largest_message())
    throw config::error_at("/scenario", to_string(b.offset + b.size) + " of memory, of which programs have " +
                                            to_string(largest_message()));
}

/// Takes what is done: buffers are free again, writes and reads are over.
void Pm::take_done(Fiber& f, int rank) {
  Sender& s = senders_[rank];
  while (const std::optional<PmNetwork::Done> done = network_->take_done(f, rank)) {
    if (done->what == PmNetwork::Done::What::message)
      s.free.push_back(done->number);
    else
      --s.transfers;
  }
}

bool Pm::get_buffer(Fiber& f, int rank, int peer, Bytes n) {
  Sender& s = senders_[rank];
  bool got = false;
  step(f, rank, "get a send buffer", [&] {
    execute(f, rank, "get a send buffer", config_.buffer_cycles);
    if (s.free.empty() || !network_->room(rank, peer)) take_done(f, rank);
    got = !s.free.empty() && network_->room(rank, peer);
  });
  if (!got) return false;
  s.peer = peer;
  s.size = n;
  s.buffer = s.free.back();
  s.free.pop_back();
  return true;
}

void Pm::send_buffer(Fiber& f, int rank) {
  const Sender& s = senders_[rank];
  step.sent(s.size);
  step.copied(comm::Copier::dma, s.size);
  step(f, rank, "send the buffer",
       [&] { network_->send(f, rank, s.peer, network_->send_buffer(rank, s.buffer), s.size, s.buffer); });
}

std::optional<PmNetwork::Received> Pm::look(Fiber& f, int rank) {
  std::optional<PmNetwork::Received> r;
  step(f, rank, "look for a message", [&] {
    execute(f, rank, "look for a message", config_.look_cycles);
    r = network_->take_received(f, rank);
  });
  return r;
}

std::optional<comm::BufferedMessages::Received> Pm::receive(Fiber& f, int rank) {
  const std::optional<PmNetwork::Received> r = look(f, rank);
  if (!r) return std::nullopt;
  return comm::BufferedMessages::Received{r->peer, r->size, static_cast<std::uint64_t>(r->buffer)};
}

void Pm::release(Fiber& f, int rank, const comm::BufferedMessages::Received& r) {
  step(f, rank, "release the buffer", [&] { network_->release(f, rank, static_cast<int>(r.handle)); });
}

bool Pm::transfer(Fiber& f, int rank, int peer, PmNetwork::Transfer t, Bytes offset, Bytes n) {
  if (!network_->room(rank, peer)) take_done(f, rank);
  if (!network_->room(rank, peer)) return false;
  step.sent(n);
  step.copied(comm::Copier::dma, n);
  ++senders_[rank].transfers;
  step(f, rank, t == PmNetwork::Transfer::write ? "write" : "read",
       [&] { network_->transfer(f, rank, peer, t, address(rank, offset), address(peer, offset), n, 0); });
  return true;
}

int Pm::pending(Fiber& f, int rank) {
  take_done(f, rank);
  return senders_[rank].transfers;
}

void Pm::wait(Fiber& f, int rank, Time deadline) {
  step(f, rank, "poll", [&] { network_->wait(f, rank, deadline); });
  take_done(f, rank);  // or it would be found again
}

void Pm::send(Fiber& f, int from, int to, const comm::Buffer& b) {
  const process::HostProcess& me = network_->process(from);
  Bytes done;
  do {
    const Bytes n = std::min(config_.longest, b.size - done);
    while (!get_buffer(f, from, to, n)) wait(f, from, Time::max());
    const Sender& s = senders_[from];
    if (n > Bytes::zero())
      step(f, from, "copy the message", [&] {
        me.core().copy(f, me.memory(), network_->send_buffer(from, s.buffer), address(from, b.offset + done), n);
      });
    step.copied(comm::Copier::core, n, done == Bytes::zero() ? 1 : 0);
    send_buffer(f, from);
    done += n;
  } while (done < b.size);
}

PmNetwork::Received Pm::next_from(Fiber& f, int rank, int peer) {
  if (kept_[rank].empty()) kept_[rank].resize(static_cast<std::size_t>(ranks()));
  flow::Ring<PmNetwork::Received>& kept = kept_[rank][peer];
  while (kept.empty()) {
    if (const std::optional<PmNetwork::Received> r = look(f, rank))
      kept_[rank][r->peer].push_back(*r);
    else
      wait(f, rank, Time::max());
  }
  return kept.take_front();
}

void Pm::recv(Fiber& f, int to, int from, const comm::Buffer& b) {
  const process::HostProcess& me = network_->process(to);
  Bytes done;
  do {
    const PmNetwork::Received r = next_from(f, to, from);
    if (r.size > Bytes::zero())
      step(f, to, "copy the message",
           [&] { me.core().copy(f, me.memory(), address(to, b.offset + done), r.address, r.size); });
    step.copied(comm::Copier::core, r.size, done == Bytes::zero() ? 1 : 0);
    step(f, to, "release the buffer", [&] { network_->release(f, to, r.buffer); });
    done += r.size;
  } while (done < b.size);
}

/// PM by a network that is made of a config and a machine.
template <class Network, class Config>
class PmBy final : public Pm {
 public:
  PmBy(const Config& c, Machine& m) : Pm(c, std::make_unique<Network>(c, m)) {}
};

}  // namespace

LibraryKind pm_library() {
  return library<PmBy<PmInfiniBand, PmInfiniBandConfig>, PmInfiniBandConfig>(
      "pm", "PM of SCore over InfiniBand: messages in the library's buffers, remote memory");
}

LibraryKind pm_ethernet_library() {
  return library<PmBy<PmEthernet, PmEthernetConfig>, PmEthernetConfig>(
      "pm_ethernet", "PM of SCore over Ethernet, through the kernel, which sends again what is lost");
}

LibraryKind pm_myrinet_library() {
  return library<PmBy<PmMyrinet, PmMyrinetConfig>, PmMyrinetConfig>(
      "pm_myrinet", "PM of SCore over Myrinet: the same calls, packets that the card's firmware makes reliable");
}

}  // namespace tsunagi::libraries
