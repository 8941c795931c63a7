// SPDX-License-Identifier: Apache-2.0
// Benchmarks (a), (b) and (c) on SimGrid's S4U: usage simgrid_flows a|b PACKETS BYTES, PACKETS messages of BYTES a
// flow, or simgrid_flows c MICROSECONDS BYTES. A message of 280 bytes stands for a packet: it shares the bandwidth of
// all links of its route with the 63 others of its flow that are under way (fewer do not fill the links), and counts as
// one packet-hop a link, although SimGrid does not simulate hops. Larger messages are whole transfers.
//   a: one flow over five links of 4 GB/s.   b: ring of 16, from every host to both neighbours, three links each.
//   c: 15 hosts send 16 messages each time to one over a link each and one that they share, at 6 % of 16 GB/s each; all
//   of them may be under way.
#include <cstdlib>
#include <cstring>
#include <deque>
#include <random>
#include <vector>

#include "simgrid_common.hpp"

using namespace compare;

namespace {

std::uint64_t packets = 0;
std::uint64_t bytes = 0;
double hops = 0;
constexpr std::size_t most = 64;

void sender(sg::Mailbox* to) {
  std::deque<sg::CommPtr> window;
  for (std::uint64_t i = 0; i < packets; ++i) {
    if (window.size() == most) {
      window.front()->wait();
      window.pop_front();
    }
    window.push_back(to->put_async(nothing(), bytes));
  }
  for (const auto& c : window) c->wait();
}

void receiver(sg::Mailbox* from) {
  std::deque<sg::CommPtr> window;
  static void* data = nullptr;
  for (std::uint64_t i = 0; i < packets; ++i) {
    if (window.size() == most) {
      window.front()->wait();
      window.pop_front();
    }
    window.push_back(from->get_async<void>(&data));
  }
  for (const auto& c : window) c->wait();
}

void flow(sg::Host* from, sg::Host* to, double links) {
  sg::Mailbox* box = sg::Mailbox::by_name(from->get_name() + ">" + to->get_name());
  sg::Actor::create("send", from, sender, box);
  sg::Actor::create("receive", to, receiver, box);
  hops += links * static_cast<double>(packets);
}

sg::Link* link(sg::NetZone* zone, const std::string& name) {
  return zone->create_link(name, 4e9)->set_latency(200e-9)->seal();
}

void one_flow(sg::NetZone* zone) {
  sg::Host* a = zone->create_host("a", 1e9)->seal();
  sg::Host* b = zone->create_host("b", 1e9)->seal();
  std::vector<sg::LinkInRoute> way;
  for (int i = 0; i < 5; ++i) way.emplace_back(link(zone, "l" + std::to_string(i)));
  zone->add_route(a->get_netpoint(), b->get_netpoint(), nullptr, nullptr, way, true);
  zone->seal();
  flow(a, b, 5);
}

void ring(sg::NetZone* zone) {
  constexpr int n = 16;
  std::vector<sg::Host*> hosts;
  std::vector<sg::Link*> up;
  std::vector<sg::Link*> down;
  for (int i = 0; i < n; ++i) {
    hosts.push_back(zone->create_host("h" + std::to_string(i), 1e9)->seal());
    up.push_back(link(zone, "up" + std::to_string(i)));
    down.push_back(link(zone, "down" + std::to_string(i)));
  }
  for (const int step : {1, n - 1})
    for (int i = 0; i < n; ++i) {
      const auto from = static_cast<std::size_t>(i);
      const auto to = static_cast<std::size_t>((i + step) % n);
      sg::Link* between = link(zone, "ring" + std::to_string(i) + (step == 1 ? "e" : "w"));
      zone->add_route(hosts[from]->get_netpoint(), hosts[to]->get_netpoint(), nullptr, nullptr,
                      {sg::LinkInRoute(up[from]), sg::LinkInRoute(between), sg::LinkInRoute(down[to])}, false);
    }
  zone->seal();
  for (const int step : {1, n - 1})
    for (int i = 0; i < n; ++i)
      flow(hosts[static_cast<std::size_t>(i)], hosts[static_cast<std::size_t>((i + step) % n)], 3);
}

std::uint64_t sent = 0;
std::uint64_t taken = 0;

void bursts(int place, double end) {
  constexpr int together = 16;
  constexpr double load = 0.06;  // of 16 GB/s
  std::mt19937_64 random(static_cast<std::uint64_t>(place));
  std::exponential_distribution<double> gap(load * 16e9 / (together * static_cast<double>(bytes)));
  sg::Mailbox* to = sg::Mailbox::by_name("target");
  for (;;) {
    sg::this_actor::sleep_for(gap(random));
    if (sg::Engine::get_clock() > end) return sg::this_actor::sleep_for(100e-6);  // until all have arrived
    for (int i = 0; i < together; ++i) to->put_init(nothing(), bytes)->detach();
    sent += together;
  }
}

void target() {
  sg::Mailbox* box = sg::Mailbox::by_name("target");
  box->set_receiver(sg::Actor::self());
  for (;;) {
    box->get<void>();
    ++taken;
    hops += 2;
  }
}

void incast(sg::NetZone* zone, double microseconds) {
  const auto fast = [&](const std::string& name) { return zone->create_link(name, 16e9)->set_latency(5e-9)->seal(); };
  sg::Host* to = zone->create_host("target", 1e9)->seal();
  sg::Link* down = fast("down");
  std::vector<sg::Host*> from;
  for (int i = 0; i < 15; ++i) {
    from.push_back(zone->create_host("h" + std::to_string(i), 1e9)->seal());
    zone->add_route(from.back()->get_netpoint(), to->get_netpoint(), nullptr, nullptr,
                    {sg::LinkInRoute(fast("up" + std::to_string(i))), sg::LinkInRoute(down)}, false);
  }
  zone->seal();
  for (int i = 0; i < 15; ++i)
    sg::Actor::create("send", from[static_cast<std::size_t>(i)], bursts, i, 1e-6 * microseconds);
  sg::Actor::create("receive", to, target)->daemonize();
}

}  // namespace

int main(int argc, char** argv) {
  sg::Engine e(&argc, argv);
  if (argc != 4 || std::strlen(argv[1]) != 1 || std::strchr("abc", *argv[1]) == nullptr) return 2;
  packets = std::strtoull(argv[2], nullptr, 10);
  bytes = std::strtoull(argv[3], nullptr, 10);
  const double before = cpu_seconds();
  sg::NetZone* zone = sg::create_full_zone("all");
  *argv[1] == 'a' ? one_flow(zone) : *argv[1] == 'b' ? ring(zone) : incast(zone, static_cast<double>(packets));
  e.run();
  report(std::string("simgrid ") + argv[1], hops, cpu_seconds() - before, sg::Engine::get_clock());
  if (taken == sent) return 0;
  std::fprintf(stderr, "simgrid_flows: %llu messages of %llu arrived\n", static_cast<unsigned long long>(taken),
               static_cast<unsigned long long>(sent));
  return 1;
}
