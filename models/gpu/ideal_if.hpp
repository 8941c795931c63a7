// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/describe.hpp"

namespace tsunagi::gpu {

/// `config::ideal(v)` of a field of what a GPU may lack: where it is not `there`, the field limits nothing.
template <class T>
config::Option ideal_if(bool there, T v) {
  return there ? config::ideal(v) : [](config::FieldSpec&) {};
}

}  // namespace tsunagi::gpu
