// SPDX-License-Identifier: Apache-2.0
#include "sim/module.hpp"

#include <algorithm>
#include <stdexcept>
#include <systemc>
#include <utility>

namespace tsunagi::sim {

struct ModuleName::Pushed {
  Pushed(std::string text, const char* what) : basename(std::move(text)), kind(what) {}
  std::string basename;  // the kernel keeps its address
  sc_core::sc_module_name name{basename.c_str()};
  std::string kind;
};

ModuleName::ModuleName(const std::string& name, const char* kind) : pushed_(std::make_unique<Pushed>(name, kind)) {}

ModuleName::ModuleName(const Module& inside, const std::string& name, const char* kind) {
  const std::string full = std::string(inside.full_name()) + "." + name;
  if (sc_core::sc_hierarchical_name_exists(full.c_str()))
    throw std::invalid_argument("something is called \"" + full + "\" already");
  pushed_ = std::make_unique<Pushed>(name, kind);
}

ModuleName::ModuleName(ModuleName&&) noexcept = default;
ModuleName::~ModuleName() = default;

struct Module::Place final : sc_core::sc_module {
  Place(const sc_core::sc_module_name& name, const std::string& kind) : sc_core::sc_module(name), kind_(&kind) {}
  const char* kind() const override { return kind_->c_str(); }

 private:
  const std::string* kind_;  // of all modules of it
};

Module::Module(Simulation& sim, const ModuleName& name)
    : sim_(sim), place_(std::make_unique<Place>(name.pushed_->name, sim.shared_text(name.pushed_->kind))) {}
Module::~Module() = default;

const char* Module::full_name() const { return place_->name(); }

std::string_view Module::name_view() const {
  std::string_view name = full_name();
  name.remove_prefix(std::min(name.size(), sim_.root_name_.size() + 1));
  return name;
}

}  // namespace tsunagi::sim
