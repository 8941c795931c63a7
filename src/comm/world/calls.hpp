// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "comm/messages/envelope.hpp"
#include "units/bytes.hpp"

namespace tsunagi::comm {

/// Which calls ranks are in, the outermost first: for messages about programs that cannot go on.
class Calls {
 public:
  struct Entry {
    const char* name = "";  // "recv", "broadcast"
    int peer = -1;          // or a collective's root; -1: none, or any
    int tag = any_tag;
    Bytes size;
    bool blocks_on_peer = false;
  };
  explicit Calls(int ranks) : of_(static_cast<std::size_t>(ranks)) {}

  /// The rank is in a call as long as this lives.
  class Scope {
   public:
    Scope(Calls& c, int rank, const Entry& e) : stack_(c.of_[static_cast<std::size_t>(rank)]) { stack_.push_back(e); }
    ~Scope() { stack_.pop_back(); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    std::vector<Entry>& stack_;
  };

  /// "in recv of rank 1, tag 5, 64 B, in broadcast of rank 0, 4 KiB"; empty: in none.
  std::string text(int rank) const;
  /// If ranks wait for each other in a circle: which ones, in which calls. Empty if not.
  std::string circle() const;

 private:
  std::vector<std::vector<Entry>> of_;
};

}  // namespace tsunagi::comm
