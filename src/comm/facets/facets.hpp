// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

namespace tsunagi::comm {

/// What a library has beside what all libraries have: an object of a kind, by the type of its face (`Puts`, `Gets`).
/// Who has it says so once, before the run.
class Facets {
 public:
  /// Null: there is none.
  template <class F>
  F* find() const {
    for (const auto& [key, facet] : all_)
      if (key == &key_of<F>) return static_cast<F*>(facet);
    return nullptr;
  }
  /// `f` outlives this; it is the one of its kind.
  template <class F>
  void add(F& f) {
    if (find<F>() != nullptr) throw std::logic_error(std::string("a second ") + typeid(F).name());
    all_.emplace_back(&key_of<F>, &f);
  }
  /// Those of another one, of the kinds named.
  template <class... F>
  void add_from(const Facets& other) {
    (add_if<F>(other.find<F>()), ...);
  }

 private:
  template <class F>
  void add_if(F* f) {
    if (f != nullptr) add(*f);
  }
  template <class F>
  static inline const char key_of = 0;  // whose address stands for the type
  std::vector<std::pair<const void*, void*>> all_;
};

}  // namespace tsunagi::comm
