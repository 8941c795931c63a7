// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "config/places/places.hpp"

namespace tsunagi::sweep {

/// The run that a sweep varies.
class BaseRun {
 public:
  /// Reads the run. `kinds` must outlive this. Throws config::ConfigError.
  BaseRun(config::Document document, const config::Kinds& kinds);

  /// Why `path` is no place of the resolved run, with what is known there; "" if it is one.
  std::string fault_of(const std::string& path) const;

  /// What a path stands for: itself if it is a JSON pointer, else all places of the resolved run that it has.
  config::Places places(const std::string& path) const;

  /// Writes out what the run leaves to defaults on the way to a path that it has, so that an override finds it.
  void spell_out(const std::string& path);

  /// The run with overrides, not read yet.
  config::Document with(const std::vector<config::Override>& overrides) const;

  /// The canonical config (see id.hpp) of the run with overrides, as far as it could be read, and what is wrong.
  struct Reading {
    nlohmann::ordered_json canonical;
    std::vector<config::Message> problems;
    std::vector<std::filesystem::path> files;  ///< that the overrides use
  };
  Reading read(const std::vector<config::Override>& overrides) const;

  /// This run without the objects and arrays that are neither on the way to these places nor inside them; dropped
  /// elements of arrays become empty objects, so that the others keep their number. `read` of it makes the same of
  /// these places, and much faster, unless a rule of the run reaches across; nothing else that it makes counts.
  BaseRun excerpt(const std::vector<std::string>& paths) const;

  const config::Document& document() const { return document_; }
  const nlohmann::ordered_json& resolved() const { return resolved_; }

 private:
  BaseRun(config::Document document, const BaseRun& whole);

  config::Document document_;
  const config::Kinds& kinds_;
  nlohmann::ordered_json resolved_;
};

/// `document` with overrides.
config::Document overridden(config::Document document, const std::vector<config::Override>& overrides);

/// Whether `path` is `outer` or a place inside it.
bool is_inside(const std::string& path, const std::string& outer);

}  // namespace tsunagi::sweep
