// SPDX-License-Identifier: Apache-2.0
// Two nodes whose chips are joined by a cable. In node 0 sits a card that is ours: a memory with registers behind its
// window, and a DMA engine. It writes a megabyte to node 1's memory while the ranks send messages, rank 0 fetches it
// back into the card's window, and the engine writes and reads its own node's memory. A clock of ours ticks all along.
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <cstring>
#include <iostream>
#include <stdexcept>
#include <string>
#include <systemc>
#include <tlm>
#include <tsunagi/cluster/cluster.hpp>
#include <tsunagi/models/tlm/tlm_card.hpp>
#include <vector>

using tsunagi::Bytes;
using tsunagi::Cluster;
using tsunagi::Signal;
using tsunagi::card::TlmCard;
using tsunagi::comm::Buffer;
using tsunagi::comm::Rank;

namespace {

constexpr unsigned megabyte = 1u << 20;

void check(bool ok, const std::string& what) {
  if (!ok) throw std::runtime_error(what);
}

/// The card's memory; its last page are registers, of which one, read-only, says what the card is.
struct CardMemory : sc_core::sc_module {
  static constexpr std::uint64_t size = 16 * megabyte;
  static constexpr std::uint64_t registers = size - 4096;
  static constexpr std::uint32_t identity = 0x75a6c0de;

  tlm_utils::simple_target_socket<CardMemory> socket{"socket"};
  std::vector<std::uint8_t> bytes = std::vector<std::uint8_t>(registers);

  explicit CardMemory(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
    socket.register_b_transport(this, &CardMemory::b_transport);
  }
  void b_transport(tlm::tlm_generic_payload& t, sc_core::sc_time& delay) {
    delay += sc_core::sc_time(20, sc_core::SC_NS);
    const std::uint64_t at = t.get_address();
    const unsigned n = t.get_data_length();
    t.set_response_status(tlm::TLM_OK_RESPONSE);
    if (at == registers && t.is_read() && n == sizeof identity)
      std::memcpy(t.get_data_ptr(), &identity, n);
    else if (at + n > registers)
      t.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    else if (t.is_read())
      std::copy_n(bytes.data() + at, n, t.get_data_ptr());
    else
      std::copy_n(t.get_data_ptr(), n, bytes.data() + at);
  }
};

/// What the card does by itself: transfers to and from host addresses.
struct DmaEngine : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<DmaEngine> socket{"socket"};

  explicit DmaEngine(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {}
  tlm::tlm_response_status transfer(tlm::tlm_command command, std::uint64_t address, std::uint8_t* data, unsigned n) {
    tlm::tlm_generic_payload t;
    t.set_command(command);
    t.set_address(address);
    t.set_data_ptr(data);
    t.set_data_length(n);
    t.set_streaming_width(n);
    sc_core::sc_time delay(5, sc_core::SC_NS);
    socket->b_transport(t, delay);
    return t.get_response_status();
  }
};

struct Top : sc_core::sc_module {
  SC_HAS_PROCESS(Top);
  explicit Top(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
    auto& card = cluster.get<TlmCard>("node0.card");
    engine.socket.bind(card.target);
    card.initiator.bind(memory.socket);
    remote = cluster.library().address(0, 1, {Bytes::zero(), Bytes(megabyte)});
    own = cluster.library().address(0, 0, {Bytes(megabyte), Bytes(megabyte)});
    cluster.program(0, [this](Rank& r) { rank0(r); });
    cluster.program(1, [](Rank& r) { rank1(r); });
    SC_THREAD(work);
    SC_METHOD(tick);
  }

  /// Receives messages, and then fetches what the card wrote to node 1 into the card's window.
  void rank0(Rank& r) {
    for (int i = 0; i < 100; ++i) r.recv(1, {Bytes(8 * megabyte), Bytes(4096), "", "pio"});
    written.wait(r);
    r.get(1, {Bytes::zero(), Bytes(megabyte), "", "", "card"});
    fetched.notify();
    checked.wait(r);
  }
  static void rank1(Rank& r) {
    for (int i = 0; i < 100; ++i) r.send(0, {Bytes(8 * megabyte), Bytes(4096), "", "pio"});
  }

  void work() {
    std::vector<std::uint8_t> data(megabyte);
    for (unsigned i = 0; i < megabyte; ++i) data[i] = static_cast<std::uint8_t>(i * 2654435761u >> 24);

    const sc_core::sc_time begin = sc_core::sc_time_stamp();
    check(engine.transfer(tlm::TLM_WRITE_COMMAND, remote, data.data(), megabyte) == tlm::TLM_OK_RESPONSE, "no write");
    std::cout << "1 MiB posted to node 1 in " << sc_core::sc_time_stamp() - begin << std::endl;

    std::vector<std::uint8_t> back(megabyte);
    check(engine.transfer(tlm::TLM_WRITE_COMMAND, own, data.data(), megabyte) == tlm::TLM_OK_RESPONSE, "no write");
    check(engine.transfer(tlm::TLM_READ_COMMAND, own, back.data(), megabyte) == tlm::TLM_OK_RESPONSE, "no read");
    check(back == data, "the own node's memory says something else");

    // Nothing is there: a read comes back as an unsupported request.
    check(engine.transfer(tlm::TLM_READ_COMMAND, std::uint64_t{400} << 30, back.data(), 64) ==
              tlm::TLM_ADDRESS_ERROR_RESPONSE,
          "a read of nothing");

    written.set();
    wait(fetched);
    check(std::equal(data.begin(), data.end(), memory.bytes.begin()), "the card's window got something else");
    checked.set();
    std::cout << "1 MiB fetched into the card's window at " << sc_core::sc_time_stamp() << std::endl;
  }
  void tick() {
    ++ticks;
    next_trigger(1, sc_core::SC_US);
  }

  Cluster cluster{"cluster.json"};
  CardMemory memory{"memory"};
  DmaEngine engine{"engine"};
  Signal written{cluster};
  Signal checked{cluster};
  sc_core::sc_event fetched;
  std::uint64_t remote = 0;  // where the card finds node 1's memory, and its own node's
  std::uint64_t own = 0;
  int ticks = 0;
};

}  // namespace

int sc_main(int, char**) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);  // before the first sc_time
  try {
    Top top("top");
    sc_core::sc_start(100, sc_core::SC_MS);  // paused when the ranks have ended
    top.cluster.finish();
    std::cout << "ended at " << sc_core::sc_time_stamp() << " after " << top.ticks << " ticks" << std::endl;
    sc_core::sc_stop();
    return 0;
  } catch (const std::exception& e) {
    std::cerr << e.what() << std::endl;
    return 1;
  }
}
