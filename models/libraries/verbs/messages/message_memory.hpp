// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "comm/steps.hpp"
#include "models/libraries/verbs/messages/device_buffers.hpp"
#include "models/libraries/verbs/verbs_node.hpp"

namespace tsunagi::libraries {

/// Where the buffers of two-sided messages lie, and copies between them and the library's own memory.
class MessageMemory {
 public:
  /// Both outlive this.
  MessageMemory(const std::vector<VerbsNode>& nodes, const comm::Steps& step) : nodes_(nodes), step_(step) {}
  /// Who knows buffers in other places than host memory, from now on; it outlives this. None: null.
  void set_devices(DeviceBuffers* devices) { devices_ = devices; }
  DeviceBuffers* devices() const { return devices_; }

  /// A call's buffer is looked at before it is used. Throws std::runtime_error, which names the call, if it is nowhere.
  void look_at(Fiber& f, int rank, const char* call, const comm::Buffer& b) const;
  /// Whether cards read a message where it lies, or write it there.
  bool card_reads(const comm::Buffer& b) const {
    return comm::is_host(b.place) || (devices_ != nullptr && devices_->card_reads(b));
  }
  bool card_writes(const comm::Buffer& b) const {
    return comm::is_host(b.place) || (devices_ != nullptr && devices_->card_writes(b));
  }
  /// How an eager message is copied between there and a buffer of host memory.
  MessageCopy message_copy(const comm::Buffer& b) const {
    return comm::is_host(b.place) ? MessageCopy{1, 0, {}} : devices_->message_copy(b);
  }
  /// Where the rank's card finds it then.
  std::uint64_t address(int rank, const comm::Buffer& b) const;
  /// Copies `from` to `to`, an address of the node's memory, or what is there to `b`; `what` names the core's step.
  void copy_out(Fiber& f, int rank, const char* what, const comm::Buffer& from, std::uint64_t to) const;
  void copy_in(Fiber& f, int rank, const comm::Buffer& b, std::uint64_t from) const;

 private:
  const VerbsNode& node(int rank) const { return nodes_[static_cast<std::size_t>(rank)]; }
  const std::vector<VerbsNode>& nodes_;
  const comm::Steps& step_;
  DeviceBuffers* devices_ = nullptr;
};

}  // namespace tsunagi::libraries
