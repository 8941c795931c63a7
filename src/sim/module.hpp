// SPDX-License-Identifier: Apache-2.0
// The design hierarchy as the rest of the house sees it. Only src/sim and models/tlm name SystemC.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "sim/simulation.hpp"
#include "units/time.hpp"

namespace tsunagi::sim {

/// The name of a module while that is built: what is built in the name's life lies inside the module that was built
/// from it (IEEE 1666-2011, 5.3).
class ModuleName {
 public:
  /// `name`, below `inside`, which is being built; `kind` says what it is (sc_object::kind).
  /// Throws std::invalid_argument if a module, process or event has that name already.
  ModuleName(const Module& inside, const std::string& name, const char* kind);
  ModuleName(ModuleName&& other) noexcept;
  ~ModuleName();

 private:
  friend class Module;
  friend class Simulation;
  struct Pushed;
  ModuleName(const std::string& name, const char* kind);  // of a root, below whatever is being built
  std::unique_ptr<Pushed> pushed_;
};

/// A part of the design hierarchy without processes of its own: an sc_module that sc_find_object finds by
/// "tsunagi.node0.peach2". Groups, devices and links are such.
class Module {
 public:
  /// The `name` is the innermost of all that are alive.
  Module(Simulation& sim, const ModuleName& name);
  virtual ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  Simulation& simulation() const { return sim_; }
  /// "node0.peach2": its name below the simulation's module.
  std::string name() const { return std::string(name_view()); }
  /// The same without a copy, as long as it lives.
  std::string_view name_view() const;
  /// "tsunagi.node0.peach2": what SystemC calls it.
  const char* full_name() const;

 protected:
  Time now() const { return sim_.now(); }

 private:
  struct Place;
  Simulation& sim_;
  std::unique_ptr<Place> place_;
};

}  // namespace tsunagi::sim
