// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/pm/card_commands.hpp"

namespace tsunagi::libraries {

using infiniband::Command;

CardCommands::CardCommands(VerbsNode& node, int most, std::int64_t driver_cycles)
    : node_(&node),
      driver_cycles_(driver_cycles),
      command_(node.take("command", Command::size)),
      words_(node.take("answers to commands", 8_B * (1 + most))),
      contexts_(node.take("saved contexts", node.card().context_size() * most)),
      of_(static_cast<std::size_t>(most)) {}

host::Core::Polled CardCommands::word(std::uint64_t at, std::uint64_t tag) const {
  return {at + 8, 8_B, [tag](std::uint64_t said) { return said == tag; }};
}

void CardCommands::run(Fiber& f, Command c, int place) {
  c.tag = ++tag_;
  c.contexts = contexts_.base + unsigned_of(node_->card().context_size()) * static_cast<std::uint64_t>(place);
  c.done = words_.base;
  c.stable = stable_word(place);
  of_[static_cast<std::size_t>(place)] = c.tag;
  const auto bytes = encode(c);
  const flow::WordBytes told(command_.base);
  node_->core().execute_and_store(
      f, "call of the driver", driver_cycles_,
      {{command_.base, {bytes.data(), bytes.size()}}, {node_->card().command_register(0), told}});
  node_->await(f, word(c.done, c.tag));
}

void CardCommands::await_stable(Fiber& f, int place) {
  node_->await(f, word(stable_word(place), of_[static_cast<std::size_t>(place)]));
}

}  // namespace tsunagi::libraries
