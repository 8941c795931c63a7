// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "comm/communicator.hpp"
#include "report/accounts.hpp"

namespace tsunagi {

/// What a library has counted by now.
report::Accounts accounts_of(const comm::Communicator& library);

}  // namespace tsunagi
