// SPDX-License-Identifier: Apache-2.0
#include "models/pcie/link.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "models/pcie/framing.hpp"
#include "units/parse.hpp"

namespace tsunagi::pcie {

namespace {

/// What follows from a link's generation.
struct Generation {
  int number;
  TransferRate rate;
  Coding coding;
  std::int64_t internal_delay;
  std::int64_t skip_interval;
  std::int64_t skip_symbols;
};

/// Rates and codings: Base Specification 5.0, 4.2.1 and 4.2.2; 6.0, 4.2.1.3. Internal delays: tables 2-46 to 2-48 and
/// 3-7 to 3-9; that of Gen3 is taken for those after it. SKP ordered sets: 4.2.7, COM and three SKP at most every 1538
/// symbol times, or 16 symbols every 370 to 375 blocks of 16. Of flit mode only that their interval is fixed and ends
/// with a flit is public; 40 symbols each 740 times 16 are assumed.
const std::vector<Generation>& generations() {
  static const std::vector<Generation> all{
      {1, TransferRate(2'500'000'000), Coding::c8b10b, 19, 1538, 4},
      {2, TransferRate(5'000'000'000), Coding::c8b10b, 70, 1538, 4},
      {3, TransferRate(8'000'000'000), Coding::c128b130b, 115, 5920, 16},
      {4, TransferRate(16'000'000'000), Coding::c128b130b, 115, 5920, 16},
      {5, TransferRate(32'000'000'000), Coding::c128b130b, 115, 5920, 16},
      {6, TransferRate(64'000'000'000), Coding::c1b1b, 115, 11840, 40},
  };
  return all;
}

/// `written`: the generation, or 0. Then all is as in a link that says nothing.
void set_generation(LinkConfig& c, int written) {
  c.generation = written != 0 ? written : LinkConfig{}.generation;
  const auto g = std::find_if(generations().begin(), generations().end(),
                              [&](const Generation& each) { return each.number == c.generation; });
  c.rate = g->rate;
  c.coding = g->coding;
  c.flit_mode = g->coding == Coding::c1b1b;
  c.internal_delay = g->internal_delay;
  c.skip_interval = g->skip_interval;
  c.skip_symbols = g->skip_symbols;
}

const std::vector<config::Choice>& codings() {
  static const std::vector<config::Choice> all{
      {"none", static_cast<std::int64_t>(Coding::none), "no coding loss"},
      {"8b/10b", static_cast<std::int64_t>(Coding::c8b10b), "Gen1 and Gen2"},
      {"128b/130b", static_cast<std::int64_t>(Coding::c128b130b), "Gen3 to Gen5"},
      {"1b/1b", static_cast<std::int64_t>(Coding::c1b1b), "Gen6: PAM4, no bit lost, in flits alone"}};
  return all;
}

/// What is odd about rate and coding, which count; "" if they are those of the generation that is written, or of any if
/// that is 0.
std::string oddity(const LinkConfig& c, int written) {
  if (c.coding == Coding::none) return "";
  std::string rates, coding;
  for (const Generation& g : generations()) {
    if (g.coding != c.coding) continue;
    if (g.rate == c.rate && (written == 0 || written == g.number)) return "";
    if (g.rate == c.rate) return fmt::format("with its coding it is of generation {}, not {}", g.number, written);
    rates += (rates.empty() ? "" : ", ") + fmt::format("{}", static_cast<double>(g.rate.per_second()) / 1e9);
  }
  for (const config::Choice& choice : codings())
    if (choice.value == static_cast<std::int64_t>(c.coding)) coding = choice.name;
  const auto other =
      std::find_if(generations().begin(), generations().end(), [&](const Generation& g) { return g.rate == c.rate; });
  std::string odd = fmt::format("{} GT/s does not fit the coding {}, which is for {} GT/s",
                                static_cast<double>(c.rate.per_second()) / 1e9, coding, rates);
  if (other != generations().end()) odd += fmt::format("; generation {} has this rate, with its coding", other->number);
  return odd;
}

/// A link that is written by rate and coding is of the generation that has them.
void name_generation(LinkConfig& c) {
  for (const Generation& g : generations())
    if (g.rate == c.rate && g.coding == c.coding) c.generation = g.number;
}

}  // namespace

void describe(LinkConfig& c, config::Describer& d) {
  using namespace config;
  int written = 0;
  d.derive([&c] { c.generation = 0; });
  d.field("generation", c.generation,
          "of the specification; rate, coding, flit mode, internal delay and SKP ordered sets follow",
          one_of({1, 2, 3, 4, 5, 6}));
  d.derive([&] { set_generation(c, written = c.generation); });
  d.field("rate", c.rate, "transfers a second and lane",
          within(TransferRate(2'500'000'000), TransferRate(64'000'000'000)), follows("generation"),
          ideal(std::max(TransferRate(32'000'000'000), c.rate)));
  d.field("lanes", c.lanes, "lanes in use", one_of({1, 2, 4, 8, 16}), ideal(16));
  d.choice("coding", c.coding, codings(), "line coding", follows("generation", "none"),
           ideal(static_cast<std::int64_t>(Coding::none)));
  d.derive([&c] { name_generation(c); });
  const std::string odd = oddity(c, written);
  d.advise(odd.empty(), "rate", odd);
  d.field("flit_mode", c.flit_mode, "send TLPs in flits, ACKs and credits in their other bytes", follows("generation"));
  d.require(c.flit_mode || c.coding != Coding::c1b1b, "coding 1b/1b is of flit mode alone");
  d.field("flight", c.flight, "delay of trace or cable, one way", within(1_ps, 10_us), ideal(1_ps), or_length);
  d.field("retimers", c.retimers, "retimers on the way", within(0, 2), ideal(0));
  d.field("retimer_latency", c.retimer_latency, "delay of each retimer, one way, beside the flight", at_most(1_us));
  d.field("max_payload_size", c.max_payload_size, "largest TLP payload (MPS)",
          one_of({128, 256, 512, 1024, 2048, 4096}), ideal(4_KiB));
  d.field("tlp_header", c.tlp_header, "count TLP headers", ideal(0));
  d.field("tlp_framing", c.tlp_framing, "count start and end symbols, sequence number and LCRC", ideal(0));
  d.field("acks", c.acks, "send ACK DLLPs in the reverse direction", ideal(0));
  d.field("credit_updates", c.credit_updates, "return credits by UpdateFC DLLPs (off: credits fly home alone)",
          ideal(0));
  d.field("skip_ordered_sets", c.skip_ordered_sets, "insert SKP ordered sets", ideal(0));
  d.field("internal_delay", c.internal_delay, "internal delay in the ACK and UpdateFC latency limits, symbol times",
          within(std::int64_t{0}, std::int64_t{1000}), follows("generation"), ideal(std::int64_t{0}));
  d.field("skip_interval", c.skip_interval, "symbol times between SKP ordered sets",
          within(std::int64_t{100}, std::int64_t{100000}), follows("generation"));
  d.field("skip_symbols", c.skip_symbols, "symbols of a SKP ordered set", within(std::int64_t{1}, std::int64_t{64}),
          follows("generation"));
  d.field("dllp_processing", c.dllp_processing, "from reception of a DLLP to its effect", at_most(1_us), ideal(0_ns));
  d.field("replay_buffer", c.replay_buffer, "bytes sent and not yet acknowledged; 0 B: no limit", at_most(1_MiB),
          ideal(0_B));
  d.field("bit_error_rate", c.bit_error_rate, "probability that a bit on the wire is wrong", within(0.0, 0.001),
          ideal(0.0));
}

namespace {

/// Data bits, and the bits on the line that carry them.
std::pair<std::int64_t, std::int64_t> coding_bits(Coding c) {
  switch (c) {
    case Coding::none:
    case Coding::c1b1b:
      return {8, 8};
    case Coding::c8b10b:
      return {8, 10};
    case Coding::c128b130b:
      return {128, 130};
  }
  return {8, 8};
}

}  // namespace

Rate link_rate(const LinkConfig& c) {
  // Bits: rate x lanes x coding; a byte is 8 of them. As bytes in femtoseconds, reduced.
  constexpr std::int64_t second = 1'000'000'000'000'000;
  const auto [data, line] = coding_bits(c.coding);
  const Rate all = Rate::bytes_in(c.rate.per_second() * c.lanes * data, 8 * line * second);
  return c.flit_mode ? all.scaled(flit_tlps.count(), flit_size.count()) : all;
}

double flit_error_rate(double bit_error_rate) {
  constexpr int codes = 3;
  double byte_good = 1;
  for (int bit = 0; bit < 8; ++bit) byte_good *= 1 - bit_error_rate;
  double flit_good = 1;
  for (int code = 0; code < codes; ++code) {
    const std::int64_t bytes = (flit_size.count() + codes - 1 - code) / codes;
    double all_but_one = 1;
    for (std::int64_t i = 1; i < bytes; ++i) all_but_one *= byte_good;
    flit_good *= all_but_one * (byte_good + static_cast<double>(bytes) * (1 - byte_good));
  }
  return std::max(0.0, 1 - flit_good);
}

namespace {

/// AckFactor in tenths (Base Specification table 3-7 and its successors).
std::int64_t ack_factor_tenths(const LinkConfig& c) {
  if (c.max_payload_size <= 256_B) return c.lanes <= 4 ? 14 : c.lanes == 8 ? 25 : 30;
  return c.lanes <= 8 ? 10 : 20;
}

/// Time of one symbol (one byte on one lane).
Rate symbol_rate(const LinkConfig& c) {
  LinkConfig one = c;
  one.lanes = 1;
  one.flit_mode = false;
  return link_rate(one);
}

}  // namespace

Time ack_latency_limit(const LinkConfig& c) {
  if (c.flit_mode) return symbol_rate(c).time(Bytes(c.internal_delay));
  const std::int64_t symbols =
      (c.max_payload_size.count() + 28) * ack_factor_tenths(c) / (10 * c.lanes) + c.internal_delay;
  return symbol_rate(c).time(Bytes(symbols));
}

namespace {

/// What differs in flit mode: the next flit brings what is owed, and what it brings comes again a round trip later if
/// it arrives wrong. Ordered sets lie between flits.
void set_flits(net::WireSpec& w, const LinkConfig& c) {
  w.coding_data *= flit_tlps.count();
  w.coding_line *= flit_size.count();
  w.flits = {flit_size, flit_tlps, flit_error_rate(c.bit_error_rate)};
  const Time flit = w.rate.time(flit_tlps);
  w.link_layer.update_repeat = 2 * (w.flight + flit);
  if (!c.skip_ordered_sets) return;
  const Time set = symbol_rate(c).time(Bytes(c.skip_symbols));
  const std::int64_t flits = std::max(std::int64_t{1}, c.skip_interval * c.lanes / flit_size.count());
  w.skip = {flit * flits + set, set};
}

}  // namespace

net::WireSpec link_spec(const config::AnyConfig& any) {
  const LinkConfig& c = any.as<LinkConfig>();
  net::WireSpec w;
  w.protocol = "pcie";
  w.framing = std::make_shared<PcieFraming>(Overheads{c.tlp_header, c.tlp_framing, c.flit_mode});
  w.rate = link_rate(c);
  std::tie(w.coding_data, w.coding_line) = coding_bits(c.coding);
  w.repeaters = c.retimer_latency * c.retimers;
  w.flight = c.flight + w.repeaters;
  w.max_payload = c.max_payload_size;
  w.link_layer.acks = c.acks;
  w.link_layer.credit_updates = c.credit_updates;
  w.link_layer.dllp = 8_B;  // SDP, 4 B, CRC-16, END; Gen3: SDP token and 6 B
  w.link_layer.ack_delay = ack_latency_limit(c);
  w.link_layer.update_delay = ack_latency_limit(c);
  // Base Specification 2.6.1.2: header units when all are used up, data when no packet of the MPS fits any more.
  const auto packet = static_cast<std::int32_t>(units_of(c.max_payload_size, PcieFraming::data_credit));
  w.link_layer.update_at_once = {{1, packet}, {1, 1}, {1, packet}};
  w.link_layer.process = c.dllp_processing;
  w.link_layer.replay_buffer = c.replay_buffer;
  w.link_layer.replay_timer =
      ack_latency_limit(c) * 3;        // Base Specification 3.5.2.1: three times the ACK latency limit
  w.link_layer.update_repeat = 30_us;  // Base Specification 2.6.1.2: UpdateFC at least every 30 us
  w.bit_error_rate = c.bit_error_rate;
  if (c.flit_mode)
    set_flits(w, c);
  else if (c.skip_ordered_sets)
    w.skip = {w.rate.time(Bytes(c.skip_interval * c.lanes)), w.rate.time(Bytes(c.skip_symbols * c.lanes))};
  return w;
}

}  // namespace tsunagi::pcie
