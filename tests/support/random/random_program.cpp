// SPDX-License-Identifier: Apache-2.0
#include "support/random/random_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace tsunagi::test {

namespace {

constexpr int tags = 3;

}  // namespace

RandomProgram::RandomProgram(int ranks, std::uint64_t seed, Bytes eager, int operations)
    : random_(seed), eager_(eager) {
  RandomGroup world;
  world.members.resize(static_cast<std::size_t>(ranks));
  std::iota(world.members.begin(), world.members.end(), 0);
  plan_.groups.push_back(world);
  for (int i = 0; i < ranks; ++i) plan_.groups[0].patterns.push_back(static_cast<RandomGroup::Pattern>(draw(4)));
  while (static_cast<int>(plan_.operations.size()) < operations) add_random();
  for (std::size_t g = 0; g < plan_.groups.size(); ++g) add(Kind::flush, static_cast<int>(g)).send = draw(3);
  ranks_.assign(static_cast<std::size_t>(ranks), RandomRank(plan_));
}

RandomOperation& RandomProgram::add(Kind kind, int group) {
  RandomOperation o;
  o.kind = kind;
  o.group = group;
  o.number = static_cast<int>(plan_.operations.size());
  plan_.operations.push_back(o);
  plan_.patterns.push_back(plan_.groups[static_cast<std::size_t>(group)].patterns);
  return plan_.operations.back();
}

Bytes RandomProgram::draw_size() {
  const Bytes lengths[] = {0_B,   1_B,          7_B,    8_B,          63_B,   64_B,       65_B,
                           200_B, eager_ - 1_B, eager_, eager_ + 1_B, 4097_B, eager_ * 2, RandomRank::most};
  return std::min(lengths[draw(14)], RandomRank::most);
}

int RandomProgram::draw_group(int least) {
  for (;;) {
    const int g = draw(static_cast<int>(plan_.groups.size()));
    if (static_cast<int>(plan_.groups[static_cast<std::size_t>(g)].members.size()) >= least) return g;
  }
}

bool RandomProgram::wild(int group, int rank) const {
  return plan_.groups[static_cast<std::size_t>(group)].patterns[static_cast<std::size_t>(rank)] >=
         RandomGroup::any_source;
}

void RandomProgram::add_random() {
  const int what = draw(40);
  const int g = draw_group(1);
  const int p = static_cast<int>(plan_.groups[static_cast<std::size_t>(g)].members.size());
  if (what < 22) {
    add_message(g, draw(p), draw(p), true);
  } else if (what < 25) {
    add_exchange(g);
  } else if (what < 29) {
    RandomOperation& o = add(Kind::wait, g);
    o.from = draw(p), o.send = draw(3), o.which = draw(7);
  } else if (what < 33) {
    RandomOperation& o = add(Kind::compute, g);
    o.from = draw(p), o.time = Time::from_fs(1'000'000) * draw(20000);
  } else if (what < 36) {
    RandomOperation& o = add(Kind::collective, g);
    o.which = draw(8), o.from = draw(p);
    o.size = Bytes(8) * draw(o.which == 3 || o.which == 5 ? 64 : 300);
  } else if (what < 37) {
    add_epoch(g);
  } else if (what < 38 && plan_.groups.size() < 8) {
    add_split(g);
  } else {
    add(Kind::flush, g).send = draw(3);
    for (RandomGroup::Pattern& x : plan_.groups[static_cast<std::size_t>(g)].patterns)
      x = static_cast<RandomGroup::Pattern>(draw(4));
  }
}

void RandomProgram::add_message(int group, int from, int to, bool may_block) {
  const Bytes size = draw_size();
  RandomOperation& o = add(Kind::message, group);
  o.from = from, o.to = to, o.tag = draw(tags), o.size = size;
  o.send = may_block ? draw(3) : 1;
  o.recv = draw(5);
  o.which = draw(2);
  o.time = Time::from_fs(1'000'000) * (1 + draw(500));
}

void RandomProgram::add_exchange(int group) {
  const int p = static_cast<int>(plan_.groups[static_cast<std::size_t>(group)].members.size());
  const int a = draw(p);
  const int b = draw(p);
  if (a == b || wild(group, a) || wild(group, b)) return;
  add_message(group, a, b, true);
  add_message(group, b, a, true);
  for (const int back : {2, 1}) {
    RandomOperation& o = plan_.operations[plan_.operations.size() - static_cast<std::size_t>(back)];
    o.kind = Kind::exchange;
    o.which = 2 - back;
  }
}

void RandomProgram::add_split(int group) {
  const std::vector<int> members = plan_.groups[static_cast<std::size_t>(group)].members;
  const int first = static_cast<int>(plan_.groups.size());
  RandomOperation& o = add(Kind::split, group);
  const int colours = 1 + draw(2);
  for (std::size_t i = 0; i < members.size(); ++i)
    o.to_groups.push_back(first + (i < static_cast<std::size_t>(colours) ? static_cast<int>(i) : draw(colours)));
  for (int c = 0; c < colours; ++c) {
    RandomGroup made;
    made.key_sign = draw(2) == 0 ? 1 : -1;
    for (std::size_t i = 0; i < members.size(); ++i)
      if (o.to_groups[i] == first + c) made.members.push_back(members[i]);
    if (made.key_sign < 0) std::reverse(made.members.begin(), made.members.end());
    for (std::size_t i = 0; i < made.members.size(); ++i)
      made.patterns.push_back(static_cast<RandomGroup::Pattern>(draw(4)));
    if (made.members.empty()) made.members.clear();
    plan_.groups.push_back(made);
  }
}

void RandomProgram::add_epoch(int group) {
  const int p = static_cast<int>(plan_.groups[static_cast<std::size_t>(group)].members.size());
  RandomOperation& o = add(draw(2) == 0 ? Kind::fence : Kind::epoch, group);
  o.size = std::min(draw_size(), 1000_B);
  for (int i = 0; i < p; ++i) {
    o.targets.emplace_back();
    for (int to = 0; to < p; ++to)
      if (draw(3) == 0) o.targets.back().push_back(to);
  }
}

void RandomProgram::run(comm::Rank& r, const RandomRank::Memory& memory) {
  ranks_[static_cast<std::size_t>(r.id())].run(r, memory);
}

/// MPI 4.0, 3.5: of two messages of one rank that a receive takes, the first one; of two receives that take a message,
/// the first one.
void RandomProgram::check_order(std::vector<std::string>& wrong) const {
  for (const RandomRank& rank : ranks_)
    for (const RandomReceived& later : rank.received())
      for (const RandomReceived& r : rank.received()) {
        if (r.message < 0 || later.message < 0 || later.message >= r.message) continue;
        const RandomOperation& first = plan_.operations[static_cast<std::size_t>(later.message)];
        const RandomOperation& second = plan_.operations[static_cast<std::size_t>(r.message)];
        const RandomOperation& post = plan_.operations[static_cast<std::size_t>(r.operation)];
        if (first.group != second.group || first.from != second.from || first.kind == Kind::exchange) continue;
        const auto p = plan_.patterns[static_cast<std::size_t>(r.operation)][static_cast<std::size_t>(post.to)];
        const bool takes = p == RandomGroup::any || p == RandomGroup::any_tag || first.tag == post.tag;
        if (takes && r.operation < later.operation)
          wrong.push_back(fmt::format("message {} overtook {}", r.message, later.message));
      }
}

std::string RandomProgram::report() const {
  std::vector<std::string> wrong;
  std::string out;
  for (const RandomRank& r : ranks_) {
    for (const std::string& line : r.log()) out += line + "\n";
    wrong.insert(wrong.end(), r.wrong().begin(), r.wrong().end());
  }
  check_order(wrong);
  for (const std::string& line : wrong) out += "WRONG " + line + "\n";
  return out;
}

std::string RandomProgram::text() const {
  static constexpr const char* kinds[] = {"message", "exchange", "collective", "split", "wait",
                                          "compute", "fence",    "epoch",      "flush"};
  std::string out;
  for (const RandomOperation& o : plan_.operations)
    out += fmt::format("{} {} group {} {} -> {} tag {} {} B send {} recv {} which {}\n", o.number,
                       kinds[static_cast<int>(o.kind)], o.group, o.from, o.to, o.tag, o.size.count(), o.send, o.recv,
                       o.which);
  return out;
}

}  // namespace tsunagi::test
