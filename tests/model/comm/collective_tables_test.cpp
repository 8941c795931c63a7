// SPDX-License-Identifier: Apache-2.0
// A version's own choice of collective algorithms: tables in part files.
#include "models/libraries/mpi/collective_tables.hpp"

#include "config/config.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace collective_tables_test {

using namespace tsunagi;
using comm::Collective;
using comm::CollectiveCall;
using libraries::CollectiveTables;

namespace {

CollectiveTables read(const std::string& text) {
  return config::read<CollectiveTables>(config::parse(text, "t.json"), config::Kinds());
}

std::string complaint(const std::string& text) {
  try {
    read(text);
  } catch (const config::ConfigError& e) {
    return e.what();
  }
  return {};
}

CollectiveCall broadcast(Bytes n) { return {Collective::broadcast, 0, {{}, n, {}, {}}, {{}, n, {}, {}}}; }

const char* const two_rows = R"({"broadcast": [
    {"ranks": 8, "sizes": [{"algorithm": "binomial"}]},
    {"ranks": 32, "sizes": [{"algorithm": "knomial", "radix": 8},
                            {"above": "8 KiB", "algorithm": "knomial", "radix": 2, "segment": "4 KiB"},
                            {"above": "512 KiB", "algorithm": "scatter_ring"}]}]})";

}  // namespace

TEST_CASE("a table's rows hold up to their numbers of ranks and the last one beyond") {
  const CollectiveTables t = read(two_rows);
  const auto taken = [&](int ranks, Bytes n) { return t.choice(ranks, broadcast(n)).value().algorithm; };
  CHECK(taken(2, 1_MiB) == "binomial");
  CHECK(taken(8, 1_MiB) == "binomial");
  CHECK(taken(9, 1_MiB) == "scatter_ring");
  CHECK(taken(32, 8_B) == "knomial");
  CHECK(taken(1000, 512_KiB) == "knomial");
  CHECK(taken(1000, 524289_B) == "scatter_ring");
}

TEST_CASE("a table's sizes hold for more bytes than they say") {
  const CollectiveTables t = read(two_rows);
  const comm::Choice small = t.choice(16, broadcast(8_KiB)).value();
  CHECK(small.radix == 8);
  CHECK(small.segment == comm::Choice().segment);
  const comm::Choice larger = t.choice(16, broadcast(8193_B)).value();
  CHECK(larger.radix == 2);
  CHECK(larger.segment == 4_KiB);
  CHECK(t.choice(16, broadcast(0_B)).value().radix == 8);
}

TEST_CASE("without a table MPICH chooses, and for blocks of different sizes") {
  CollectiveTables t = read(R"({"scatter": [{"ranks": 8, "sizes": [{"algorithm": "linear"}]}]})");
  CHECK(!t.choice(4, broadcast(8_B)).has_value());
  CollectiveCall c{Collective::scatter, 0, {{}, 32_B, {}, {}}, {{}, 8_B, {}, {}}};
  CHECK(t.choice(4, c).value().algorithm == "linear");
  c.sizes = {8_B, 8_B, 8_B, 8_B};
  CHECK(!t.choice(4, c).has_value());
  CHECK(!t.choice(4, {Collective::barrier, 0, {}, {}}).has_value());
}

namespace {

CollectiveCall all_to_all(int ranks, Bytes block) {
  return {Collective::all_to_all, 0, {{}, block * ranks, {}, {}}, {{}, block * ranks, {}, {}}};
}

}  // namespace

TEST_CASE("a table may go by the bytes of all blocks of a rank") {
  const CollectiveTables t = read(R"({"all_to_all": [{"ranks": 8, "by": "total", "sizes": [
      {"algorithm": "recursive_doubling"}, {"above": "128 B", "algorithm": "linear", "order": "rank_relative"}]}],
      "allgather": [{"ranks": 8, "by": "total", "sizes": [{"algorithm": "ring"}, {"above": "64 B", "algorithm": "bruck"}]}]})");
  CHECK(t.choice(8, all_to_all(8, 16_B)).value().algorithm == "recursive_doubling");
  CHECK(t.choice(8, all_to_all(8, 17_B)).value().algorithm == "linear");
  CHECK(t.choice(8, all_to_all(8, 17_B)).value().order == comm::PartnerOrder::rank_relative);
  CHECK(t.choice(4, all_to_all(4, 32_B)).value().algorithm == "recursive_doubling");
  CHECK(t.choice(4, all_to_all(4, 33_B)).value().algorithm == "linear");
  const auto gathered = [&](Bytes n) {
    return t.choice(8, {Collective::allgather, 0, {{}, n, {}, {}}, {{}, n * 8, {}, {}}}).value().algorithm;
  };
  CHECK(gathered(8_B) == "ring");
  CHECK(gathered(9_B) == "bruck");
}

TEST_CASE("all-to-alls of blocks of different sizes have a table of their own") {
  CollectiveCall c = all_to_all(4, 8_B);
  c.sizes = {8_B, 1_MiB, 0_B, 8_B};
  c.received = {8_B, 8_B, 8_B, 8_B};
  CHECK(!read(R"({"all_to_all": [{"ranks": 8, "sizes": [{"algorithm": "ring"}]}]})").choice(4, c).has_value());
  const CollectiveTables t =
      read(R"({"all_to_all_v": [{"ranks": 8, "sizes": [{"algorithm": "linear", "order": "rank_relative"}]}]})");
  CHECK(t.choice(4, c).value().order == comm::PartnerOrder::rank_relative);
  CHECK(!t.choice(4, all_to_all(4, 8_B)).has_value());
}

TEST_CASE("orders and what sizes are of are checked before anything runs") {
  const auto of = [](const std::string& table, const std::string& row) {
    return complaint("{\"" + table + "\": [{\"ranks\": 8, " + row + "}]}");
  };
  CHECK(of("broadcast", R"("by": "total", "sizes": [{"algorithm": "binomial"}])") ==
        "t.json:1:1: in \"broadcast\", \"by\" is of collectives with blocks");
  CHECK(of("all_to_all", R"("sizes": [{"algorithm": "pairwise", "order": "natural"}])") ==
        "t.json:1:1: in \"all_to_all\", all_to_all by \"pairwise\" has one order of partners alone");
  CHECK(of("all_to_all", R"("sizes": [{"algorithm": "linear", "order": "naturl"}])").find("natural") !=
        std::string::npos);
  CHECK(of("all_to_all", R"("by": "blocks", "sizes": [{"algorithm": "linear"}])").find("did you mean \"block\"") !=
        std::string::npos);
  CHECK(
      of("all_to_all_v", R"("sizes": [{"algorithm": "linear"}, {"above": "8 B", "algorithm": "ring"}])") ==
      "t.json:1:1: in \"all_to_all_v\", ranks have no size in common that more than one of the \"sizes\" could go by");
  CHECK(of("all_to_all_v", R"("sizes": [{"algorithm": "bruck"}])") ==
        "t.json:1:1: in \"all_to_all_v\", all_to_all by \"bruck\": blocks of one size only");
  CHECK(of("all_to_all_v", R"("sizes": [{"algorithm": "lineal"}])").find("did you mean \"linear\"") !=
        std::string::npos);
}

TEST_CASE("MPICH 1.2.5's table chooses as its source does") {
  const CollectiveTables t =
      config::read<CollectiveTables>(config::load(TSUNAGI_TEST_CONFIGS "/parts/mpich_1_2_5.json"), config::Kinds());
  const auto taken = [&](int ranks, const CollectiveCall& c) { return t.choice(ranks, c).value(); };
  CHECK(taken(16, all_to_all(16, 8_B)).algorithm == "recursive_doubling");
  CHECK(taken(16, all_to_all(16, 9_B)).algorithm == "linear");
  CHECK(taken(16, all_to_all(16, 9_B)).order == comm::PartnerOrder::rank_relative);
  CHECK(taken(128, all_to_all(128, 2047_B)).algorithm == "linear");
  CHECK(taken(128, all_to_all(128, 2048_B)).algorithm == "ring");
  CHECK(taken(3, all_to_all(3, 87381_B)).algorithm == "linear");  // 262,143 B
  CHECK(taken(3, all_to_all(3, 87382_B)).algorithm == "ring");
  CollectiveCall v = all_to_all(4, 8_B);
  v.sizes = {8_B, 1_MiB, 0_B, 8_B};
  CHECK(taken(4, v).algorithm == "linear");
  CHECK(taken(4, v).order == comm::PartnerOrder::rank_relative);
  CHECK(taken(7, broadcast(1_MiB)).algorithm == "binomial");
  CHECK(taken(8, broadcast(12288_B)).algorithm == "binomial");
  CHECK(taken(8, broadcast(12289_B)).algorithm == "scatter_allgather");
  for (const Bytes n : {8_B, 1_MiB}) {
    CHECK(taken(256, {Collective::allreduce, 0, {{}, n, {}, {}}, {{}, n, {}, {}}}).algorithm == "recursive_doubling");
    CHECK(taken(256, {Collective::reduce, 0, {{}, n, {}, {}}, {{}, n, {}, {}}}).algorithm == "binomial");
  }
}

TEST_CASE("tables are checked before anything runs") {
  const auto broadcast_of = [](const std::string& rows) { return complaint("{\"broadcast\": [" + rows + "]}"); };
  const auto sizes = [&](const std::string& s) { return broadcast_of(R"({"ranks": 8, "sizes": [)" + s + "]}"); };
  CHECK(complaint(two_rows).empty());
  CHECK(sizes(R"({"algorithm": "knomal"})") ==
        "t.json:1:1: in \"broadcast\", there is no broadcast by \"knomal\"; did you mean \"knomial\"? algorithms: "
        "binomial, binomial_smallest_first, binary_tree, knomial, chain, scatter_allgather, scatter_ring, linear");
  CHECK(sizes(R"({"algorithm": "ring"})").find("there is no broadcast by \"ring\"") != std::string::npos);
  CHECK(sizes(R"({"algorithm": "hardware"})").find("there is no broadcast by \"hardware\"") != std::string::npos);
  CHECK(sizes(R"({"up_to": "8 B", "algorithm": "linear"})").find("unknown key \"up_to\"") != std::string::npos);
  CHECK(sizes(R"({"algorithm": "linear", "radix": 1})").find("radix") != std::string::npos);
  CHECK(sizes("").find("\"sizes\" is empty") != std::string::npos);
  CHECK(sizes(R"({"above": "8 B", "algorithm": "linear"})").find("has no \"above\"") != std::string::npos);
  const std::string falling = R"({"algorithm": "linear"}, {"above": "8 B", "algorithm": "chain"},)"
                              R"({"above": "8 B", "algorithm": "linear"})";
  CHECK(sizes(falling).find("\"above\" must grow") != std::string::npos);
  const std::string row = R"({"ranks": 8, "sizes": [{"algorithm": "linear"}]})";
  CHECK(broadcast_of(row + "," + row) == "t.json:1:1: in \"broadcast\", a row up to 8 ranks follows one up to 8");
}

}  // namespace collective_tables_test
