// SPDX-License-Identifier: Apache-2.0
#include "models/pcie/refusal.hpp"

#include <stdexcept>
#include <utility>

#include "net/refusal.hpp"

namespace tsunagi::pcie {

void refuse(net::Device& at, int port, int source, net::Delivery d, Time latency, const std::string& why) {
  net::Refusal how{port, source, latency, "unsupported request"};
  if (!is_write(*d.packet)) how.answer = [](flow::Packet& p) { set_failed(p, CompletionStatus::unsupported_request); };
  net::refuse(at, std::move(d), how, why);
}

void require_success(const net::Device& device, const flow::Packet& p) {
  switch (p.header<Tlp>().status) {
    case CompletionStatus::successful:
      return;
    case CompletionStatus::unsupported_request:
      throw std::runtime_error(device.name() + ": nobody answered its read (unsupported request)");
    case CompletionStatus::completer_abort:
      throw std::runtime_error(device.name() + ": its read failed where it came to (completer abort)");
  }
}

}  // namespace tsunagi::pcie
