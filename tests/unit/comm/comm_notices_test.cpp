// SPDX-License-Identifier: Apache-2.0
// What observers are told of waits for prepared puts: which of those that were started a notice is of.
#include <string>
#include <vector>

#include "comm/world.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace comm_notices_test {

using namespace tsunagi;
using comm::Wait;

namespace {

struct TwoRanks final : comm::Library {
  int ranks() const override { return 3; }
  Bytes largest_message() const override { return 1_MiB; }
  std::string place(int rank) const override { return "node" + std::to_string(rank); }
};

struct Heard final : comm::Listener {
  std::vector<Wait> waits;
  void call(const comm::Call&) override {}
  void step(const comm::Step&) override {}
  void wait(const Wait& w) override { waits.push_back(w); }
};

/// Of a wait of `rank` for a notice of `peer`, from 20 ns to 30 ns.
Wait notice(int rank, int peer) {
  return {rank, Wait::For::envelope, peer, 20_ns, 30_ns, comm::Envelope::Kind::finished, 0, {}, {}, 25_ns};
}

}  // namespace

TEST_CASE("a notice is of the puts that its sender started first of those that nobody has waited for") {
  TwoRanks library;
  comm::World w(library);
  Heard heard;
  w.set_listener(heard);
  w.noticed_puts().notifies(0, 1, 64_B, 5_ns);
  w.noticed_puts().notifies(2, 1, 16_B, 6_ns);
  w.noticed_puts().notifies(0, 1, 32_B, 7_ns);
  w.noticed_puts().notifies(0, 2, 8_B, 8_ns);
  w.noticed_puts().waited_for_notice(notice(1, 0));
  w.noticed_puts().waited_for_notice(notice(1, 0));
  w.noticed_puts().waited_for_notice(notice(2, 0));
  w.noticed_puts().waited_for_notice(notice(1, 2));
  REQUIRE(heard.waits.size() == 4);
  const std::vector<Bytes> sizes{64_B, 32_B, 8_B, 16_B};
  const std::vector<Time> posted{5_ns, 7_ns, 8_ns, 6_ns};
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(heard.waits[i].size == sizes[i]);
    CHECK(heard.waits[i].posted == posted[i]);
    CHECK(heard.waits[i].begin == 20_ns);
    CHECK(heard.waits[i].arrived == 25_ns);
  }
  CHECK(heard.waits[2].rank == 2);
  CHECK(heard.waits[3].peer == 2);
}

TEST_CASE("what was started before anybody listened is told of no wait, and one's own puts that leave always") {
  TwoRanks library;
  comm::World w(library);
  w.noticed_puts().notifies(0, 1, 64_B, 5_ns);
  w.noticed_puts().waited_for_notice(notice(1, 0));
  w.noticed_puts().waited_to_leave(
      {0, Wait::For::leaving, 1, 5_ns, 9_ns, comm::Envelope::Kind::finished, 0, 64_B, 5_ns, 9_ns});
  Heard heard;
  w.set_listener(heard);
  w.noticed_puts().waited_for_notice(notice(1, 0));
  CHECK(heard.waits.empty());
  w.noticed_puts().waited_to_leave(
      {0, Wait::For::leaving, 1, 5_ns, 9_ns, comm::Envelope::Kind::finished, 0, 64_B, 5_ns, 9_ns});
  REQUIRE(heard.waits.size() == 1);
  CHECK(heard.waits[0].what == Wait::For::leaving);
  CHECK(heard.waits[0].size == 64_B);
}

}  // namespace comm_notices_test
