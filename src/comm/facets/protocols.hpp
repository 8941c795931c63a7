// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "comm/buffer.hpp"

namespace tsunagi::comm {

/// How a library moves a message from one place to another.
struct Protocol {
  std::string name;  // "eager", "rendezvous put"
  // How often each of its bytes is copied, as Accounts count that of a message whose receive was posted before.
  int by_core = 0;
  int by_dma = 0;
  std::vector<std::string> control;  // what its ranks tell each other beside the bytes, in order: "ready to send"
  std::string because;               // what decides it, by the fields of the library's config
  bool operator==(const Protocol& o) const {
    return name == o.name && by_core == o.by_core && by_dma == o.by_dma && control == o.control && because == o.because;
  }
};

/// Which protocol a library takes for which messages, of those that it has.
class Protocols {
 public:
  virtual ~Protocols() = default;
  /// Where the messages of rank `rank` may lie, host memory first. Whether one can go from there to a place of another
  /// rank, the library's `check` and `check_message` say.
  virtual std::vector<std::string> places(int /*rank*/) const { return {"host"}; }
  /// Sizes up to which some protocol is taken, in any order, of which negative ones say nothing: all messages that are
  /// longer than one of them and not longer than the next go alike.
  virtual std::vector<Bytes> limits() const = 0;
  /// Of a two-sided message; of one by `send` if the library has no others, or `b` names a method.
  virtual Protocol protocol(int from, int to, const Buffer& b) const = 0;
};

/// Messages of which all go alike.
struct ProtocolRange {
  Bytes least;
  std::optional<Bytes> most;  // none: as long as there is memory
  Protocol protocol;
  bool operator==(const ProtocolRange& o) const { return least == o.least && most == o.most && protocol == o.protocol; }
};

/// How messages like `b` go, from short to long, whatever its size.
std::vector<ProtocolRange> protocol_table(const Protocols& of, int from, int to, Buffer b);

}  // namespace tsunagi::comm
