// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "comm/buffer.hpp"
#include "comm/messages/matching.hpp"
#include "comm/request.hpp"

namespace tsunagi::libraries {

/// A send of FMPL that waits for its header, or a receive that waits for its data.
struct FmplPending {
  comm::Envelope envelope;  // of a receive: what it asks for
  int peer = 0;
  int slot = 0;
  comm::Buffer bytes;
  comm::Request request;
  std::uint64_t transfer = 0;      // by which the data leave
  std::optional<Bytes> kept = {};  // where in the send buffer its data are

  /// What a receive takes.
  comm::Pattern pattern() const { return {envelope.source, envelope.tag, envelope.context}; }
  bool is_of(const std::vector<comm::Request>& all) const {
    return std::find(all.begin(), all.end(), request) != all.end();
  }
};

}  // namespace tsunagi::libraries
