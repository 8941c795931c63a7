// SPDX-License-Identifier: Apache-2.0
// What numbers of PCI Express mean.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "import/server.hpp"

namespace tsunagi::importing {

/// Role of a PCI class code ("0x030200" is 0x030200) of a vendor; none: a machine has no part for it.
std::optional<Role> role_of(int class_code, int vendor);

/// Generation of a lane's transfers a second in GT/s (PCI Express Base Specification 5.0, 4.2.1): the latest that is
/// not faster; 0: of none.
int generation_of(double gt_per_second);

/// Lanes of a wire of ours: the most that are no more than those; 0: of none.
int lanes_of(long lanes);

/// Reads "0000:41:00.0", "41:00.0" or "00000000:41:00.0" and writes it as the first. False: it is none.
bool read_pci_address(std::string_view text, std::string& out);

}  // namespace tsunagi::importing
