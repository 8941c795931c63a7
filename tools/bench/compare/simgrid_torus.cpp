// SPDX-License-Identifier: Apache-2.0
// Benchmark (d) on SimGrid's S4U: usage simgrid_torus LOAD MICROSECONDS. SimGrid's 8x8 torus zone, messages of 80 bytes
// to uniform random hosts at LOAD of 16 GB/s a host.
#include <cstdlib>
#include <random>
#include <vector>

#include "simgrid_common.hpp"

using namespace compare;

namespace {

constexpr int side = 8;
constexpr int places = side * side;
constexpr std::uint64_t size = 80;

double load = 0;
double end = 0;
double hops = 0;
std::uint64_t sent = 0;
std::uint64_t taken = 0;

int along(int from, int to) {
  const int d = (to + side - from) % side;
  return d <= side / 2 ? d : side - d;
}

std::vector<sg::Mailbox*> boxes;
sg::Mailbox* box(int place) { return boxes[static_cast<std::size_t>(place)]; }

void sender(int place) {
  std::mt19937_64 random(static_cast<std::uint64_t>(place));
  std::exponential_distribution<double> gap(16e9 * load / static_cast<double>(size));
  std::uniform_int_distribution<int> other(0, places - 2);
  for (;;) {
    sg::this_actor::sleep_for(gap(random));
    if (sg::Engine::get_clock() > end) return sg::this_actor::sleep_for(10e-6);  // until all have arrived
    int to = other(random);
    if (to >= place) ++to;
    // Its two links to the routers count, as with the others.
    hops += 2 + along(place % side, to % side) + along(place / side, to / side);
    ++sent;
    box(to)->put_init(nothing(), size)->detach();
  }
}

void receiver(int place) {
  box(place)->set_receiver(sg::Actor::self());
  for (;;) {
    box(place)->get<void>();
    ++taken;
  }
}

}  // namespace

int main(int argc, char** argv) {
  sg::Engine e(&argc, argv);
  if (argc != 3) return 2;
  load = std::atof(argv[1]);
  end = 1e-6 * std::atof(argv[2]);
  const double before = cpu_seconds();
  const auto host = [](sg::NetZone* zone, const std::vector<unsigned long>&, unsigned long id) {
    return std::pair<simgrid::kernel::routing::NetPoint*, simgrid::kernel::routing::NetPoint*>(
        zone->create_host("h" + std::to_string(id), 1e9)->seal()->get_netpoint(), nullptr);
  };
  sg::NetZone* zone = sg::create_torus_zone("torus", nullptr, {side, side}, sg::ClusterCallbacks(host), 16e9, 5e-9,
                                            sg::Link::SharingPolicy::SPLITDUPLEX);
  zone->seal();
  for (int i = 0; i < places; ++i) boxes.push_back(sg::Mailbox::by_name(std::to_string(i)));
  for (int i = 0; i < places; ++i) {
    sg::Host* h = e.host_by_name("h" + std::to_string(i));
    sg::Actor::create("send", h, sender, i);
    sg::Actor::create("receive", h, receiver, i)->daemonize();
  }
  e.run();
  report("simgrid d", hops, cpu_seconds() - before, sg::Engine::get_clock());
  if (taken == sent) return 0;
  std::fprintf(stderr, "simgrid_torus: %llu messages of %llu arrived\n", static_cast<unsigned long long>(taken),
               static_cast<unsigned long long>(sent));
  return 1;
}
