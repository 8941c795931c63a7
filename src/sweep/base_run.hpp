// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "config/config.hpp"

namespace tsunagi::sweep {

/// The run that a sweep varies.
class BaseRun {
 public:
  /// Reads the run. `kinds` must outlive this. Throws config::ConfigError.
  BaseRun(config::Document document, const config::Kinds& kinds);

  /// Why `path` is no place of the resolved run, with what is known there; "" if it is one.
  std::string fault_of(const std::string& path) const;

  /// Writes out what the run leaves to defaults on the way to a path that it has, so that an override finds it.
  void spell_out(const std::string& path);

  /// The run with overrides, not read yet.
  config::Document with(const std::vector<config::Override>& overrides) const;

  /// The canonical config (see id.hpp) of the run with overrides, as far as it could be read, and what is wrong.
  struct Reading {
    nlohmann::ordered_json canonical;
    std::vector<config::Message> problems;
  };
  Reading read(const std::vector<config::Override>& overrides) const;

  const config::Document& document() const { return document_; }
  const nlohmann::ordered_json& resolved() const { return resolved_; }

 private:
  config::Document document_;
  const config::Kinds& kinds_;
  nlohmann::ordered_json resolved_;
};

/// `document` with overrides.
config::Document overridden(config::Document document, const std::vector<config::Override>& overrides);

/// Whether `path` is `outer` or a place inside it.
bool is_inside(const std::string& path, const std::string& outer);

}  // namespace tsunagi::sweep
