// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "flow/contents.hpp"
#include "models/infiniband/work_request.hpp"
#include "net/device.hpp"

namespace tsunagi::infiniband {

/// Where a queue pair's work requests come from: its send queue, as the card reads it.
class RequestSource {
 public:
  class User {
   public:
    virtual ~User() = default;
    /// A request, with its inline data, which has come at `by`.
    virtual void fetched(const PlacedRequest& r, flow::Contents data, const net::Cause& by) = 0;
    /// Forgets all requests that are not done if they wait for a receiver that is not ready, and returns whether they
    /// did: they are handed on again.
    virtual bool give_back() = 0;
  };
  virtual ~RequestSource() = default;
  /// There are new requests.
  virtual void doorbell(const net::Cause& by) = 0;
  /// Whether a request that has come another way is the next one, so that nothing has to be read before it; then it
  /// counts as read.
  virtual bool pass(const PlacedRequest& r) = 0;
  /// All data of what it has handed on are in the card, or asked for.
  virtual void drained(const net::Cause& /*by*/) {}
  /// The oldest request that it has handed on is done.
  virtual void completed(const net::Cause& /*by*/) {}
  /// The peer has no receive for the oldest request that is not done: it is sent again later.
  virtual void waits(const net::Cause& /*by*/) {}
  virtual bool busy() const = 0;
};

}  // namespace tsunagi::infiniband
