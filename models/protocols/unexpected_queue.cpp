// SPDX-License-Identifier: Apache-2.0
#include "models/protocols/unexpected_queue.hpp"

#include <stdexcept>
#include <string>

namespace tsunagi::protocols {

std::uint32_t UnexpectedQueue::copy_aside(Fiber& f, int rank, const comm::Steps& step, const process::HostProcess& me,
                                          std::uint64_t from, Bytes n) {
  const std::uint32_t number = numbers_.take();
  if (number >= static_cast<std::uint32_t>(most_))
    throw std::runtime_error("rank " + std::to_string(rank) + " keeps " + std::to_string(most_) +
                             " messages that nobody has posted a receive for, and has no memory for more "
                             "(\"unexpected\")");
  if (n > Bytes::zero()) {
    step.copied(comm::Copier::core, n);
    step(f, rank, "copy the message aside", [&] { me.core().copy(f, me.memory(), address(number), from, n); });
  }
  return number;
}

}  // namespace tsunagi::protocols
