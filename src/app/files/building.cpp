// SPDX-License-Identifier: Apache-2.0
#include "app/files/building.hpp"

#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "app/files/file_kinds.hpp"
#include "experiment/simulation.hpp"
#include "runner/places.hpp"
#include "runner/runner.hpp"

namespace tsunagi::app {
namespace {

/// Messages of a run whose part at `root` is the document.
std::vector<config::Message> within(std::vector<config::Message> messages, const std::string& root) {
  for (config::Message& message : messages)
    if (message.pointer.compare(0, root.size(), root) == 0) message.pointer.erase(0, root.size());
  return messages;
}

}  // namespace

bool builds(const std::string& name, const config::Document& document) {
  for (const FileKind& kind : file_kinds()) {
    if (kind.name != name) continue;
    const std::optional<Built> built = kind.check(document);
    const runner::Outcome outcome = runner::run_one(built->run, experiment::elaboration());
    if (outcome.status == runner::Status::interrupted) return false;
    if (outcome.status == runner::Status::config_error)
      throw config::ConfigError(runner::located(within(outcome.config_errors, built->root), document));
    if (outcome.status == runner::Status::failed) throw std::runtime_error(outcome.messages.front());
  }
  return true;
}

}  // namespace tsunagi::app
