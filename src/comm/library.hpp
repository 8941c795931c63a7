// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include "comm/accounts.hpp"
#include "comm/buffer.hpp"
#include "comm/ceiling.hpp"
#include "comm/facets/buffered_messages.hpp"
#include "comm/facets/checkpoints.hpp"
#include "comm/facets/device_copies.hpp"
#include "comm/facets/dma.hpp"
#include "comm/facets/facets.hpp"
#include "comm/facets/gets.hpp"
#include "comm/facets/library_collectives.hpp"
#include "comm/facets/non_blocking_sends.hpp"
#include "comm/facets/processor.hpp"
#include "comm/facets/protocols.hpp"
#include "comm/facets/puts.hpp"
#include "comm/facets/remote_memory.hpp"
#include "comm/facets/streams.hpp"
#include "comm/facets/work_queues.hpp"
#include "comm/listener.hpp"
#include "comm/messages/transport.hpp"
#include "comm/messages/two_sided.hpp"
#include "comm/request.hpp"
#include "comm/steps.hpp"
#include "comm/world/start_line.hpp"
#include "fiber/fiber.hpp"
#include "units/bytes.hpp"

namespace tsunagi::comm {

/// Where the messages of all ranks go: `weight(from, to)` of `whole` parts of what rank `from` sends.
struct TrafficShares {
  std::function<std::int64_t(int, int)> weight;
  std::int64_t whole = 1;
};

/// A communication library: its steps, on the cores and devices of a machine. Calls block the
/// fiber that they are handed and take simulated time.
class Library {
 public:
  virtual ~Library() = default;
  virtual int ranks() const = 0;
  /// Ways to move a message that `Buffer::method` may name ("pio", "dma"); the first is the default.
  virtual std::vector<std::string> methods() const { return {}; }
  /// What bounds the bandwidth from one rank to another of messages like `b`, by its method and places; a run that
  /// beats one fails.
  virtual std::vector<Ceiling> ceilings(int /*from*/, int /*to*/, const Buffer& /*b*/) const { return {}; }
  /// The same of two-sided messages, of `b`'s size and shorter ones.
  virtual std::vector<Ceiling> message_ceilings(int from, int to, const Buffer& b) const {
    return ceilings(from, to, b);
  }
  /// Largest message that `send` takes (window or buffer), at offset 0.
  virtual Bytes largest_message() const = 0;
  /// Whether all that is sent arrives. Else only programs run that wait for nobody's message.
  virtual bool delivers() const { return true; }
  /// Whether `send` and `recv` work; of a library of two-sided messages alone those without a tag are such messages.
  virtual bool direct() const { return true; }
  /// Sends `b` of rank `from` to the same place of rank `to`; returns when `b` may be reused.
  virtual void send(Fiber& /*f*/, int /*from*/, int /*to*/, const Buffer& /*b*/) {
    throw std::logic_error("this library has two-sided messages alone");
  }
  /// Messages of a rank to another one that may be sent before the first is received: the next one would be lost.
  virtual int unreceived() const { return std::numeric_limits<int>::max(); }
  /// Whether what `recv` returns may have come long before: it waited for what was sent before it and came later, on
  /// routes of its own, or in the library's buffers until the program looked.
  virtual bool holds_back() const { return false; }
  /// No rank is going to call `recv`: what arrives need not be kept for it. Before time 0.
  virtual void expect_no_recv() {}
  /// Payload rate of a rank that sends messages of `size` back to back and meets nobody; infinite: not known.
  virtual Rate injection_rate(Bytes /*size*/) const { return Rate::infinite(); }
  /// The load that no rank can exceed when all send messages of `size` alike, because some wire on their routes is
  /// full then; in a million parts of `injection_rate`, rounded down. None: not known.
  virtual std::optional<std::int64_t> load_bound(const TrafficShares& /*shares*/, Bytes /*size*/) const {
    return std::nullopt;
  }
  /// Whether two-sided messages may be areas that are not contiguous.
  virtual bool takes_shapes() const { return false; }
  /// Throws config::ConfigError if rank `from` cannot send `b` to rank `to`: a place that is not there or not
  /// reached, a shape that is none. Before time 0.
  virtual void check(int /*from*/, int /*to*/, const Buffer& /*b*/) const {}
  /// The same of two-sided messages.
  virtual void check_message(int from, int to, const Buffer& b) const { check(from, to, b); }
  /// Where cards in the node of rank `at` find `b` of rank `of`: an address on that node's bus. Throws
  /// config::ConfigError if they do not. Before time 0.
  virtual std::uint64_t address(int /*at*/, int /*of*/, const Buffer& /*b*/) const {
    throw std::logic_error("this library shows cards no addresses");
  }
  /// What it has beside messages of its own: `Transport` or `TwoSided` (two-sided messages, with collectives and
  /// windows), `Protocols` of its messages, `Puts`, `Gets`, `NonBlockingSends`, `RemoteMemory`, `WorkQueues`,
  /// `BufferedMessages`, `Checkpoints`, `HardwareCollectives`, `SoftwareCollectives`, `Streams`, `DeviceCopies`, `Dma`
  /// (src/comm/facets). Null: none.
  template <class F>
  F* facet() const {
    return facets_.find<F>();
  }
  /// The same for who has made sure before time 0. Throws std::logic_error if it has none.
  template <class F>
  F& required() const {
    if (F* f = facet<F>()) return *f;
    throw std::logic_error(std::string("this library has no ") + typeid(F).name());
  }
  /// Whether ranks need each other while their programs make no calls (Attendance).
  bool needs_ranks() const {
    auto* transport = facet<Transport>();
    return transport != nullptr && transport->attendance() != nullptr;
  }
  /// Whether it has two-sided messages: its own ones, or those over its transport.
  bool has_messages() const { return facet<TwoSided>() != nullptr || facet<Transport>() != nullptr; }
  /// How it does a collective call of `ranks` ranks that names no algorithm; none: as MPICH does. The same at all of
  /// them.
  virtual std::optional<Choice> choice(int /*ranks*/, const CollectiveCall& /*c*/) const { return std::nullopt; }
  /// What computes for the ranks.
  virtual Processor& processor() { return plain_; }
  /// Cables that the message which a rank received last has crossed, as counted on its way; -1: not known.
  virtual int hops(int /*rank*/) const { return -1; }
  /// Packets, and messages, that the library knows to have been lost and sent again until now.
  virtual std::int64_t lost() const { return 0; }
  /// What might help when no message moves any more; empty: no idea.
  virtual std::string advice() const { return {}; }
  /// Returns when the next message of rank `from` into `b` has arrived at rank `to`.
  virtual void recv(Fiber& /*f*/, int /*to*/, int /*from*/, const Buffer& /*b*/) {
    throw std::logic_error("this library has two-sided messages alone");
  }
  /// Full name of the device that runs a rank: a core, or what stands for one.
  virtual std::string place(int rank) const = 0;

  /// Where messages of halo exchanges go, in the same run and between the same ranks; null: to this library.
  Library* halo() const { return halo_.get(); }
  /// Before the run.
  void set_halo(std::unique_ptr<Library> library) { halo_ = std::move(library); }

  /// Who hears of calls and steps from now on.
  virtual void set_listener(Listener& listener) { step.set_listener(listener); }
  Listener* listener() const { return step.listener(); }
  /// What is counted of steps, messages and copies.
  virtual Accounts& accounts() { return accounts_; }
  const Accounts& accounts() const { return const_cast<Library*>(this)->accounts(); }
  /// With what the library of halo exchanges has counted.
  Accounts all_accounts() const {
    Accounts all = accounts();
    if (halo_ != nullptr) all.add(halo_->all_accounts());
    return all;
  }

 protected:
  /// The library has a facet, which lives as long as it does. In its constructor.
  template <class F>
  void add_facet(F& f) {
    facets_.add<F>(f);
  }
  /// Those of the library below, of the kinds named.
  template <class... F>
  void add_facets_of(const Library& below) {
    facets_.add_from<F...>(below.facets_);
  }

 private:
  std::unique_ptr<Library> halo_;
  Facets facets_;
  Processor plain_;
  Accounts accounts_;

 protected:
  Steps step{accounts_};
};

}  // namespace tsunagi::comm
