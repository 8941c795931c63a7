// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "flow/cause.hpp"
#include "flow/ring.hpp"
#include "units/bytes.hpp"

namespace tsunagi::flow {

/// Tags of reads: a read has one from its request until the last of its bytes has come (PCIe Base
/// Specification 2.2.6.2, transaction identifiers). A tag is free since a time, which may lie ahead: as soon as it is
/// known when the last byte comes, others can be told when the tag can be used. `Read` is what the requester notes of a
/// read.
template <class Read>
class Tags {
 public:
  /// Tags 0 .. n - 1, all free since time 0.
  explicit Tags(int n) : tags_(static_cast<std::size_t>(n)) {
    for (int i = 0; i < n; ++i) free_.push_back({Time::zero(), i});
  }

  int count() const { return static_cast<int>(tags_.size()); }
  bool any_free() const { return !free_.empty(); }
  bool all_free() const { return free_.size() == tags_.size(); }
  /// The tag that gets free first, or has been free for longest; of several the lowest. There has to be one.
  int first_free() const { return free_.front().tag; }
  /// Since when a free tag is free and by which completion; packet 0: it was never used.
  Cause free_since(int tag) const { return at(tag).since; }

  /// Takes `first_free` for a read of `n` bytes (> 0).
  int claim(Bytes n, Read read) {
    const int tag = free_.take_front().tag;
    at(tag) = {std::move(read), n, {}};
    return tag;
  }
  /// What is noted of the read with that tag.
  Read& operator[](int tag) { return at(tag).read; }
  /// Throws std::out_of_range if there is no such tag.
  const Read& operator[](int tag) const { return tags_.at(static_cast<std::size_t>(tag)).read; }
  /// `n` bytes (> 0) can come for that tag: it exists, and so many at least are still to come.
  bool expects(int tag, Bytes n) const { return tag >= 0 && tag < count() && n <= at(tag).left; }
  /// `n` bytes are the last that are to come for that tag.
  bool is_last(int tag, Bytes n) const { return at(tag).left == n; }
  /// `n` of the read's bytes come, the last one with `by`. True: it was the read's last, and the tag is free since
  /// then.
  bool arrived(int tag, Bytes n, Cause by) {
    Tag& t = at(tag);
    t.left -= n;
    if (t.left > Bytes::zero()) return false;
    t.since = by;
    free_.push_back({by.when, tag});
    for (std::size_t i = free_.size() - 1; i > 0 && before(free_[i], free_[i - 1]); --i)
      std::swap(free_[i], free_[i - 1]);
    return true;
  }

 private:
  struct Tag {
    Read read{};
    Bytes left;  // to come; 0: free
    Cause since;
  };
  struct Free {
    Time when;
    int tag;
  };
  static bool before(const Free& a, const Free& b) { return a.when < b.when || (a.when == b.when && a.tag < b.tag); }
  Tag& at(int tag) { return tags_[static_cast<std::size_t>(tag)]; }
  const Tag& at(int tag) const { return tags_[static_cast<std::size_t>(tag)]; }

  std::vector<Tag> tags_;
  Ring<Free> free_;  // in the order in which they are taken
};

}  // namespace tsunagi::flow
