// SPDX-License-Identifier: Apache-2.0
#include "models/gpu/command.hpp"
#include "support/catch.hpp"
#include "support/print.hpp"

namespace gpu_command_test {

using namespace tsunagi;
using namespace tsunagi::gpu;

namespace {

CopyCommand some() {
  CopyCommand c;
  c.source = 0x123456789;
  c.destination = 0x40'0000'1000;
  c.length = Bytes((std::int64_t{1} << 32) - 1);
  c.from = Aperture::local;
  c.to = Aperture::peer;
  c.flush = true;
  c.semaphore = 0x2004;
  c.payload = 0xffffffff;
  return c;
}

}  // namespace

TEST_CASE("a copy command keeps what it says in a push buffer") {
  const auto c = std::get<CopyCommand>(decode(encode(some())));
  CHECK(c.source == some().source);
  CHECK(c.destination == some().destination);
  CHECK(c.length == some().length);
  CHECK(c.from == Aperture::local);
  CHECK(c.to == Aperture::peer);
  CHECK(c.flush);
  CHECK(c.semaphore == some().semaphore);
  CHECK(c.payload == some().payload);
  CHECK(Bytes(static_cast<std::int64_t>(sizeof(CommandWords))) == CopyCommand::size);
  for (const std::size_t reserved : {3, 6, 7}) CHECK(encode(some())[reserved] == 0);
}

TEST_CASE("kernels and waits keep what they say in a push buffer") {
  KernelCommand k{{123, 456_B, Precision::single}, 0x2004, 0xffffffff};
  const auto kernel = std::get<KernelCommand>(decode(encode(k)));
  CHECK(kernel.work.flops == 123);
  CHECK(kernel.work.touched == 456_B);
  CHECK(kernel.work.precision == Precision::single);
  CHECK(kernel.semaphore == 0x2004);
  CHECK(kernel.payload == 0xffffffff);
  const auto wait = std::get<WaitCommand>(decode(encode(WaitCommand{33, 1'000'000'000'000, 0x2008, 5})));
  CHECK(wait.channel == 33);
  CHECK(wait.commands == 1'000'000'000'000);
  CHECK(wait.semaphore == 0x2008);
  CHECK(wait.payload == 5);
  k.work.flops = -1;
  CHECK_THROWS_AS(encode(k), std::invalid_argument);
  CHECK_THROWS_AS(encode(WaitCommand{0, 0, 2, 0}), std::invalid_argument);
  CommandWords words = encode(WaitCommand{});
  words[3] = 3;
  CHECK_THROWS_AS(decode(words), std::invalid_argument);
  words = encode(KernelCommand{});
  words[2] = 2;
  CHECK_THROWS_AS(decode(words), std::invalid_argument);
}

TEST_CASE("commands that no copy engine can run") {
  const auto refused = [](void (*change)(CopyCommand&)) {
    CopyCommand c = some();
    change(c);
    CHECK_THROWS_AS(encode(c), std::invalid_argument);
  };
  refused([](CopyCommand& c) { c.length = 0_B; });
  refused([](CopyCommand& c) { c.length += 1_B; });
  refused([](CopyCommand& c) { c.semaphore = 2; });
  refused([](CopyCommand& c) { c.to = Aperture::local; });
  refused([](CopyCommand& c) { c.from = Aperture::host; });
  refused([](CopyCommand& c) { c.from = Aperture::peer; });  // to another GPU, too: no side is its own
  CommandWords words = encode(some());
  words[2] |= std::uint64_t{3} << 32;
  CHECK_THROWS_AS(decode(words), std::invalid_argument);
}

TEST_CASE("an entry of the ring, as nouveau packs it") {
  // nv50_dma_push: low half of the address; then its upper bits with the length in bytes from bit 8 on.
  const RingEntry e{0x12'3456'7890, 64_B};
  CHECK(encode(e) == (0x34567890u | (std::uint64_t{0x12u | 64u << 8} << 32)));
  CHECK(decode_entry(encode(e)).address == e.address);
  CHECK(decode_entry(encode(e)).length == e.length);
  CHECK_THROWS_AS(encode(RingEntry{std::uint64_t{1} << 40, 64_B}), std::invalid_argument);
  CHECK_THROWS_AS(encode(RingEntry{0, 2_B}), std::invalid_argument);
}

}  // namespace gpu_command_test
