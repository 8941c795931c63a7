// SPDX-License-Identifier: Apache-2.0
#include "models/tlm/enabled_bytes.hpp"

#include <algorithm>

namespace tsunagi::card {

tlm::tlm_response_status refusal(const tlm::tlm_generic_payload& t) {
  switch (t.get_command()) {
    case tlm::TLM_READ_COMMAND:
    case tlm::TLM_WRITE_COMMAND:
      break;
    case tlm::TLM_IGNORE_COMMAND:
      return tlm::TLM_OK_RESPONSE;
    default:
      return tlm::TLM_COMMAND_ERROR_RESPONSE;
  }
  if (t.get_data_length() == 0 || t.get_data_ptr() == nullptr || t.get_streaming_width() == 0)
    return tlm::TLM_BURST_ERROR_RESPONSE;
  if (t.get_byte_enable_ptr() != nullptr && t.get_byte_enable_length() == 0) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  return tlm::TLM_OK_RESPONSE;
}

std::vector<EnabledBytes> enabled_bytes(const tlm::tlm_generic_payload& t) {
  const unsigned char* enables = t.get_byte_enable_ptr();
  const unsigned width = t.get_streaming_width();
  std::vector<EnabledBytes> out;
  for (unsigned first = 0; first < t.get_data_length();) {
    const unsigned n = std::min(width, t.get_data_length() - first);
    if (enables == nullptr) {
      out.push_back({t.get_address(), first, n});
    } else {
      for (unsigned i = 0; i < n; ++i) {
        if (enables[(first + i) % t.get_byte_enable_length()] != TLM_BYTE_ENABLED) continue;
        if (!out.empty() && i > 0 && out.back().at + out.back().size == first + i)
          ++out.back().size;
        else
          out.push_back({t.get_address() + i, first + i, 1});
      }
    }
    first += n;
  }
  return out;
}

}  // namespace tsunagi::card
