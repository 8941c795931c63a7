// SPDX-License-Identifier: Apache-2.0
// Every collective algorithm on 2 .. 16 PEACH2 nodes: which bytes are where, by the ledger and in the nodes' memories.
#include <algorithm>
#include <set>

#include "comm/collectives/catalog.hpp"
#include "system/program_bench.hpp"
#include "system/tca/tca_bytes.hpp"

namespace tca_collectives_test {

using namespace tsunagi;
using namespace tsunagi::test;
using comm::Buffer;
using comm::Collective;

namespace {

constexpr int nodes = 16;
constexpr Bytes filled = 160_KiB;

/// A call by `ranks` ranks, of `n` bytes or blocks of `n` bytes.
struct Case {
  const comm::Algorithm* algorithm = nullptr;
  int ranks = 2;
  Bytes n;
  int root = 0;
  Bytes shift;  // so that no case's bytes are those of the one before
  std::string text() const {
    return std::string(comm::name_of(algorithm->kind)) + " by " + algorithm->name + ", " + std::to_string(ranks) +
           " ranks, " + std::to_string(n.count()) + " B, root " + std::to_string(root);
  }
  Buffer in(std::int64_t blocks = 1) const { return {shift, n * blocks, {}, {}}; }
  Buffer out(std::int64_t blocks = 1) const { return {1_MiB, n * blocks, {}, {}}; }
};

/// Of all algorithms of a collective, for all numbers of ranks: a byte, less and more than the eager limit of 1 KiB.
std::vector<Case> cases_of(Collective kind) {
  std::vector<Case> out;
  constexpr std::int64_t sizes[] = {1, 203, 5000};
  for (const comm::Algorithm& a : comm::algorithms())
    for (int p = 2; a.kind == kind && p <= nodes; ++p) {
      const auto i = static_cast<std::int64_t>(out.size());
      const Case c{&a, p, Bytes(sizes[i % 3]), p / 2, 61_B * (i % 1000)};
      const comm::CollectiveCall call{kind, c.root, c.in(), c.out()};
      if (a.refusal(p, call).empty()) out.push_back(c);
    }
  return out;
}

/// What the ledger knows of a buffer is what the memory has: bytes of rank r's own.
void check_bytes(ProgramBench& b, int rank, const Buffer& there) {
  Bytes at = there.offset;
  for (const comm::Ledger::Piece& p : b.world().ledger()->read(rank, there)) {
    const std::string value = b.world().ledger()->text({p});
    REQUIRE(value.front() == 'r');
    CHECK(differs(b, rank, at, std::stoi(value.substr(1)), p.offset, p.size) == "");
    at += p.size;
  }
}

/// Each rank's contribution is in an expression once.
void check_operands(const std::string& expression, int ranks) {
  std::multiset<std::string> found;
  std::string name;
  for (const char c : expression + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      name += c;
    } else if (!name.empty()) {
      found.insert(name);
      name.clear();
    }
  }
  CHECK(found.size() == static_cast<std::size_t>(ranks));
  for (int i = 0; i < ranks; ++i) CHECK(found.count("r" + std::to_string(i)) == 1);
}

void do_case(ProgramBench& b, int rank, comm::Group& g, const Case& c) {
  const comm::Choice how{c.algorithm->name, 1_KiB};
  comm::Ledger& ledger = *b.world().ledger();
  const auto expect_blocks = [&](const std::function<Bytes(int)>& from) {
    for (int i = 0; i < c.ranks; ++i)
      ledger.expect(rank, comm::part(c.out(c.ranks), c.n * i, c.n), "r" + std::to_string(i), from(i), c.text());
    check_bytes(b, rank, c.out(c.ranks));
  };
  switch (c.algorithm->kind) {
    case Collective::barrier:
      return g.barrier(how);
    case Collective::broadcast:
      if (rank == c.root) g.copy(c.out(), c.in());
      g.broadcast(c.root, c.out(), how);
      ledger.expect(rank, c.out(), "r" + std::to_string(c.root), c.shift, c.text());
      return check_bytes(b, rank, c.out());
    case Collective::reduce:
      g.reduce(c.root, c.in(), c.out(), how);
      if (rank == c.root) check_operands(ledger.value(rank, c.out(), c.shift), c.ranks);
      return;
    case Collective::allreduce:
      g.allreduce(c.in(), c.out(), how);
      return check_operands(ledger.value(rank, comm::part(c.out(), {}, 1_B), c.shift), c.ranks);
    case Collective::scatter:
      g.scatter(c.root, c.in(c.ranks), c.out(), how);
      ledger.expect(rank, c.out(), "r" + std::to_string(c.root), c.shift + c.n * rank, c.text());
      return check_bytes(b, rank, c.out());
    case Collective::gather:
      g.gather(c.root, c.in(), c.out(c.ranks), how);
      if (rank == c.root) expect_blocks([&](int) { return c.shift; });
      return;
    case Collective::allgather:
      g.allgather(c.in(), c.out(c.ranks), how);
      return expect_blocks([&](int) { return c.shift; });
    case Collective::all_to_all:
      g.all_to_all(c.in(c.ranks), c.out(c.ranks), how);
      return expect_blocks([&](int) { return c.shift + c.n * rank; });
  }
}

void check_all(Collective kind) {
  ProgramBench b("broadcast_tca", {{"/library/messages/eager_limit", R"("1 KiB")"}, {"/library/messages/slots", "4"}});
  REQUIRE(b.ranks() == nodes);
  const std::vector<Case> cases = cases_of(kind);
  REQUIRE(cases.size() >= 15);
  b.world().check_data();
  b.world().set_scratch(4_MiB, 4_MiB);
  fill(b, filled, 1_ms);
  comm::StartLine line;
  b.all([&](comm::Rank& r) {
    r.wait_until(1_ms);
    std::vector<comm::Group> groups;
    for (int p = 2; p <= nodes; ++p) groups.push_back(r.world().split(r.id() < p ? 0 : 1, r.id()));
    for (const Case& c : cases) {
      r.meet(line, [] {});
      b.world().ledger()->fill(r.id(), {{}, filled, {}, {}}, "r" + std::to_string(r.id()));
      if (r.id() < c.ranks) do_case(b, r.id(), groups[static_cast<std::size_t>(c.ranks) - 2], c);
    }
  });
  b.run(1000_s);
}

}  // namespace

TEST_CASE("barriers end on 2 to 16 PEACH2 nodes") { check_all(Collective::barrier); }
TEST_CASE("broadcasts bring every byte on 2 to 16 PEACH2 nodes") { check_all(Collective::broadcast); }
TEST_CASE("reductions combine all ranks once on 2 to 16 PEACH2 nodes") { check_all(Collective::reduce); }
TEST_CASE("allreduces combine all ranks once on 2 to 16 PEACH2 nodes") { check_all(Collective::allreduce); }
TEST_CASE("scatters bring every byte on 2 to 16 PEACH2 nodes") { check_all(Collective::scatter); }
TEST_CASE("gathers bring every byte on 2 to 16 PEACH2 nodes") { check_all(Collective::gather); }
TEST_CASE("allgathers bring every byte on 2 to 16 PEACH2 nodes") { check_all(Collective::allgather); }
TEST_CASE("all-to-alls bring every byte on 2 to 16 PEACH2 nodes") { check_all(Collective::all_to_all); }

}  // namespace tca_collectives_test
