// SPDX-License-Identifier: Apache-2.0
#include "models/gpu/command.hpp"

#include <stdexcept>

namespace tsunagi::gpu {

namespace {

constexpr std::uint64_t low_half = 0xffffffff;
constexpr int from_bit = 32;
constexpr int to_bit = 34;
constexpr int flush_bit = 36;
constexpr int words_bit = 42;
constexpr std::uint64_t kernel_kind = 1;
constexpr std::uint64_t wait_kind = 2;
constexpr std::uint64_t address_end = std::uint64_t{1} << 40;

void check_semaphore(std::uint64_t address) {
  if (address % 4 != 0) throw std::invalid_argument("a semaphore is a whole word of 4 B");
}

void check(const KernelCommand& c) {
  if (c.work.flops < 0 || c.work.touched < Bytes::zero())
    throw std::invalid_argument("a kernel has no fewer than 0 operations and bytes");
  check_semaphore(c.semaphore);
}

void check(const CopyCommand& c) {
  if (c.length <= Bytes::zero() || static_cast<std::uint64_t>(c.length.count()) > low_half)
    throw std::invalid_argument("a copy has 1 to 2^32 - 1 bytes");
  check_semaphore(c.semaphore);
  if ((c.from == Aperture::local) == (c.to == Aperture::local))
    throw std::invalid_argument("one side of a copy, and only one, lies in the engine's own memory");
}

}  // namespace

CommandWords encode(const CopyCommand& c) {
  check(c);
  const std::uint64_t launch =
      static_cast<std::uint64_t>(c.length.count()) | static_cast<std::uint64_t>(c.from) << from_bit |
      static_cast<std::uint64_t>(c.to) << to_bit | static_cast<std::uint64_t>(c.flush ? 1 : 0) << flush_bit;
  return {c.source, c.destination, launch, 0, c.semaphore, c.payload, 0, 0};
}

CommandWords encode(const KernelCommand& c) {
  check(c);
  return {static_cast<std::uint64_t>(c.work.flops),
          static_cast<std::uint64_t>(c.work.touched.count()),
          static_cast<std::uint64_t>(c.work.precision),
          kernel_kind,
          c.semaphore,
          c.payload,
          c.program,
          0};
}

CommandWords encode(const WaitCommand& c) {
  check_semaphore(c.semaphore);
  return {c.channel, c.commands, 0, wait_kind, c.semaphore, c.payload, 0, 0};
}

namespace {

KernelCommand decode_kernel(const CommandWords& words) {
  if (words[2] > static_cast<std::uint64_t>(Precision::single))
    throw std::invalid_argument("a kernel knows no such precision");
  KernelCommand c;
  c.work.flops = static_cast<std::int64_t>(words[0]);
  c.work.touched = Bytes(static_cast<std::int64_t>(words[1]));
  c.work.precision = static_cast<Precision>(words[2]);
  c.semaphore = words[4];
  c.payload = static_cast<std::uint32_t>(words[5] & low_half);
  c.program = static_cast<std::uint32_t>(words[6] & low_half);
  check(c);
  return c;
}

CopyCommand decode_copy(const CommandWords& words) {
  CopyCommand c;
  c.source = words[0];
  c.destination = words[1];
  c.length = Bytes(static_cast<std::int64_t>(words[2] & low_half));
  c.from = static_cast<Aperture>(words[2] >> from_bit & 3);
  c.to = static_cast<Aperture>(words[2] >> to_bit & 3);
  c.flush = (words[2] >> flush_bit & 1) != 0;
  c.semaphore = words[4];
  c.payload = static_cast<std::uint32_t>(words[5] & low_half);
  check(c);
  return c;
}

}  // namespace

Command decode(const CommandWords& words) {
  if (words[3] == kernel_kind) return decode_kernel(words);
  if (words[3] == wait_kind) {
    check_semaphore(words[4]);
    return WaitCommand{static_cast<std::uint32_t>(words[0] & low_half), words[1], words[4],
                       static_cast<std::uint32_t>(words[5] & low_half)};
  }
  if (words[3] != 0) throw std::invalid_argument("a channel knows no such command");
  return decode_copy(words);
}

std::uint64_t encode(const RingEntry& e) {
  if (e.address >= address_end || e.length.count() % 4 != 0)
    throw std::invalid_argument("a ring entry holds an address below 2^40 and whole words of 4 B");
  return e.address | static_cast<std::uint64_t>(e.length.count() / 4) << words_bit;
}

RingEntry decode_entry(std::uint64_t word) {
  return {word & (address_end - 1), Bytes(static_cast<std::int64_t>(word >> words_bit) * 4)};
}

}  // namespace tsunagi::gpu
