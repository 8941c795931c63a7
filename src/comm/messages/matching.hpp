// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "comm/buffer.hpp"
#include "comm/messages/numbers.hpp"
#include "comm/messages/transport.hpp"
#include "comm/request.hpp"

namespace tsunagi::comm {

/// What a receive or a probe takes: messages of one source or any, one tag or any, of one group (context).
struct Pattern {
  int source = any_source;
  int tag = any_tag;
  int context = 0;
  bool takes(const Envelope& e) const {
    return e.context == context && (source == any_source || source == e.source) && (tag == any_tag || tag == e.tag);
  }
};

/// A receive that has been posted.
struct PostedReceive {
  Pattern pattern;
  Buffer into;
  Request request;
};

/// The two queues of a rank: receives that wait for messages, and messages that wait for receives. The oldest that fits
/// is taken (MPI 4.0, 3.5: order). Pure; every search leaves which entries it looked at.
class Matching {
 public:
  void post(PostedReceive r) { receives_.add(std::move(r)); }
  void keep(Arrival a) { messages_.add(a); }
  /// Takes the first receive that takes a message.
  std::optional<PostedReceive> match(const Envelope& e) {
    return receives_.take([&](const PostedReceive& r) { return r.pattern.takes(e); }, visited_);
  }
  /// Takes the first message that a receive takes.
  std::optional<Arrival> match(const Pattern& p) {
    return messages_.take([&](const Arrival& a) { return p.takes(a.envelope); }, visited_);
  }
  /// The first message that a receive would take; it stays.
  const Arrival* find(const Pattern& p) {
    return messages_.find([&](const Arrival& a) { return p.takes(a.envelope); }, visited_);
  }
  /// Entries that the last search looked at, by number (Transport::visit).
  const std::vector<std::uint32_t>& visited() const { return visited_; }
  /// Receives that wait.
  std::size_t pending() const { return receives_.size(); }
  /// Whoever still waits, the oldest first.
  std::vector<PostedReceive> receives() const { return receives_.all(); }
  std::vector<Arrival> messages() const { return messages_.all(); }

 private:
  /// Entries in the order in which they came, each with the smallest number that was free.
  template <class T>
  class Queue {
   public:
    void add(T what) { entries_.push_back({std::move(what), numbers_.take()}); }
    template <class F>
    const T* find(F&& fits, std::vector<std::uint32_t>& visited) const {
      const std::size_t i = search(fits, visited);
      return i == entries_.size() ? nullptr : &entries_[i].what;
    }
    template <class F>
    std::optional<T> take(F&& fits, std::vector<std::uint32_t>& visited) {
      const std::size_t i = search(fits, visited);
      if (i == entries_.size()) return std::nullopt;
      T out = std::move(entries_[i].what);
      numbers_.give_back(entries_[i].number);
      entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(i));
      return out;
    }
    std::size_t size() const { return entries_.size(); }
    std::vector<T> all() const {
      std::vector<T> out;
      for (const Entry& e : entries_) out.push_back(e.what);
      return out;
    }

   private:
    struct Entry {
      T what;
      std::uint32_t number = 0;
    };
    template <class F>
    std::size_t search(F&& fits, std::vector<std::uint32_t>& visited) const {
      visited.clear();
      for (std::size_t i = 0; i < entries_.size(); ++i) {
        visited.push_back(entries_[i].number);
        if (fits(entries_[i].what)) return i;
      }
      return entries_.size();
    }
    std::vector<Entry> entries_;
    Numbers numbers_;
  };

  Queue<PostedReceive> receives_;
  Queue<Arrival> messages_;
  std::vector<std::uint32_t> visited_;
};

}  // namespace tsunagi::comm
