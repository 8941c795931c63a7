// SPDX-License-Identifier: Apache-2.0
#include "models/nvlink/link.hpp"

#include <memory>

#include "models/nvlink/framing.hpp"

namespace tsunagi::nvlink {

namespace {

struct NvlinkGeneration {
  TransferRate rate;  // of a lane
  int lanes;
};

/// Generations 1 to 4. Bits a second a lane and lanes a direction: NVIDIA whitepapers of P100, V100, A100 (4 pairs at
/// 50 Gb/s) and H100 (2 pairs at 100 Gb/s). Lines are scrambled, not coded: those of generations 1, 3 and 4 carry as
/// many bytes as their data sheets give a link, and `nvidia-smi nvlink --status` gives a V100's 25.781 GB/s.
constexpr NvlinkGeneration nvlink_generations[] = {{TransferRate(20'000'000'000), 8},
                                                   {TransferRate(25'781'250'000), 8},
                                                   {TransferRate(50'000'000'000), 4},
                                                   {TransferRate(100'000'000'000), 2}};

}  // namespace

void describe(LinkConfig& c, config::Describer& d) {
  using namespace config;
  d.field("generation", c.generation, "of NVLink; rate and lanes follow", one_of({1, 2, 3, 4}));
  d.derive([&c] {
    const NvlinkGeneration& g = nvlink_generations[c.generation - 1];
    c.rate = g.rate;
    c.lanes = g.lanes;
  });
  d.field("rate", c.rate, "bits a second of a lane", within(TransferRate(1'000'000'000), TransferRate(400'000'000'000)),
          follows("generation"), ideal(TransferRate(400'000'000'000)));
  d.field("lanes", c.lanes, "lanes in use, one direction", one_of({1, 2, 4, 8}), follows("generation"), ideal(8));
  d.field("flight", c.flight, "delay of the trace, one way; also of a credit on its way home", within(1_ps, 1_us),
          ideal(1_ps), or_length);
  d.field("max_payload", c.max_payload, "largest payload of a packet", one_of({32, 64, 128, 256}), ideal(256_B));
  d.field("headers", c.headers, "count flits of headers and byte enables", ideal(0));
}

net::WireSpec link_spec(const config::AnyConfig& any) {
  const LinkConfig& c = any.as<LinkConfig>();
  constexpr std::int64_t second = 1'000'000'000'000'000;
  net::WireSpec w;
  w.protocol = "nvlink";
  w.framing = std::make_shared<NvlinkFraming>(c.headers);
  w.rate = Rate::bytes_in(c.rate.per_second() * c.lanes, 8 * second);
  w.flight = c.flight;
  w.max_payload = c.max_payload;
  return w;
}

}  // namespace tsunagi::nvlink
