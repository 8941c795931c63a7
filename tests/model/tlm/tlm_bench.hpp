// SPDX-License-Identifier: Apache-2.0
// A host with TLM-2.0 cards, and what somebody else's model has inside them:
//
//   TlmBench b;                      // card0 and card1 in slots 0 and 1 of a root complex with a memory
//   Initiator dma("dma", b.card(0)); // on the card's target socket
//   Target registers("registers", b.card(1));
//   thread([&] { dma.write(0x1000, bytes); });
//   b.run();
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <functional>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/tlm/tlm_card.hpp"
#include "support/bench.hpp"
#include "support/random/random_machine.hpp"

namespace tsunagi::test {

using Data = std::vector<std::uint8_t>;

inline Data drawn(Dice& dice, std::int64_t n) {
  Data out(static_cast<std::size_t>(n));
  for (std::uint8_t& b : out) b = static_cast<std::uint8_t>(dice.number(0, 255));
  return out;
}

inline sc_core::sc_time sc(Time t) { return sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(t.fs())); }
inline Time kernel_time() { return Time::from_fs(static_cast<std::int64_t>(sc_core::sc_time_stamp().value())); }

/// Somebody else's thread, from time 0 on.
inline sc_core::sc_process_handle thread(std::function<void()> body) { return sc_core::sc_spawn(std::move(body)); }

/// A clock of others: ticks for ever.
inline void tick(Time period) {
  thread([period] {
    for (;;) sc_core::wait(sc(period));
  });
}

/// A link whose only costs are its bytes.
inline Time on_wire(Bytes n) { return 250_ps * n.count(); }

/// A card wired to a probe "host" by its port "link".
class LoneCard : public Bench {
 public:
  explicit LoneCard(const card::TlmCardConfig& c) : Bench(sim::Kernel::shared) {
    device("card", c);
    device("host", port("link"));
    wire("card.pcie", "host.link", quiet(gen2_x8()));
    build();
  }
  card::TlmCard& card() { return machine().get<card::TlmCard>("card"); }
};

class TlmBench : public Bench {
 public:
  static constexpr std::uint64_t window = std::uint64_t{512} << 30;   // of card0
  static constexpr std::uint64_t window1 = std::uint64_t{513} << 30;  // of card1
  static constexpr std::uint64_t nowhere = std::uint64_t{700} << 30;

  explicit TlmBench(
      const std::function<void(card::TlmCardConfig&)>& change = [](card::TlmCardConfig&) {},
      const pcie::LinkConfig& link = quiet(gen2_x8()), const host::RootComplexConfig& host = {})
      : Bench(sim::Kernel::shared) {
    host::RootComplexConfig rc = host;
    rc.slots = {{"slot0", Bytes(window), 1_MiB}, {"slot1", Bytes(window1), 1_MiB}};
    device("rc", rc);
    device("memory", host::MemoryConfig{});
    host::OnChipConfig on_chip;
    on_chip.bandwidth = Rate::infinite();
    wire("rc.memory", "memory.bus", on_chip);
    net::PortSpec bus = port("bus");
    bus.protocol = "on_chip";
    device("core", bus);
    wire("rc.core0", "core.bus", on_chip);
    for (int i = 0; i < 2; ++i) {
      const std::string n = std::to_string(i);
      card::TlmCardConfig c;
      c.bar_base = Bytes(i == 0 ? window : window1);
      change(c);
      device("card" + n, c);
      wire("rc.slot" + n, "card" + n + ".pcie", link);
    }
    build();
  }
  card::TlmCard& card(int i) { return machine().get<card::TlmCard>("card" + std::to_string(i)); }
  /// What the host's memory keeps.
  Data memory(std::uint64_t address, std::size_t n) {
    return machine().get<host::Memory>("memory").bytes(address, Bytes(static_cast<std::int64_t>(n)));
  }
  /// A posted write of a core. The last one ends the run: no transaction of others begins behind it.
  void core_writes(Time t, std::uint64_t address, const Data& data) {
    at(t, [this, address, data] { probe("core").write_bytes(address, data); });
  }
};

/// A loosely-timed initiator behind a card's target socket.
struct Initiator : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Initiator> socket{"socket"};

  Initiator(const sc_core::sc_module_name& name, card::TlmCard& card) : sc_core::sc_module(name) {
    socket.bind(card.target);
  }
  tlm::tlm_response_status transfer(tlm::tlm_command command, std::uint64_t address, Data& data,
                                    Time delay = Time::zero()) {
    tlm::tlm_generic_payload t;
    t.set_command(command);
    t.set_address(address);
    t.set_data_ptr(data.data());
    t.set_data_length(static_cast<unsigned>(data.size()));
    t.set_streaming_width(static_cast<unsigned>(data.size()));
    t.set_dmi_allowed(true);
    sc_core::sc_time d = sc(delay);
    socket->b_transport(t, d);
    CHECK(d == sc_core::SC_ZERO_TIME);
    CHECK_FALSE(t.is_dmi_allowed());
    return t.get_response_status();
  }
  tlm::tlm_response_status write(std::uint64_t address, Data data, Time delay = Time::zero()) {
    return transfer(tlm::TLM_WRITE_COMMAND, address, data, delay);
  }
  tlm::tlm_response_status read(std::uint64_t address, Data& data, Time delay = Time::zero()) {
    return transfer(tlm::TLM_READ_COMMAND, address, data, delay);
  }
  Data read(std::uint64_t address, std::size_t n) {
    Data out(n, 0xee);
    CHECK(read(address, out) == tlm::TLM_OK_RESPONSE);
    return out;
  }
};

/// What a target was asked for.
struct Served {
  tlm::tlm_command command;
  std::uint64_t address;
  unsigned size;
  Time begin;
};

/// A memory behind a card's initiator socket.
struct Target : sc_core::sc_module {
  tlm_utils::simple_target_socket<Target> socket{"socket"};
  Data bytes = Data(1 << 20);
  std::vector<Served> served;
  Time annotates;                                         // adds to the delay
  std::function<void(tlm::tlm_generic_payload&)> before;  // whatever else it does, which may wait
  tlm::tlm_response_status answer = tlm::TLM_OK_RESPONSE;

  Target(const sc_core::sc_module_name& name, card::TlmCard& card) : sc_core::sc_module(name) {
    card.initiator.bind(socket);
    socket.register_b_transport(this, &Target::b_transport);
  }
  void b_transport(tlm::tlm_generic_payload& t, sc_core::sc_time& delay) {
    served.push_back({t.get_command(), t.get_address(), t.get_data_length(), kernel_time()});
    CHECK(t.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE);
    CHECK(t.get_streaming_width() == t.get_data_length());
    CHECK(t.get_byte_enable_ptr() == nullptr);
    if (before) before(t);
    delay += sc(annotates);
    t.set_response_status(answer);
    std::uint8_t* here = bytes.data() + t.get_address();
    if (t.is_read())
      std::copy_n(here, t.get_data_length(), t.get_data_ptr());
    else
      std::copy_n(t.get_data_ptr(), t.get_data_length(), here);
  }
};

}  // namespace tsunagi::test
