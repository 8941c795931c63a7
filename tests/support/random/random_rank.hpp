// SPDX-License-Identifier: Apache-2.0
// A rank's part of a random program (random_program.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "comm/rank.hpp"
#include "comm/window.hpp"

namespace tsunagi::test {

/// One operation of all ranks that it names. Ranks are those of its group.
struct RandomOperation {
  enum class Kind : std::uint8_t { message, exchange, collective, split, wait, compute, fence, epoch, flush };
  Kind kind = Kind::message;
  int number = 0;
  int group = 0;
  int from = 0;  // root, or who waits or computes
  int to = 0;
  int tag = 0;
  Bytes size;
  int send = 0;  // how: 0 send, 1 isend, 2 persistent
  int recv = 0;  // how: 0 recv, 1 irecv, 2 probe, 3 iprobe, 4 persistent
  int which = 0;
  Time time;
  std::vector<int> to_groups = {};             // of a split, by rank
  std::vector<std::vector<int>> targets = {};  // of an epoch, by rank
};

/// Members of a group as world ranks, and what their receives ask for until the next flush.
struct RandomGroup {
  enum Pattern : std::uint8_t { exact, any_tag, any_source, any };
  std::vector<int> members;
  std::vector<Pattern> patterns;
  int key_sign = 1;  // order of members
};

struct RandomPlan {
  std::vector<RandomGroup> groups;
  std::vector<RandomOperation> operations;
  std::vector<std::vector<RandomGroup::Pattern>> patterns;  // by operation: of the group, at that time
};

/// What a receive got.
struct RandomReceived {
  int operation = 0;  // that posted it
  int message = -1;   // operation that sent it; -1: no bytes, so nobody knows
};

class RandomRank {
 public:
  /// What `n` bytes at `offset` of its memory say.
  using Memory = std::function<std::vector<std::uint8_t>(Bytes offset, Bytes n)>;
  explicit RandomRank(const RandomPlan& plan) : plan_(&plan) {}
  void run(comm::Rank& r, const Memory& memory);

  const std::vector<std::string>& log() const { return log_; }
  const std::vector<std::string>& wrong() const { return wrong_; }
  const std::vector<RandomReceived>& received() const { return received_; }

  /// Where in a rank's own memory the bytes of operation `n` come from.
  static Bytes source_of(int n) { return Bytes(64) * n; }
  /// And where they go to.
  static Bytes target_of(int n) { return Bytes(1 << 20) + Bytes(65536) * n; }
  static constexpr Bytes most{20000};  // of a message

 private:
  using Operation = RandomOperation;
  struct Open {
    comm::Request request;
    int operation = 0;
    bool receives = false;
    bool may_wait = true;
  };
  void perform(const Operation& o);
  void message(const Operation& o);
  void receive(const Operation& o);
  void exchange(const Operation& o);
  void collective(const Operation& o);
  void split(const Operation& o);
  void fence(const Operation& o);
  void epoch(const Operation& o);
  void check_window(const Operation& o, comm::Group& g, Bytes window);
  void wait(const Operation& o);
  void wait_for(std::vector<Open> some, int how);
  void flush(const Operation& o);
  void got(const Operation& o, const comm::Status& s);
  void check_status(const Operation& o, const Operation* m, const comm::Status& s);
  void expect(const Operation& o, Bytes at, Bytes n, int of, Bytes from);
  void check_bytes(const Operation& o, const comm::Buffer& b);
  comm::Buffer into(const Operation& o) const;
  void complain(const Operation& o, const std::string& what);
  comm::Group& group(int i) { return groups_.at(i); }
  int me(const Operation& o);
  RandomGroup::Pattern pattern(const Operation& o, int rank) const {
    return plan_->patterns[static_cast<std::size_t>(o.number)][static_cast<std::size_t>(rank)];
  }

  const RandomPlan* plan_;
  comm::Rank* rank_ = nullptr;
  Memory memory_;
  std::map<int, comm::Group> groups_;
  std::vector<Open> open_;
  std::vector<std::string> log_;
  std::vector<std::string> wrong_;
  std::vector<RandomReceived> received_;
};

}  // namespace tsunagi::test
