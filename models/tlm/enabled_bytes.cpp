// SPDX-License-Identifier: Apache-2.0
#include "models/tlm/enabled_bytes.hpp"

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
  const auto enabled = [&](unsigned i) {
    return enables == nullptr || enables[i % t.get_byte_enable_length()] == TLM_BYTE_ENABLED;
  };
  std::vector<EnabledBytes> out;
  for (unsigned i = 0; i < t.get_data_length(); ++i) {
    const unsigned in_stream = i % t.get_streaming_width();
    const bool goes_on = in_stream != 0 && i > 0 && enabled(i - 1);
    if (!enabled(i)) continue;
    if (goes_on)
      ++out.back().size;
    else
      out.push_back({t.get_address() + in_stream, i, 1});
  }
  return out;
}

}  // namespace tsunagi::card
