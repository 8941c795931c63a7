// SPDX-License-Identifier: Apache-2.0
// What `lspci -vv` says of each function, as a list.
#pragma once

#include <string>
#include <vector>

#include "import/findings.hpp"

namespace tsunagi::importing {

/// Speed and width of a link; 0: not said.
struct LinkState {
  config::Place place;
  double rate = 0;  ///< GT/s of a lane
  long lanes = 0;
};

/// A function of a PCI device.
struct PciFunction {
  config::Place place;
  std::string address;  ///< "0000:41:00.0"
  long domain = 0;
  int bus = 0;
  int class_code = -1;  ///< as in "0x030200"; -1: unknown
  int vendor = -1;
  int device = -1;
  std::string model;  ///< its name, or its numbers
  long numa = -1;
  int secondary = 0;    ///< of a bridge: the bus below it; 0: none
  std::string express;  ///< "Root Port", "Endpoint", ...; empty: not said
  LinkState capability;
  LinkState status;
  int max_payload = 0;  ///< of DevCtl
  int max_read_request = 0;
  int tag_bits = 0;        ///< of its reads' tags, as DevCtl and DevCtl2 allow; 0: not said
  std::string controls;    ///< RlxdOrd and ExtTag of DevCtl, as lspci writes them
  config::Place acs;       ///< line of ACSCtl; line 0: none
  int retimers = 0;        ///< on the link, as LnkSta2 says
  bool flits = false;      ///< LnkSta2: FltMode+
  bool redirects = false;  ///< ACSCtl: ReqRedir+
  bool is_denied = false;  ///< its capabilities were not shown
};

/// In the order of the file. What is wrong goes to `findings`.
std::vector<PciFunction> lspci_blocks(const Source& source, Findings& findings);

/// Whether a line begins the block of a function.
bool begins_block(std::string_view line);

}  // namespace tsunagi::importing
