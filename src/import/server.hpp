// SPDX-License-Identifier: Apache-2.0
// A server as files about it tell: sockets, and the cards and switches on PCI Express below them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "config/message.hpp"

namespace tsunagi::importing {

/// What a device on PCI Express is to a machine of ours.
enum class Role { bridge, gpu, infiniband, nic, nvme };

/// Of a link, what a file says; 0: nothing.
struct PcieLink {
  int generation = 0;
  int could_be = 0;  ///< generation that the device itself is capable of
  int lanes = 0;
  int retimers = 0;
  bool flits = false;  ///< it runs in flit mode, whatever its generation
};

/// NVLink links of a GPU that have one other end.
struct NvlinkEnd {
  config::Place place;
  std::string target;  ///< the other GPU's `Card::address`, or of a switch; empty: a switch that the file does not name
  bool is_switch = false;
  int count = 0;
};

/// A card, or a switch with what is below it.
struct Card {
  config::Place place;
  std::string address;  ///< "0000:41:00.0", or what else the file calls it
  Role role = Role::bridge;
  int vendor = -1;  ///< of the PCI device; -1: not said
  int device = -1;
  std::string model;          ///< its name, where the file has one in place of numbers
  std::optional<int> number;  ///< of the file's own count: GPUs are called by it if all have one
  PcieLink link;              ///< towards the root complex
  int max_payload = 0;        ///< bytes; 0: not said
  int max_read_request = 0;
  int tag_bits = 0;        ///< that it may use for its reads; 0: not said
  bool redirects = false;  ///< of a switch: what a card asks of another below it goes up to the root complex (ACS)
  int functions = 1;       ///< of a network card: how many of its functions the file tells
  std::string said;        ///< what the file says of it, for its comment: one line
  std::vector<Card> below;
  std::vector<NvlinkEnd> nvlinks = {};  ///< of a GPU
};

struct Socket {
  config::Place place;
  std::string vendor;  ///< "GenuineIntel"; empty: not said
  int family = -1;
  int model = -1;
  std::string said;
  std::vector<Card> cards;
};

struct Server {
  std::vector<Socket> sockets;
  std::vector<std::string> notes;  ///< what else its reader wants to be said at the head of the machine, a line each
};

/// What is bounded: hostile files are told so before anything is made of them.
constexpr std::size_t most_cards = 1024;
constexpr std::size_t most_sockets = 32;
constexpr int few_tag_bits = 5;  ///< tags without ExtTag, as few as there can be
constexpr int most_levels = 16;  ///< switches below each other

}  // namespace tsunagi::importing
