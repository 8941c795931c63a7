// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/verbs/messages/message_memory.hpp"

#include <stdexcept>
#include <string>

#include "units/parse.hpp"

namespace tsunagi::libraries {

void MessageMemory::look_at(Fiber& f, int rank, const char* call, const comm::Buffer& b) const {
  if (devices_ != nullptr) devices_->look_at(f, rank);
  const bool host = comm::is_host(b.place);
  if (host ? b.offset + b.size <= nodes_[rank].user_memory() : devices_ != nullptr) return;
  const std::string who = "rank " + std::to_string(rank) + " " + call + ": ";
  if (!host) throw std::runtime_error(who + "two-sided messages move host memory, not \"" + b.place + "\"");
  throw std::runtime_error(who + to_string(b.offset + b.size) + " of " + to_string(nodes_[rank].user_memory()));
}

std::uint64_t MessageMemory::address(int rank, const comm::Buffer& b) const {
  return comm::is_host(b.place) ? nodes_[rank].user_base() + unsigned_of(b.offset) : devices_->address(rank, b);
}

void MessageMemory::copy_out(Fiber& f, int rank, const char* what, const comm::Buffer& from, std::uint64_t to) const {
  if (!comm::is_host(from.place)) return devices_->copy_message_out(f, rank, from, to);
  step_.copied(comm::Copier::core, from.size);
  step_(f, rank, what, [&] { nodes_[rank].core().copy(f, nodes_[rank].memory(), to, address(rank, from), from.size); });
}

void MessageMemory::copy_in(Fiber& f, int rank, const comm::Buffer& b, std::uint64_t from) const {
  if (!comm::is_host(b.place)) return devices_->copy_message_in(f, rank, b, from);
  step_.copied(comm::Copier::core, b.size);
  step_(f, rank, "copy the message",
        [&] { nodes_[rank].core().copy(f, nodes_[rank].memory(), address(rank, b), from, b.size); });
}

}  // namespace tsunagi::libraries
