// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "flow/ring.hpp"
#include "models/myrinet/packet_receiver.hpp"
#include "models/myrinet/packet_sender.hpp"
#include "models/myrinet/reliable/layer.hpp"
#include "models/myrinet/reliable/reliable_config.hpp"
#include "models/protocols/go_back_n.hpp"
#include "net/device.hpp"
#include "sim/timer.hpp"

namespace tsunagi::myrinet {

/// Firmware that makes packets reliable, as that of PM/Myrinet: numbered for each peer, sent again from the first one
/// that is missing (go-back-N), one acknowledgement for several (paper 004, 7.1; the rest is this model's). What a
/// packet reads lies in host memory until it is acknowledged, and is read again if it is sent again; the card keeps
/// descriptors alone. Peers have their turns one after the other, a packet each.
///
/// A receiver acknowledges when `acknowledge_each` packets have come, or the first of them `acknowledge_after` before,
/// or when a packet asks for it: the one that closes its sender's window, the last of a write and whatever is sent
/// again last. A packet behind a gap, the first one, is answered by `again`; a message without a receive buffer by
/// `busy`, and by `again` when software has posted one. Of answers that are lost the sender's timer takes care.
class ReliableFirmware final : public Layer {
 public:
  struct Costs {
    int send = 0;  // of the processor a packet
    int receive = 0;
  };
  /// All outlive this. `peer`: what errors call a terminal.
  ReliableFirmware(net::Device& card, flow::PacketPool& pool, PacketSender& sender, PacketReceiver& receiver,
                   const ReliableConfig& c, Costs costs);
  /// Before the run: which terminal this is, and of how many.
  void set_place(int place, int terminals);
  /// Software has written a descriptor.
  void posted(const SendDescriptor& d, const net::Cause& by);
  /// Software has posted a receive buffer.
  void buffer_posted();
  std::string leftover() const;

  std::int64_t acknowledgements() const { return acknowledgements_; }
  std::int64_t sent_again() const { return sent_again_; }
  /// Messages that found no receive buffer.
  std::int64_t without_buffer() const { return without_buffer_; }

 private:
  /// A request of software, or the answer to a read: as many packets as it takes.
  struct Job {
    Lead::Kind kind = Lead::Kind::message;
    std::uint64_t address = 0;  // in host memory, of what is not sent yet
    std::uint64_t remote = 0;
    std::uint64_t left = 0;
    bool answers = false;
    std::uint32_t number = 0;  // of the descriptor
    net::Cause by;
  };
  /// A packet that is not acknowledged.
  struct Packet {
    Lead lead;
    std::uint64_t address = 0;  // where its data lie; of a read, where they go to
    std::uint32_t length = 0;   // of a read, how many
    std::uint32_t number = 0;
    bool tells = false;  // software is told when it is acknowledged
    net::Cause by;
  };
  struct Peer {
    Peer(ReliableFirmware& of, int terminal, int window) : firmware(of), place(terminal), sender(window) {}
    void expired() { firmware.expired(*this); }
    ReliableFirmware& firmware;
    int place;
    protocols::GoBackNSender sender;
    flow::Ring<Job> jobs;
    flow::Ring<Packet> under_way;
    std::uint32_t cursor = 0;    // the packet that is sent next
    std::uint32_t furthest = 0;  // behind the last one that has been sent at least once
    net::Cause since;            // what allowed it
    bool ready = false;          // among those that wait for their turn
    bool held = false;           // the peer is busy
    int tries = 0;               // without an answer
    protocols::GoBackNReceiver receiver;
    bool gap_told = false;
    bool starved = false;  // waits for a receive buffer
    bool owes = false;
    Time owed_since;
    bool answering = false;  // an answer waits to be sent
    Lead::Kind answer = Lead::Kind::acknowledgement;
    net::Cause answer_by;
    sim::Timer<&Peer::expired> timer{*this};
    net::Cause started;  // the timer
  };
  struct Owed {
    Time at;
    int place;
  };
  bool next(Outgoing& out) override;
  bool any() const override { return !answers_.empty() || !ready_.empty(); }
  void handled() override { sender_.take(); }
  int cycles(const Lead& l) const override { return l.acknowledges() ? config_.acknowledged_cycles : costs_.receive; }
  Fate came(const Lead& l, Bytes n, const flow::Contents& data, bool buffer, const net::Wait& taken) override;

  Peer& peer(int place);
  void check(const SendDescriptor& d) const;
  Bytes most() const;
  bool sendable(const Peer& p) const;
  /// It has something to send, allowed by that: it waits for its turn, if it does not yet.
  void make_ready(Peer& p, const net::Cause& by);
  void take_job(Peer& p);
  void fill(Peer& p, Outgoing& out);
  void fill_answer(Peer& p, Outgoing& out);
  void answered(Peer& p, const Lead& l, const net::Wait& taken);
  void answer(Peer& p, Lead::Kind kind, const net::Cause& by);
  void owe(Peer& p, const Lead& l, const net::Cause& by);
  Fate taken_in(Peer& p, const Lead& l, const flow::Contents& data, const net::Cause& by);
  void acknowledge_owed();
  void expired(Peer& p);
  void restart_timer(Peer& p, std::uint64_t by);
  Time now() const { return card_.simulation().now(); }

  net::Device& card_;
  flow::PacketPool& pool_;
  PacketSender& sender_;
  PacketReceiver& receiver_;
  ReliableConfig config_;
  Costs costs_;
  int place_ = 0;
  std::vector<std::unique_ptr<Peer>> peers_;  // by place; none: nothing was said yet
  std::uint32_t last_ = 0;                    // number of the descriptor that came last
  flow::Ring<int> answers_;
  flow::Ring<int> ready_;
  flow::Ring<int> starved_;
  flow::Ring<Owed> owed_;
  std::int64_t acknowledgements_ = 0;
  std::int64_t sent_again_ = 0;
  std::int64_t without_buffer_ = 0;
  sim::Timer<&ReliableFirmware::acknowledge_owed> owed_timer_{*this};
};

}  // namespace tsunagi::myrinet
