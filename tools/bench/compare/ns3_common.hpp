// SPDX-License-Identifier: Apache-2.0
// What the ns-3 drivers share: nodes that forward packets from device to device, without any protocol above.
#pragma once

#include <ns3/core-module.h>
#include <ns3/network-module.h>
#include <ns3/point-to-point-module.h>

#include <cstdint>
#include <string>
#include <vector>

#include "common.hpp"

namespace compare {

/// Joins two nodes by a full-duplex link; returns the two devices.
inline ns3::NetDeviceContainer join(ns3::Ptr<ns3::Node> a, ns3::Ptr<ns3::Node> b, const std::string& rate,
                                    const std::string& delay) {
  ns3::PointToPointHelper link;
  link.SetDeviceAttribute("DataRate", ns3::StringValue(rate));
  link.SetChannelAttribute("Delay", ns3::StringValue(delay));
  link.SetQueue("ns3::DropTailQueue", "MaxSize", ns3::StringValue("100000000p"));
  return link.Install(a, b);
}

}  // namespace compare
