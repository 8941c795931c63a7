// SPDX-License-Identifier: Apache-2.0
// Internal to src/import: what its files bring to the catalog.
#pragma once

#include "import/catalog.hpp"

namespace tsunagi::importing {

Format nccl_xml_format();
Format lspci_format();
Format nvidia_topo_format();
Format ibnetdiscover_format();
Format anynet_format();
Format ns3_topology_format();

}  // namespace tsunagi::importing
