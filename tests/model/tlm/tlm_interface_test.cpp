// SPDX-License-Identifier: Apache-2.0
// What a model's initiator may ask of a card beside plain reads and writes, and how it is refused.
#include "model/tlm/tlm_bench.hpp"

namespace tlm_interface_test {

using namespace tsunagi;
using namespace tsunagi::test;

TEST_CASE("a read of an address that nobody has is an address error, a write there is told and counted") {
  TlmBench b;
  Initiator dma("dma", b.card(0));
  thread([&] {
    Data data(700);
    CHECK(dma.read(TlmBench::nowhere, data) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
    CHECK(b.sim().complaints() == 2);  // requests
    CHECK(dma.write(TlmBench::nowhere, Data(64)) == tlm::TLM_OK_RESPONSE);
    CHECK(dma.read(0, 64) == Data(64, 0));  // all is well otherwise
  });
  b.run();
  CHECK(b.sim().complaints() == 3);
  b.expect_all_home();
}

TEST_CASE("bytes that are not enabled stay as they are, in memory and in what is read") {
  TlmBench b;
  Initiator dma("dma", b.card(0));
  thread([&] {
    dma.write(0x2000, Data(32, 0x11));
    Data enables{0xff, 0x00, 0xff};
    Data data(32, 0x22);
    tlm::tlm_generic_payload t;
    t.set_write();
    t.set_address(0x2000);
    t.set_data_ptr(data.data());
    t.set_data_length(32);
    t.set_streaming_width(16);
    t.set_byte_enable_ptr(enables.data());
    t.set_byte_enable_length(3);
    sc_core::sc_time none;
    dma.socket->b_transport(t, none);
    CHECK(t.get_response_status() == tlm::TLM_OK_RESPONSE);
    Data expected(32, 0x11);
    for (std::size_t i = 0; i < 32; ++i)
      if (enables[i % 3] != 0) expected[i % 16] = 0x22;
    CHECK(dma.read(0x2000, 32) == expected);
    t.set_read();
    t.set_address(0x2000);
    data.assign(32, 0x33);
    dma.socket->b_transport(t, none);
    CHECK(t.get_response_status() == tlm::TLM_OK_RESPONSE);
    Data seen(32, 0x33);
    for (std::size_t i = 0; i < 32; ++i)
      if (enables[i % 3] != 0) seen[i] = expected[i % 16];
    CHECK(data == seen);
  });
  b.run();
  b.expect_all_home();
}

TEST_CASE("commands that are none are answered at once") {
  TlmBench b;
  Initiator dma("dma", b.card(0));
  thread([&] {
    Data data(8);
    CHECK(dma.transfer(tlm::TLM_IGNORE_COMMAND, 0x1000, data) == tlm::TLM_OK_RESPONSE);
    CHECK(dma.transfer(static_cast<tlm::tlm_command>(3), 0x1000, data) == tlm::TLM_COMMAND_ERROR_RESPONSE);
    Data nothing;
    CHECK(dma.read(0x1000, nothing) == tlm::TLM_BURST_ERROR_RESPONSE);
    CHECK(kernel_time() == 0_ns);
  });
  b.run();
  CHECK(b.machine().packet_hops() == 0);
}

TEST_CASE("there is no direct memory interface") {
  TlmBench b;
  Initiator dma("dma", b.card(0));
  thread([&] {
    tlm::tlm_generic_payload t;
    tlm::tlm_dmi dmi;
    CHECK_FALSE(dma.socket->get_direct_mem_ptr(t, dmi));
  });
  b.run();
}

TEST_CASE("transport_dbg reads what a memory keeps, without time, and writes nothing") {
  TlmBench b;
  Initiator dma("dma", b.card(0));
  const Data said{1, 2, 3, 4, 5};
  thread([&] {
    dma.write(0x1ffe, said);
    dma.read(0x1ffe, 5);
    sc_core::wait(sc(1_us));
    const Time now = kernel_time();
    Data data(7, 0xee);
    tlm::tlm_generic_payload t;
    t.set_read();
    t.set_address(0x1ffd);
    t.set_data_ptr(data.data());
    t.set_data_length(7);
    CHECK(dma.socket->transport_dbg(t) == 7);
    CHECK(data == Data{0, 1, 2, 3, 4, 5, 0});
    t.set_address((std::uint64_t{128} << 30) - 6);  // beyond the memory's end
    CHECK(dma.socket->transport_dbg(t) == 0);
    t.set_address(TlmBench::window1);  // no memory
    CHECK(dma.socket->transport_dbg(t) == 0);
    t.set_address(TlmBench::nowhere);
    CHECK(dma.socket->transport_dbg(t) == 0);
    t.set_write();
    t.set_address(0x1ffd);
    data.assign(7, 9);
    CHECK(dma.socket->transport_dbg(t) == 0);
    CHECK(kernel_time() == now);
  });
  b.run();
  CHECK(b.memory(0x1ffe, 5) == said);
}

}  // namespace tlm_interface_test
