// SPDX-License-Identifier: Apache-2.0
#include "models/host/refusal.hpp"

#include <stdexcept>
#include <utility>

#include "net/refusal.hpp"

namespace tsunagi::host {

void refuse(net::Device& at, int port, int source, net::Delivery d, Time latency, const std::string& why) {
  net::Refusal how{port, source, latency, "address error"};
  if (!is_write(*d.packet)) how.answer = [](flow::Packet& p) { set_failed(p, TransactionStatus::address_error); };
  net::refuse(at, std::move(d), how, why);
}

void require_okay(const net::Device& device, const flow::Packet& p) {
  switch (p.header<Transaction>().status) {
    case TransactionStatus::okay:
      return;
    case TransactionStatus::address_error:
      throw std::runtime_error(device.name() + ": nobody answered its read (address error)");
    case TransactionStatus::device_error:
      throw std::runtime_error(device.name() + ": its read failed where it came to (device error)");
  }
}

}  // namespace tsunagi::host
