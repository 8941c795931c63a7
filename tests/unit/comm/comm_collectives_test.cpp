// SPDX-License-Identifier: Apache-2.0
// Which algorithm a collective call gets, and why not: known before time 0.
#include "comm/collectives/blocks.hpp"
#include "comm/collectives/catalog.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace comm_collectives_test {

using namespace tsunagi;
using comm::Collective;
using comm::CollectiveCall;

namespace {

const comm::Means plenty{1_GiB};

CollectiveCall call(Collective kind, Bytes in, Bytes out) { return {kind, 0, {{}, in, {}, {}}, {{}, out, {}, {}}}; }
CollectiveCall broadcast(Bytes n) { return call(Collective::broadcast, n, n); }
CollectiveCall reduce(Bytes n) { return call(Collective::reduce, n, n); }
CollectiveCall allreduce(Bytes n) { return call(Collective::allreduce, n, n); }
CollectiveCall allgather(int p, Bytes n) { return call(Collective::allgather, n, n * p); }
CollectiveCall all_to_all(int p, Bytes n) { return call(Collective::all_to_all, n * p, n * p); }

std::string chosen(int p, const CollectiveCall& c) { return comm::choose(p, c, "", plenty).name; }

}  // namespace

TEST_CASE("broadcasts choose as MPICH does") {
  CHECK(chosen(64, broadcast(12287_B)) == "binomial");
  CHECK(chosen(64, broadcast(12288_B)) == "scatter_allgather");
  CHECK(chosen(7, broadcast(1_MiB)) == "binomial");
  CHECK(chosen(8, broadcast(1_MiB)) == "scatter_allgather");
}

TEST_CASE("reductions choose as MPICH does") {
  CHECK(chosen(64, reduce(2048_B)) == "binomial");
  CHECK(chosen(64, reduce(2056_B)) == "rabenseifner");
  CHECK(chosen(512, reduce(2056_B)) == "binomial");  // 257 elements
  CHECK(chosen(64, allreduce(2048_B)) == "recursive_doubling");
  CHECK(chosen(64, allreduce(2056_B)) == "rabenseifner");
  CHECK(chosen(511, allreduce(2056_B)) == "rabenseifner");
  CHECK(chosen(512, allreduce(2056_B)) == "recursive_doubling");
}

TEST_CASE("exchanges choose as MPICH does") {
  CHECK(chosen(64, allgather(64, 8191_B)) == "recursive_doubling");
  CHECK(chosen(64, allgather(64, 8192_B)) == "ring");
  CHECK(chosen(10, allgather(10, 8191_B)) == "bruck");
  CHECK(chosen(10, allgather(10, 8192_B)) == "ring");
  CHECK(chosen(8, all_to_all(8, 256_B)) == "bruck");
  CHECK(chosen(7, all_to_all(7, 256_B)) == "linear");
  CHECK(chosen(8, all_to_all(8, 257_B)) == "linear");
  CHECK(chosen(8, all_to_all(8, 32_KiB)) == "linear");
  CHECK(chosen(8, all_to_all(8, 32769_B)) == "pairwise");
}

TEST_CASE("scatters and gathers of blocks of different sizes are linear") {
  CollectiveCall c = call(Collective::scatter, 64_B, 16_B);
  CHECK(chosen(4, c) == "binomial");
  c.sizes = {1_B, 2_B, 3_B, 16_B};
  CHECK(chosen(4, c) == "linear");
  CHECK(c.weight(4) == 16_B);
}

TEST_CASE("a misspelt algorithm is refused with what there is") {
  CHECK(comm::refusal(4, broadcast(1_KiB), "binominal", plenty) ==
        "there is no broadcast by \"binominal\"; did you mean \"binomial\"? algorithms: binomial, "
        "binomial_smallest_first, binary_tree, knomial, chain, scatter_allgather, scatter_ring, linear, hardware, "
        "software");
  CHECK(comm::refusal(4, reduce(1_KiB), "quick", plenty) ==
        "there is no reduce by \"quick\"; algorithms: binomial, chain, rabenseifner, linear, hardware, software");
  CHECK(comm::refusal(4, reduce(1_KiB), "binomial", plenty).empty());
}

TEST_CASE("an algorithm that cannot do a call says why") {
  CHECK(comm::refusal(6, allgather(6, 8_B), "recursive_doubling", plenty) ==
        "allgather by \"recursive_doubling\": 2, 4, 8, ... ranks only, not 6");
  CHECK(comm::refusal(8, allgather(8, 8_B), "recursive_doubling", plenty).empty());
  CollectiveCall v = all_to_all(2, 8_B);
  v.sizes = v.received = {4_B, 12_B};
  CHECK(comm::refusal(2, v, "bruck", plenty) == "all_to_all by \"bruck\": blocks of one size only");
  CollectiveCall no_segment = broadcast(8_B);
  no_segment.segment = 0_B;
  CHECK(comm::refusal(2, no_segment, "chain", plenty) == "broadcast by \"chain\": segments of at least 1 B, not 0 B");
  CHECK(comm::refusal(2, no_segment, "linear", plenty).empty());
}

TEST_CASE("a k-nomial tree needs a radix of two") {
  CollectiveCall c = broadcast(8_B);
  c.radix = 1;
  CHECK(comm::refusal(2, c, "knomial", plenty) == "broadcast by \"knomial\": a radix of at least 2, not 1");
}

TEST_CASE("missing memory beside the buffers is told or gone round") {
  CHECK(comm::scratch_need(8, reduce(1_KiB), "binomial") == 2_KiB);
  CHECK(comm::refusal(8, reduce(1_KiB), "binomial", {2047_B}) ==
        "reduce by \"binomial\" of 8 ranks needs 2 KiB of memory beside its buffers, but there are 2047 B");
  CHECK(comm::refusal(8, reduce(1_KiB), "binomial", {2_KiB}).empty());
  // By default another one takes its place, if one can.
  CHECK(comm::choose(8, all_to_all(8, 8_B), "", {16_B}).name == std::string("pairwise"));
  CHECK(comm::choose(8, reduce(1_KiB), "", {1_KiB}).name == std::string("chain"));
  CHECK(comm::refusal(8, reduce(1_KiB), "", {1023_B}) ==
        "reduce by \"binomial\" of 8 ranks needs 2 KiB of memory beside its buffers, but there are 1023 B; nor can any "
        "other algorithm");
  CHECK(comm::scratch_need(4, broadcast(1_GiB), "") == 0_B);
  CHECK(comm::split_scratch(4) == 32_B);
  CHECK(comm::split_scratch(5) == 80_B);
}

TEST_CASE("what the library prefers is taken where it can be") {
  comm::Means m = plenty;
  m.preferred = comm::Choice{"knomial", 4_KiB, 8};
  CollectiveCall c = broadcast(1_MiB);
  const comm::Algorithm& taken = comm::choose(64, c, "", m);
  CHECK(taken.name == std::string("knomial"));
  comm::adopt(c, taken, "", m);
  CHECK(c.segment == 4_KiB);
  CHECK(c.radix == 8);
  // Who names an algorithm says how himself.
  c = broadcast(1_MiB);
  comm::adopt(c, comm::choose(64, c, "knomial", m), "knomial", m);
  CHECK(c.radix == comm::Choice().radix);
  // Where it cannot do the call, MPICH's choice is taken: too little memory, or a number of ranks that is not for it.
  m.preferred = comm::Choice{"bruck"};
  CHECK(comm::choose(8, all_to_all(8, 1_MiB), "", m).name == std::string("bruck"));
  CHECK(comm::scratch_need(8, all_to_all(8, 1_MiB), "", m) == 16_MiB);
  m.scratch = 1_MiB;
  CHECK(comm::choose(8, all_to_all(8, 1_MiB), "", m).name == std::string("pairwise"));
  m.preferred = comm::Choice{"recursive_doubling"};
  CHECK(comm::choose(6, allgather(6, 8_B), "", m).name == std::string("bruck"));
  CHECK(comm::choose(8, allgather(8, 1_MiB), "", m).name == std::string("recursive_doubling"));
  // Hardware goes before it.
  m.hardware.clear();
  CHECK(comm::choose(8, allgather(8, 8_B), "", m).name == std::string("hardware"));
}

TEST_CASE("an order of partners is for algorithms that let it be chosen") {
  CollectiveCall c = all_to_all(8, 1_MiB);
  c.order = comm::PartnerOrder::rank_relative;
  CHECK(comm::refusal(8, c, "pairwise", plenty) == "all_to_all by \"pairwise\" has one order of partners alone");
  CHECK(comm::refusal(8, c, "linear", plenty).empty());
  CHECK(chosen(8, c) == "linear");  // not "pairwise", as without an order
  CHECK(comm::orders(Collective::all_to_all, "linear"));
  CHECK(!comm::orders(Collective::all_to_all, "ring"));
  CHECK(!comm::orders(Collective::broadcast, "linear"));
}

TEST_CASE("the order that the library prefers is taken unless the call has one") {
  comm::Means m = plenty;
  m.preferred = comm::Choice{"linear", {}, {}, comm::PartnerOrder::rank_relative};
  for (const auto asked : {comm::PartnerOrder::own, comm::PartnerOrder::natural}) {
    CollectiveCall c = all_to_all(8, 1_KiB);
    c.order = asked;
    comm::adopt(c, comm::choose(8, c, "", m), "", m);
    CHECK(c.order == (asked == comm::PartnerOrder::own ? comm::PartnerOrder::rank_relative : asked));
  }
}

TEST_CASE("hardware is chosen where it is offered") {
  comm::Means m = plenty;
  CHECK(comm::refusal(4, broadcast(8_B), "hardware", m) == "broadcast by \"hardware\": the library has no such");
  m.hardware = "256 ranks at least";
  CHECK(comm::refusal(4, broadcast(8_B), "hardware", m) == "broadcast by \"hardware\": 256 ranks at least");
  CHECK(comm::choose(4, broadcast(8_B), "", m).name == std::string("binomial"));
  m.hardware.clear();
  CHECK(comm::choose(4, broadcast(8_B), "", m).name == std::string("hardware"));
  CHECK(comm::choose(4, broadcast(8_B), "chain", m).name == std::string("chain"));
}

TEST_CASE("the first algorithm of each collective does any call") {
  for (int i = 0; i <= static_cast<int>(Collective::all_to_all); ++i) {
    const auto kind = static_cast<Collective>(i);
    const auto first = std::find_if(comm::algorithms().begin(), comm::algorithms().end(),
                                    [&](const comm::Algorithm& a) { return a.kind == kind; });
    REQUIRE(first != comm::algorithms().end());
    for (int p = 1; p <= 33; ++p)
      for (const bool v : {false, true}) {
        CollectiveCall c = call(kind, 8_B * p, 8_B * p);
        if (v) c.sizes = c.received = std::vector<Bytes>(static_cast<std::size_t>(p), 8_B);
        CHECK(first->refusal(p, c).empty());
        CHECK(comm::refusal(p, c, "", plenty).empty());
      }
  }
}

TEST_CASE("pieces of a reduction and segments cut no element") {
  const comm::Blocks blocks = comm::Blocks::split(3, 45_B, 8_B);  // 6 elements, the last of 5 bytes
  CHECK(blocks.size(0) == 16_B);
  CHECK(blocks.size(1) == 16_B);
  CHECK(blocks.size(2) == 13_B);
  const comm::Blocks few = comm::Blocks::split(4, 9_B, 8_B);
  CHECK(few.size(0) == 8_B);
  CHECK(few.size(1) == 1_B);
  CHECK(few.size(2) == 0_B);
  CHECK(comm::Segments(100_B, 30_B, 8_B).each() == 24_B);
  CHECK(comm::Segments(100_B, 30_B, 8_B).count() == 5);
  CHECK(comm::Segments(100_B, 30_B, 64_B).each() == 64_B);
  CHECK(comm::Segments(0_B, 30_B).count() == 0);
}

}  // namespace comm_collectives_test
