// SPDX-License-Identifier: Apache-2.0
// What the ns-3 drivers share: nodes that forward packets from device to device, without any protocol above.
#pragma once

#include <ns3/core-module.h>
#include <ns3/network-module.h>
#include <ns3/point-to-point-module.h>
#include <sys/resource.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace compare {

/// CPU seconds of this process so far.
inline double cpu_seconds() {
  rusage u{};
  getrusage(RUSAGE_SELF, &u);
  return static_cast<double>(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

/// One line that compare.sh reads.
inline void report(const char* what, double hops, double seconds, double simulated_s) {
  std::printf("{\"name\": \"%s\", \"packet_hops\": %.0f, \"cpu_s\": %.6f, \"simulated_s\": %.9f}\n", what, hops,
              seconds, simulated_s);
}

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
