// SPDX-License-Identifier: Apache-2.0
#include "models/libraries/fmpl/fmpl_send_buffer.hpp"

namespace tsunagi::libraries {

std::optional<Bytes> FmplSendBuffer::room(Bytes n) const {
  Bytes at;
  for (const auto& [from, to] : taken_) {
    if (at + n <= from) return at;
    at = to;
  }
  if (at + n <= size_) return at;
  return std::nullopt;
}

}  // namespace tsunagi::libraries
