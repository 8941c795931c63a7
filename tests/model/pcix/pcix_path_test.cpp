// SPDX-License-Identifier: Apache-2.0
// A card on PCI-X and its host: what is written comes to memory, what is read comes back.
#include "model/pcix/pcix_bench.hpp"

namespace pcix_path_test {

using namespace tsunagi;
using namespace tsunagi::test;

TEST_CASE("a card on PCI-X reads what it has written, by a hub link or without") {
  for (const bool by_hub : {false, true}) {
    CAPTURE(by_hub);
    CHECK(in_child([&] {
            PcixBench b(1);
            if (by_hub) b.hub = pcix::HubLinkConfig{};
            b.build();
            std::vector<std::uint8_t> says;
            for (int i = 0; i < 3000; ++i) says.push_back(static_cast<std::uint8_t>(1 + i % 250));
            b.at(0_ns, [&] {
              b.card(0).write(PcixBench::memory + 5, Bytes(3000), says);
              b.card(0).read_behind(7, PcixBench::memory + 5, Bytes(3000));
            });
            b.run();
            b.expect_all_home();
            if (b.card(0).came().count(7) == 0) return std::string("nothing came");
            const DmaCard::Came& c = b.card(0).came().at(7);
            std::printf("%lld\n", (long long)c.when.fs());
            return std::string(c.bytes == says ? "same" : "other bytes");
          }) == "same");
  }
}

}  // namespace pcix_path_test
