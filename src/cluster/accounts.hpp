// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "comm/library.hpp"
#include "machine/machine.hpp"
#include "report/recorder.hpp"

namespace tsunagi {

/// What a library has counted by now.
report::Accounts accounts_of(const comm::Library& library);

/// Counts for how long packets occupy a machine's wires.
class MachineMeter final : public report::WireMeter {
 public:
  explicit MachineMeter(const Machine& machine) : machine_(machine) {}
  void open(Time begin, Time end) override;
  report::WireAccount read() const override;

 private:
  const Machine& machine_;
  Time window_;
};

}  // namespace tsunagi
